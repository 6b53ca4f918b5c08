package io.github.comch4j.bench;

import io.github.comch4j.core.ProgressEngine;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** One {@code progress()} of a server's engine that finds nothing, with so many idle connections; ns per call. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 2, jvmArgsAppend = "--enable-native-access=ALL-UNNAMED")
public class ProgressBenchmark {
    /** How many. */
    @Param({"1", "8", "64", "256", "511"})
    public int connections;

    private Loop loop;
    private Endpoint server;

    /** Connects. */
    @Setup(Level.Trial)
    public void connect() {
        Options options = Options.of("jmh")
                .with("--form", "one")
                .with("--name", "jmh-" + ProcessHandle.current().pid());
        loop = new Loop();
        server = Endpoint.server(options, loop, 8, Endpoint.noMessages());
        ProgressEngine clients = loop.newEngine();
        for (int i = 0; i < connections; i++) {
            Endpoint.client(options, loop, clients, 8, Endpoint.noMessages());
        }
        loop.waitFor("the connections", () -> server.connections == connections);
    }

    /** Disconnects. */
    @TearDown(Level.Trial)
    public void disconnect() {
        loop.close();
    }

    /**
     * Progress.
     *
     * @return whether it found something, which it does not
     */
    @Benchmark
    public boolean progress() {
        return server.engine.progress();
    }
}
