package io.github.comch4j.internal.transport;

import io.github.comch4j.ffi.batch.batch_context;
import io.github.comch4j.ffi.batch.batch_copy_functions;
import io.github.comch4j.ffi.batch.batch_data;
import io.github.comch4j.ffi.batch.batch_engine;
import io.github.comch4j.ffi.batch.batch_entry;
import io.github.comch4j.ffi.batch.batch_functions;
import io.github.comch4j.ffi.batch.batch_h;
import io.github.comch4j.ffi.batch.batch_slot;
import io.github.comch4j.ffi.batch.batch_source;
import io.github.comch4j.ffi.batch.messages_connection;
import io.github.comch4j.ffi.batch.messages_endpoint;
import io.github.comch4j.ffi.batch.messages_functions;
import java.lang.foreign.GroupLayout;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.PaddingLayout;

/**
 * What Java and the batch library must agree on, as one number: the names, offsets and sizes of all fields of the
 * shared structures, the sizes of those structures, and the constants. {@code src/main/c/batch/layout.c} computes the
 * same number when the library is compiled; the library refuses a caller with another one, so that a library and a jar
 * of different builds never read each other's memory.
 */
final class BatchLayout {
    // FNV-1a, 64 bits
    private static final long FNV_BASIS = 0xcbf29ce484222325L;
    private static final long FNV_PRIME = 0x100000001b3L;
    private static final long MIXER = 0x9e3779b97f4a7c15L;

    private BatchLayout() {}

    /** The number that this jar's bindings stand for. */
    static long checksum() {
        return structure(batch_functions.layout())
                + structure(batch_copy_functions.layout())
                + structure(batch_entry.layout())
                + structure(batch_engine.layout())
                + structure(batch_context.layout())
                + structure(batch_slot.layout())
                + structure(batch_data.layout())
                + structure(batch_source.layout())
                + structure(messages_functions.layout())
                + structure(messages_endpoint.layout())
                + structure(messages_connection.layout())
                + constant("BATCH_VERSION", batch_h.BATCH_VERSION())
                + constant("BATCH_CONTEXT_SHIFT", batch_h.BATCH_CONTEXT_SHIFT())
                + constant("BATCH_STATUS_SHIFT", batch_h.BATCH_STATUS_SHIFT())
                + constant("BATCH_STATE", batch_h.BATCH_STATE())
                + constant("BATCH_STATES", batch_h.BATCH_STATES())
                + constant("BATCH_MESSAGE", batch_h.BATCH_MESSAGE())
                + constant("BATCH_MESSAGES", batch_h.BATCH_MESSAGES())
                + constant("BATCH_MESSAGE_LEN", batch_h.BATCH_MESSAGE_LEN())
                + constant("BATCH_LONG_MESSAGES", batch_h.BATCH_LONG_MESSAGES())
                + constant("BATCH_LONG_LEN", batch_h.BATCH_LONG_LEN())
                + constant("BATCH_QUEUED", batch_h.BATCH_QUEUED())
                + constant("BATCH_ALONE", batch_h.BATCH_ALONE())
                + constant("BATCH_EMPTY", batch_h.BATCH_EMPTY())
                + constant("BATCH_BUF", batch_h.BATCH_BUF())
                + constant("BATCH_CONSUMER", batch_h.BATCH_CONSUMER())
                + constant("BATCH_DATA", batch_h.BATCH_DATA())
                + constant("BATCH_IMM", batch_h.BATCH_IMM())
                + constant("BATCH_SRC", batch_h.BATCH_SRC())
                + constant("BATCH_SRC_DATA", batch_h.BATCH_SRC_DATA())
                + constant("BATCH_SENDS", batch_h.BATCH_SENDS())
                + constant("BATCH_RECEIVES", batch_h.BATCH_RECEIVES())
                + constant("BATCH_COPIES", batch_h.BATCH_COPIES())
                + constant("MESSAGES_SUBMIT", batch_h.MESSAGES_SUBMIT());
    }

    /** A structure and its fields, which C names "structure.field". */
    private static long structure(GroupLayout layout) {
        long name = hash(FNV_BASIS, layout.name().orElseThrow());
        long prefix = hash(name, "."); // no concatenation: its machinery takes milliseconds when it is used first
        long sum = part(name, 0, layout.byteSize());
        long offset = 0;
        for (MemoryLayout field : layout.memberLayouts()) {
            if (!(field instanceof PaddingLayout)) {
                sum += part(hash(prefix, field.name().orElseThrow()), offset, field.byteSize());
            }
            offset += field.byteSize();
        }
        return sum;
    }

    private static long constant(String name, int value) {
        return part(hash(FNV_BASIS, name), Integer.toUnsignedLong(value), 0);
    }

    /** Goes on with a hash. */
    private static long hash(long begin, String text) {
        long hash = begin;
        for (int i = 0; i < text.length(); i++) {
            hash = (hash ^ text.charAt(i)) * FNV_PRIME;
        }
        return hash;
    }

    /** From the hash of a name, and what belongs to the name. */
    private static long part(long name, long value, long size) {
        long hash = (name ^ value) * FNV_PRIME;
        hash = (hash ^ size) * FNV_PRIME;
        // spreads each bit over all others: otherwise two offsets that are swapped cancel out in the sum
        hash = (hash ^ hash >>> 32) * MIXER;
        hash = (hash ^ hash >>> 32) * MIXER;
        return hash ^ hash >>> 32;
    }
}
