package io.github.comch4j.internal.transport;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;

/**
 * The places of an endpoint's connections: a {@code struct messages_connection} each. One that a connection has left is
 * used again when all messages of that connection have ended, so that there are never more than were needed at a time.
 */
final class MessagePlaces {
    private static final int IN_CHUNK = 32;

    private final ArrayList<MemorySegment> chunks = new ArrayList<>(1); // freed when nothing refers to them
    private final ArrayDeque<Long> free = new ArrayDeque<>();
    /** Places that a connection has left, and how many messages were accepted on each. */
    private final HashMap<Long, Long> left = new HashMap<>();

    /** A place for a connection with this user data. */
    long take(long userData) {
        if (free.isEmpty()) {
            reclaim();
        }
        if (free.isEmpty()) {
            grow();
        }
        long place = free.remove();
        Batch.setLong(place + Batch.CONNECTION_ENDED, 0);
        Batch.setLong(place + Batch.CONNECTION_USER_DATA, userData);
        return place;
    }

    private void reclaim() {
        left.entrySet().removeIf(one -> {
            boolean over = ended(one.getKey()) >= one.getValue();
            if (over) {
                free.add(one.getKey());
            }
            return over;
        });
    }

    private void grow() {
        MemorySegment chunk = Arena.ofAuto().allocate((long) IN_CHUNK * Batch.CONNECTION_SIZE, 64);
        chunks.add(chunk);
        for (int i = 0; i < IN_CHUNK; i++) {
            free.add(chunk.address() + (long) i * Batch.CONNECTION_SIZE);
        }
    }

    /** Its connection has ended: {@code accepted} messages were sent in all, some of which may not have ended yet. */
    void leave(long place, long accepted) {
        left.put(place, accepted);
    }

    /** The user data of the place's connection. */
    static long userData(long place) {
        return Batch.getLong(place + Batch.CONNECTION_USER_DATA);
    }

    /** How many messages of the place's connection have ended. */
    static long ended(long place) {
        return Batch.getLong(place + Batch.CONNECTION_ENDED);
    }

    /** One more has. */
    static void count(long place) {
        Batch.setLong(place + Batch.CONNECTION_ENDED, ended(place) + 1);
    }
}
