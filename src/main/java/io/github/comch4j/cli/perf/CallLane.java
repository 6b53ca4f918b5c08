package io.github.comch4j.cli.perf;

import io.github.comch4j.cli.program.ProgramException;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.core.Representor;
import io.github.comch4j.rpc.RpcClient;
import io.github.comch4j.rpc.RpcRequest;
import io.github.comch4j.rpc.RpcServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.HdrHistogram.Histogram;

/**
 * Calls over one connection, whose response is the request: {@link Plan#depth()} callers, virtual threads, each of
 * which makes one call after the other; or, for the latency, one platform thread. Larger bodies than 64 KiB take the
 * fast path.
 */
final class CallLane extends Lane {
    private static final int ECHO = 1;
    private static final int LARGE = 64 << 10;
    private static final long WARM_ROUND = 100_000_000;
    private static final Duration LOOK = Duration.ofMillis(20);

    private final AtomicReference<Throwable> broken = new AtomicReference<>();

    CallLane(Plan plan, PerfEndpoint place, int number) {
        super(plan, place, number);
    }

    /** One caller. */
    private final class Caller implements Runnable {
        final Histogram histogram = new Histogram(3);
        final AtomicLong calls = new AtomicLong();
        private final RpcClient client;
        private final long count; // 0: until the end
        private final long end;
        private final int sampling; // many histograms do not fit into the caches: of many callers' calls one in 16

        Caller(RpcClient client, long count, long end) {
            this.client = client;
            this.count = count;
            this.end = end;
            this.sampling = plan.depth() == 1 ? 0 : 15;
        }

        @Override
        public void run() {
            byte[] request = new byte[plan.size()];
            long made = 0;
            try {
                long before = System.nanoTime();
                while ((count > 0 ? made < count : before - end < 0) && !stopped) {
                    CallLane.call(client, request);
                    long after = System.nanoTime();
                    if ((made++ & sampling) == 0) {
                        histogram.recordValue(after - before);
                    }
                    calls.lazySet(made);
                    before = after;
                }
            } catch (RuntimeException e) {
                broken.compareAndSet(null, e);
            }
        }
    }

    @Override
    void work() throws InterruptedException {
        try (EventLoop loop = EventLoop.start("perf-" + place.name())) {
            if (place.isServer()) {
                serve(loop);
            } else {
                call(loop);
            }
        }
    }

    private void serve(EventLoop loop) {
        try (Device device = Device.openDpu(place.device());
                Representor representor = device.openRepresentor(Objects.requireNonNull(place.function()));
                RpcServer server = RpcServer.builder(loop, device, representor, place.name())
                        .largeBodies(LARGE)
                        .maxInFlight(Math.max(1024, plan.depth()))
                        .maxBody(Math.max(plan.size(), 1 << 20))
                        .method(ECHO, RpcRequest::body)
                        .start()) {
            ready = true;
            sleepUntil(() -> expected >= 0);
            result = LaneResult.none(0);
            finished = true;
            server.shutdown();
            server.awaitTermination(PerfConnection.PATIENCE);
        }
    }

    private void call(EventLoop loop) throws InterruptedException {
        try (Device device = Device.openHost(place.device());
                RpcClient client = RpcClient.builder(loop, device, place.name())
                        .largeBodies(LARGE)
                        .maxInFlight(Math.max(1024, plan.depth()))
                        .maxBody(Math.max(plan.size(), 1 << 20))
                        .connect(PerfConnection.PATIENCE)) {
            if (plan.latency() && plan.depth() == 1) {
                ask(client);
            } else {
                askAtOnce(client);
            }
            finished = true;
            sleepUntil(() -> mayClose);
        }
    }

    /** One call after the other, on this thread. */
    private void ask(RpcClient client) {
        byte[] request = new byte[plan.size()];
        askInTurn(() -> call(client, request));
    }

    private static void call(RpcClient client, byte[] request) {
        if (client.call(ECHO, request).length != request.length) {
            throw new ProgramException("a response has another length");
        }
    }

    private void askAtOnce(RpcClient client) throws InterruptedException {
        warmUp(client);
        long began = System.nanoTime();
        List<Caller> callers = run(client, plan.count(), began + plan.length());
        long nanos = System.nanoTime() - began;
        long calls = calls(callers);
        Histogram all = new Histogram(3);
        callers.forEach(caller -> all.add(caller.histogram));
        this.sent = calls;
        result =
                new LaneResult(calls, nanos, rates, 0, new LaneResult.RoundTimes(all, all.getValueAtPercentile(50), 0));
    }

    private static long calls(List<Caller> callers) {
        return callers.stream().mapToLong(each -> each.calls.get()).sum();
    }

    /** Callers that are measured begin in compiled code: a virtual thread that began earlier is slow to park. */
    private void warmUp(RpcClient client) throws InterruptedException {
        long end = System.nanoTime() + plan.warmup();
        for (long now = System.nanoTime(); now - end < 0 && !stopped; now = System.nanoTime()) {
            run(client, 0, Math.min(now + WARM_ROUND, end));
        }
    }

    private double[] rates = {};

    /** All callers at once; looks at them meanwhile. */
    private List<Caller> run(RpcClient client, long count, long end) throws InterruptedException {
        List<Caller> callers = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < plan.depth(); i++) {
            long share = count == 0 ? 0 : Math.max(1, count / plan.depth());
            Caller caller = new Caller(client, share, end);
            callers.add(caller);
            threads.add(Thread.startVirtualThread(caller));
        }
        Samples samples = new Samples(plan, 0);
        for (Thread thread : threads) {
            while (!thread.join(LOOK)) {
                check();
                report(calls(callers));
                samples.look(moved());
            }
        }
        samples.look(calls(callers));
        rates = samples.result(0).rates();
        Throwable thrown = broken.get();
        if (thrown instanceof RuntimeException e) {
            throw e;
        }
        return callers;
    }
}
