package io.github.comch4j.rpc;

import io.github.comch4j.comch.SlotProducer;

/** What goes out on the fast path of a connection. Bodies are copied once, into the slot that is sent. */
final class SlotFrames extends FrameQueue {
    private final SlotProducer producer;
    private final int consumer;
    private final int capacity;
    private final long[] numbers; // of the messages, by slot
    private long sent;

    /** To a consumer of the peer. */
    SlotFrames(SlotProducer producer, int consumer) {
        this.producer = producer;
        this.consumer = consumer;
        this.capacity = producer.slotSize() & ~7;
        this.numbers = new long[(int) (producer.memory().byteSize() / producer.stride())];
    }

    /** Whether slots of so many bytes have room for frames. */
    static boolean isPossible(long slotSize) {
        return slotSize >= Frames.HEADER + 8;
    }

    /**
     * Sends what there is room for; the rest when it is called again, as with {@code onWritable}.
     *
     * @throws io.github.comch4j.comch.ConnectionClosedException if the connection has ended
     * @throws io.github.comch4j.DocaException if DOCA refuses
     */
    void flush() {
        while (size() > 0) {
            long at = producer.claim(capacity, consumer);
            if (at < 0) {
                return;
            }
            int filled = fill(producer.memory(), at, capacity, sent);
            if (filled == 0) {
                producer.abort(); // nobody wants any of it any more
                return;
            }
            numbers[slot(at)] = sent++;
            producer.commit(filled);
            var _ = producer.flush(); // the peer reads it while the next one is written
        }
    }

    private int slot(long offset) {
        return (int) (offset / producer.stride());
    }

    /** The number of the message that is, or was last, in the slot at this offset. */
    long number(long offset) {
        return numbers[slot(offset)];
    }

    void close() {
        producer.close();
    }
}
