package io.github.comch4j;

import io.github.comch4j.comch.Capabilities;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.ComchServer;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.Doca;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.core.PciAddress;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.core.Representor;
import io.github.comch4j.internal.life.LoopThread;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/** Both sides of the emulated BlueField in one process: the objects that nearly every test needs. */
public final class Machine implements AutoCloseable {
    public static final PciAddress HOST = PciAddress.of("0000:b1:00.0");
    public static final PciAddress DPU = PciAddress.of("0000:03:00.0");
    /** Long enough for a busy machine; nothing is asserted about time. */
    public static final Duration PATIENCE = Duration.ofSeconds(60);

    /** The property of runs on an SDK that is installed, without a card: {@code scripts/dev/sdk.sh}. */
    static final String SDK = "comch4j.test.sdk";

    private static final AtomicInteger NAMES = new AtomicInteger();

    static {
        useEmulation();
    }

    public final ProgressEngine engine = ProgressEngine.create();
    public final Device host = Device.openHost(HOST);
    public final Device dpu = Device.openDpu(DPU);
    public final Representor representor = dpu.openRepresentor(HOST);
    public final String name = uniqueName();
    /** Of messages: the default depends on the release. */
    private final int longest = (int) Capabilities.of(host).maxMessageSize();

    /**
     * Tests never touch a real device, whatever is installed: they use the emulated one of the jar, or that of a folder
     * of this build, which has the names of an older release ({@code -Dcomch4j.library=target/native/lib/2.5}) or
     * checks little ({@code target/native-permissive/lib}). Only {@link #SDK} lets them have what
     * {@code comch4j.library} names.
     */
    public static void useEmulation() {
        if (!Boolean.getBoolean(SDK)) {
            System.setProperty(Doca.LIBRARY_PROPERTY, emulation());
        }
    }

    /** The emulated device that tests use: {@code emulated}, or a folder of this build. */
    public static String emulation() {
        String library = System.getProperty(Doca.LIBRARY_PROPERTY, "");
        boolean ofThisBuild =
                library.contains("target/native/lib/") || library.contains("target/native-permissive/lib");
        return ofThisBuild ? library : "emulated";
    }

    /** The name that a function of Comch has in the loaded libraries, for those that tests name. */
    public static String function(String today) {
        return Doca.library().generation() == LibraryInfo.Generation.COMCH
                ? today
                : today.replace("doca_comch_", "doca_cc_");
    }

    /** A server name that no other test uses, in this process or beside it. */
    public static String uniqueName() {
        return "test-" + ProcessHandle.current().pid() + "-" + NAMES.incrementAndGet();
    }

    /** For a server whose test wants what handlers throw out of progress(), as on a client. */
    public static void rethrow(ComchConnection connection, Exception exception) {
        throw Machine.<RuntimeException>sneak(exception);
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> RuntimeException sneak(Throwable thrown) throws T {
        throw (T) thrown;
    }

    public ComchServer.Builder server() {
        return ComchServer.builder(engine, dpu, representor, name).maxMessageSize(longest);
    }

    public ComchClient.Builder client() {
        return ComchClient.builder(engine, host, name).maxMessageSize(longest);
    }

    /** Progresses the engine until the condition holds. */
    public void until(String what, BooleanSupplier condition) {
        until(what, condition, engine);
    }

    /** Progresses engines of this thread until the condition holds. */
    public static void until(String what, BooleanSupplier condition, ProgressEngine... engines) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            boolean worked = false;
            for (ProgressEngine engine : engines) {
                worked |= engine.progress();
            }
            if (!worked) {
                Thread.onSpinWait();
            }
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("gave up waiting for: " + what);
            }
        }
    }

    /** Progresses until nothing is ready. */
    public void settle() {
        while (engine.progress()) {
            Thread.onSpinWait();
        }
    }

    @Override
    public void close() {
        engine.close();
        host.close();
        dpu.close();
    }

    /**
     * The loop does nothing from now on until the result is counted down: what is sent to it waits, however fast the
     * machine is.
     */
    public static CountDownLatch hold(EventLoop loop) {
        CountDownLatch held = new CountDownLatch(1);
        CompletableFuture<Void> holds = new CompletableFuture<>();
        var _ = loop.submit(() -> {
            holds.complete(null);
            held.await();
            return null;
        });
        holds.join();
        return held;
    }

    /** Whether a thread waits for the loop's engine, which it may progress meanwhile. */
    public static boolean waits(Thread thread) {
        return Arrays.stream(thread.getStackTrace())
                .anyMatch(frame -> frame.getClassName().equals(LoopThread.class.getName())
                        && frame.getMethodName().equals("await"));
    }

    /** Where the system tells of the thread that calls this; for {@link #untilAsleep}. */
    public static Path taskOfThisThread() throws IOException {
        return Path.of("/proc").resolve(Files.readSymbolicLink(Path.of("/proc/thread-self")));
    }

    /** Waits until a thread sleeps in the system, as a loop does that has nothing to do. */
    public static void untilAsleep(Path task) throws IOException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        String state = "";
        while (!state.startsWith("S")) {
            String all = Files.readString(task.resolve("stat"));
            state = all.substring(all.lastIndexOf(')') + 2);
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("gave up waiting for a thread to fall asleep: " + all);
            }
        }
    }

    /** Runs {@code work} on a thread of its own. */
    public static <T> CompletableFuture<T> onThread(Callable<T> work) {
        CompletableFuture<T> future = new CompletableFuture<>();
        new Thread(() -> {
                    try {
                        future.complete(work.call());
                    } catch (Throwable t) {
                        future.completeExceptionally(t);
                    }
                })
                .start();
        return future;
    }
}
