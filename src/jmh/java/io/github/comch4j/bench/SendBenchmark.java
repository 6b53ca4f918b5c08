package io.github.comch4j.bench;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.AuxCounters;
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
 * Messages per second of one thread that sends while another one receives, ours and the peers' in one table. In a
 * steady state, with no more than {@code depth} messages between them, what is sent is what arrives. {@code Bench} says
 * the same from the receiver's side, and is what the bars are checked with.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
        value = 2,
        jvmArgsAppend = {"--enable-native-access=ALL-UNNAMED", "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED"})
public class SendBenchmark {
    /** What carries the messages. */
    @Param({"fast", "control", "aeron", "unix"})
    public String carrier;

    /** Bytes. */
    @Param({"64", "256", "1024", "4080"})
    public int size;

    /** Tasks, and buffers posted; not of the peers. */
    @Param("256")
    public int depth;

    /** Attempts that found no room. */
    @State(Scope.Thread)
    @AuxCounters(AuxCounters.Type.OPERATIONS)
    public static class Refusals {
        /** How many. */
        public long refused;
    }

    private Outlet outlet;
    private Thread receiver;
    private volatile boolean over;
    private volatile Throwable failure;
    private long number;

    /** Connects, and starts the receiver. */
    @Setup(Level.Trial)
    public void connect() {
        Options options = Options.of(carrier)
                .with("--size", Integer.toString(size))
                .with("--depth", Integer.toString(depth))
                .with("--name", "jmh-" + ProcessHandle.current().pid());
        Carrier way = Carrier.of(carrier);
        receiver = new Thread(
                () -> {
                    Arrivals arrivals = new Arrivals(options);
                    try (Inlet inlet = way.inlet(options, arrivals)) {
                        while (!over) {
                            inlet.poll();
                        }
                        inlet.stop();
                    } catch (Throwable t) {
                        failure = t;
                    }
                },
                "receiver");
        receiver.start();
        outlet = way.outlet(options);
    }

    /**
     * Disconnects.
     *
     * @throws InterruptedException never
     */
    @TearDown(Level.Trial)
    public void disconnect() throws InterruptedException {
        over = true;
        while (!outlet.isStopped() && failure == null) {
            outlet.trySend(number++); // a socket notices only when it writes
            outlet.progress();
        }
        outlet.close();
        receiver.join();
        if (failure != null) {
            throw new IllegalStateException(failure);
        }
    }

    /**
     * Sends one message, as soon as there is room.
     *
     * @param refusals counts failed attempts
     * @return its number
     */
    @Benchmark
    public long send(Refusals refusals) {
        while (!outlet.offer(number)) {
            refusals.refused++;
            outlet.progress();
            if (failure != null) {
                throw new IllegalStateException(failure);
            }
        }
        return number++;
    }
}
