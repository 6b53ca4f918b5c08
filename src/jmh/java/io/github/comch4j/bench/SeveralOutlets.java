package io.github.comch4j.bench;

import java.util.function.Supplier;

/** Several producers of one thread, on one engine: they send bursts in turn. */
final class SeveralOutlets implements Outlet {
    private final FastPathOutlet[] outlets;
    private final long[] sent;
    private int next; // whose turn it is

    SeveralOutlets(int producers, Supplier<FastPathOutlet> source) {
        outlets = new FastPathOutlet[producers];
        sent = new long[producers];
        for (int i = 0; i < producers; i++) {
            outlets[i] = source.get();
        }
    }

    /** What a payload begins with: the producer's index in the uppermost byte. */
    static long number(int producer, long sent) {
        return (long) producer << 56 | sent;
    }

    @Override
    public boolean trySend(long number) {
        return offer(number, 1) == 1;
    }

    /** Numbers of its own. */
    @Override
    public int offer(long number, int most) {
        int producer = next;
        next = producer + 1 == outlets.length ? 0 : producer + 1;
        int offered = outlets[producer].offer(number(producer, sent[producer]), most);
        sent[producer] += offered;
        return offered;
    }

    @Override
    public void progress() {
        outlets[0].progress(); // of the engine of all
    }

    @Override
    public boolean isStopped() {
        return outlets[0].isStopped();
    }

    @Override
    public long again() {
        long again = 0;
        for (FastPathOutlet outlet : outlets) {
            again += outlet.again();
        }
        return again;
    }

    @Override
    public void close() {
        for (int i = 1; i < outlets.length; i++) {
            outlets[i].closeProducer();
        }
        outlets[0].close();
    }
}
