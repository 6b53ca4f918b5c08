package io.github.comch4j.bench;

import io.github.comch4j.core.Device;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.core.PciAddress;
import io.github.comch4j.rpc.RpcClient;
import io.github.comch4j.rpc.RpcRequest;
import io.github.comch4j.rpc.RpcServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * Calls: so many callers, virtual threads, each of which makes one call after the other, all over one connection. The
 * same program over Comch ({@code rpc}) and over a Unix-domain socket ({@code rpc-unix}, {@link UnixRpc}).
 */
final class RpcWorks {
    private static final int ECHO = 1;
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final long WARM_ROUND = 100_000_000;

    /** The client's end. */
    interface Caller extends AutoCloseable {
        byte[] call(byte[] request);

        @Override
        void close();
    }

    private RpcWorks() {}

    static void run(Options options) throws Exception {
        boolean unix = options.work().equals("rpc-unix");
        if (options.form() == Options.Form.CLIENT) {
            try (Caller caller = unix ? UnixRpc.connect(options) : connect(options)) {
                measure(options, caller);
            }
            return;
        }
        try (AutoCloseable server = unix ? UnixRpc.serve(options) : serve(options)) {
            if (options.form() == Options.Form.PROCESSES) {
                Bench.join(Bench.child(options));
            } else {
                try (Caller caller = unix ? UnixRpc.connect(options) : connect(options)) {
                    measure(options, caller);
                }
            }
        }
    }

    private static AutoCloseable serve(Options options) {
        EventLoop loop = EventLoop.start("server");
        Device device = Device.openDpu(PciAddress.of(options.dpu()));
        RpcServer.builder(loop, device, device.openRepresentor(PciAddress.of(options.function())), options.name())
                .largeBodies(options.large())
                .method(ECHO, RpcRequest::body)
                .start();
        return () -> {
            loop.close();
            device.close();
        };
    }

    private static Caller connect(Options options) {
        EventLoop loop = EventLoop.start("client");
        Device device = Device.openHost(PciAddress.of(options.function()));
        RpcClient client = RpcClient.builder(loop, device, options.name())
                .largeBodies(options.large())
                .maxInFlight(Math.max(1024, options.connections()))
                .connect(PATIENCE);
        return new Caller() {
            @Override
            public byte[] call(byte[] request) {
                return client.call(ECHO, request);
            }

            @Override
            public void close() {
                loop.close();
                device.close();
            }
        };
    }

    private static final class Loop implements Runnable {
        final Histogram histogram = new Histogram(3);
        private final Caller caller;
        private final byte[] request;
        private final long end;
        private final long sampling; // a thousand histograms do not fit into the caches: one call of 16 is looked at
        long calls;

        Loop(Caller caller, int callers, int size, long end) {
            this.caller = caller;
            this.request = new byte[size];
            this.end = end;
            this.sampling = callers == 1 ? 0 : 15;
        }

        @Override
        public void run() {
            long before = System.nanoTime();
            while (before - end < 0) {
                if (caller.call(request).length != request.length) {
                    throw new IllegalStateException("a wrong response");
                }
                long after = System.nanoTime();
                if ((calls++ & sampling) == 0) {
                    histogram.recordValue(after - before);
                }
                before = after;
            }
        }
    }

    /** So many callers at once, from now on until {@code end}. */
    private static List<Loop> call(Options options, Caller caller, long end) throws InterruptedException {
        List<Loop> loops = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < options.connections(); i++) {
            Loop loop = new Loop(caller, options.connections(), options.size(), end);
            loops.add(loop);
            threads.add(Thread.startVirtualThread(loop));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        return loops;
    }

    /** Callers that are measured begin in compiled code: a virtual thread that began earlier is slow to park. */
    private static void warmUp(Options options, Caller caller) throws InterruptedException {
        long end = System.nanoTime() + (long) (options.warmup() * 1e9);
        for (long now = System.nanoTime(); now - end < 0; now = System.nanoTime()) {
            call(options, caller, Math.min(now + WARM_ROUND, end));
        }
    }

    private static void measure(Options options, Caller caller) throws InterruptedException {
        warmUp(options, caller);
        List<Loop> loops = call(options, caller, System.nanoTime() + (long) (options.seconds() * 1e9));
        Histogram all = new Histogram(3);
        long calls = 0;
        for (Loop loop : loops) {
            all.add(loop.histogram);
            calls += loop.calls;
        }
        Report report = new Report(options, options.work()).count("callers", options.connections());
        if (options.connections() == 1) {
            report.value(all.getValueAtPercentile(50), "ns/call");
        } else {
            report.value(calls / options.seconds(), "calls/s");
        }
        report.percentiles("call_", all).print();
    }
}
