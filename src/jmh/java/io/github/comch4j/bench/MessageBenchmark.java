package io.github.comch4j.bench;

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

/**
 * One message from one side to the other, all in one thread: send, completion, arrival, posting again; ns per message.
 * Nothing can be refused, and whatever does not arrive at once is an error. With {@code -prof gc} it shows what a
 * message allocates.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 2, jvmArgsAppend = "--enable-native-access=ALL-UNNAMED")
public class MessageBenchmark {
    /** Bytes. */
    @Param({"64", "256", "1024", "4080"})
    public int size;

    /** Tasks, and buffers posted. */
    @Param({"1", "32", "256"})
    public int depth;

    private OneThread ends;

    /** Connects. */
    @Setup(Level.Trial)
    public void connect() {
        ends = new OneThread(size, depth);
    }

    /** Disconnects. */
    @TearDown(Level.Trial)
    public void disconnect() {
        ends.close();
    }

    /**
     * Fast path, in slots.
     *
     * @return the message's number
     */
    @Benchmark
    public long flat() {
        return ends.flat();
    }

    /**
     * Fast path, in buffers.
     *
     * @return the message's number
     */
    @Benchmark
    public long fast() {
        return ends.fast();
    }

    /**
     * Control path.
     *
     * @return the message's number
     */
    @Benchmark
    public long control() {
        return ends.message();
    }
}
