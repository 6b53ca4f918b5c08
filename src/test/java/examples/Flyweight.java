package examples;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.github.comch4j.comch.SlotConsumer;
import io.github.comch4j.io.RecordReader;
import java.lang.foreign.MemorySegment;

/** Reads many records out of one buffer, where they arrived: one object for all of them. */
public final class Flyweight {
    // @start region="flyweight"
    /** A trade in memory; the same object shows one after the other. */
    public static final class Trade {
        public static final int LENGTH = 24;
        private MemorySegment memory;
        private long offset;

        Trade at(MemorySegment newMemory, long newOffset) {
            memory = newMemory;
            offset = newOffset;                              // records begin at multiples of 8
            return this;
        }

        public long instrument() {
            return memory.get(JAVA_LONG, offset);
        }

        public double price() {
            return memory.get(JAVA_DOUBLE, offset + 8);
        }

        public long quantity() {
            return memory.get(JAVA_LONG, offset + 16);
        }
    }
    // @end

    private final Trade trade = new Trade();
    private double turnover;

    // @start region="read"
    private final RecordReader reader = new RecordReader((memory, offset, length, type, producer) -> {
        if (type == 1 && length == Trade.LENGTH) {           // the peer has written it: look before you trust
            onTrade(trade.at(memory, offset));
        }
    });

    public int poll(SlotConsumer consumer) {
        return consumer.poll(reader, 256);                   // buffers; the records in them are never copied
    }
    // @end

    private void onTrade(Trade one) {
        turnover += one.price() * one.quantity();
    }

    public double turnover() {
        return turnover;
    }
}
