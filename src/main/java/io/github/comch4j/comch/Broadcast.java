package io.github.comch4j.comch;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.SubmitResult;
import io.github.comch4j.core.Buffer;
import io.github.comch4j.core.MemoryMap;
import io.github.comch4j.internal.life.BufferState;
import io.github.comch4j.transfer.CoreObjects;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One payload that is sent to many peers from one place in memory, without a copy for each peer. Each producer has a
 * buffer of its own on that place ({@code doca_buf}). The producer's first send creates the buffer, and later sends
 * reuse it.
 *
 * <p>A broadcast that was {@linkplain Pool#tryAcquire() acquired} has one holder. {@link #release()} ends the hold of
 * one holder. A broadcast ends when it has no holder and nothing is in flight. The pool then calls its handler, and the
 * place is free again. If other producers run on engines of other threads, call {@link #retain()} once for each thread
 * that you hand the broadcast to. Each of these threads must call {@link #release()}.
 *
 * <p>A failed send counts as ended, too. The producer's completion handler receives the failure
 * ({@link Pool#broadcastOf}). A send that is not accepted is not in flight: try again, or continue without that peer.
 *
 * <p>A peer that stands still holds the places whose sends to it are in flight. Each producer can therefore have sends
 * in flight from at most its {@linkplain Pool#share() share} of the places, no matter how many receives its peer has
 * posted. The other places remain available to the other peers. The pool's {@link Policy} determines what happens when
 * a peer has no room.
 *
 * <p>{@link #trySend} and {@link #enqueue} must be called by the thread that owns the producer's engine. Any thread may
 * call the other methods.
 */
public final class Broadcast {
    private static final long HELD = 1; // once for each holder
    private static final long IN_FLIGHT = 1L << 32; // once for each producer with sends in flight

    private final Pool pool;
    private final MemorySegment segment;
    private final Map<ComchProducer, PeerCopy> places = new ConcurrentHashMap<>();
    private final AtomicLong uses = new AtomicLong();
    private volatile long length;

    /** A producer's buffer on this place. */
    private record PeerCopy(Buffer buffer, PeerPlaces peer) {}

    /** What a pool counts for each producer. */
    private static final class PeerPlaces {
        private final AtomicInteger held = new AtomicInteger(); // places with sends in flight
        private final AtomicLong missed = new AtomicLong();
    }

    /** How a {@linkplain Pool#setPolicy pool} handles a peer that is behind. */
    public enum Policy {
        /**
         * The peer misses each broadcast that it has no room for, and all others receive it at the full rate. The pool
         * counts each send that is not accepted, for any reason ({@link Pool#missed}).
         */
        SKIP,
        /**
         * The first send that finds the peer with its share in flight, or with all tasks of its producer in use, is not
         * accepted and ends the peer's connection ({@link ComchConnection#disconnect()}). This policy is for servers of
         * DOCA 2.7 and later.
         */
        DISCONNECT,
        /**
         * All peers wait, and no peer misses anything. While a peer has its share in flight, {@link Pool#tryAcquire()}
         * returns no place. A send can still be refused, because the producer has no free task or, for
         * {@link #trySend}, the peer has no posted receive. The program must then try again.
         */
        WAIT
    }

    Broadcast(Pool pool, MemorySegment segment) {
        this.pool = pool;
        this.segment = segment;
    }

    /** It is acquired. */
    void begin() {
        length = 0;
        uses.set(HELD);
    }

    /**
     * Returns the place to write the payload to. Do not write to it after the first send.
     *
     * @return {@link Pool#size()} bytes; always the same object
     * @throws IllegalStateException if the broadcast has no holder
     */
    public MemorySegment segment() {
        checkHeld(uses.get());
        return segment;
    }

    /**
     * Sets the length of the payload. Call this method before the first send.
     *
     * @param newLength the length in bytes, from the beginning of the place
     * @return this
     * @throws IndexOutOfBoundsException if {@code newLength} is greater than the size of the place
     * @throws IllegalStateException if the broadcast has no holder
     */
    public Broadcast commit(long newLength) {
        Objects.checkFromIndexSize(0, newLength, segment.byteSize());
        checkHeld(uses.get());
        length = newLength;
        return this;
    }

    /**
     * Sends the broadcast to one consumer, as {@link ComchProducer#trySend(Buffer, int)} does. Can be called several
     * times with the same producer, for several consumers of its peer.
     *
     * @param producer a producer with {@link ComchProducer.Builder#releaseSent()}
     * @param consumerId a consumer of its peer
     * @return {@link SubmitResult#ACCEPTED}; any other result names what is missing, and this send is not in flight.
     *     {@link SubmitResult#NO_TASK} also if the producer has its {@linkplain Pool#share() share} or all its buffers
     *     in flight
     * @throws IllegalArgumentException if the producer does not take over the buffers that it sends
     * @throws IllegalStateException if the broadcast has no holder, or if the producer is closed
     * @throws io.github.comch4j.DocaException if DOCA refuses
     * @throws WrongThreadException if another thread owns the producer's engine
     */
    public SubmitResult trySend(ComchProducer producer, int consumerId) {
        return send(producer, consumerId, true);
    }

    /**
     * Queues a send of the broadcast to one consumer, as {@link ComchProducer#enqueue(Buffer, int)} does.
     *
     * @param producer a producer with {@link ComchProducer.Builder#releaseSent()}
     * @param consumerId a consumer of its peer
     * @return {@link SubmitResult#ACCEPTED}, or {@link SubmitResult#NO_TASK}, also if the producer has its {@linkplain
     *     Pool#share() share} or all its buffers in flight
     * @throws IllegalArgumentException if the producer does not take over the buffers that it sends
     * @throws IllegalStateException if the broadcast has no holder, or if the producer is closed
     * @throws io.github.comch4j.DocaException if DOCA refuses
     * @throws WrongThreadException if another thread owns the producer's engine
     */
    public SubmitResult enqueue(ComchProducer producer, int consumerId) {
        return send(producer, consumerId, false);
    }

    private SubmitResult send(ComchProducer producer, int consumerId, boolean now) {
        producer.context.engine().checkOwner();
        checkHeld(uses.get());
        SubmitResult result = submit(producer, consumerId, now);
        if (!result.accepted()) {
            pool.refused(producer, result);
        }
        return result;
    }

    private SubmitResult submit(ComchProducer producer, int consumerId, boolean now) {
        PeerCopy place = places.get(producer);
        if (place == null || place.buffer.isClosed()) {
            place = acquire(producer);
            if (place == null) {
                return SubmitResult.NO_TASK;
            }
        }
        Buffer buffer = place.buffer;
        if (buffer.isInFlight()) { // is counted, and stays so until its last send has ended
            return now ? producer.trySend(buffer, consumerId) : producer.enqueue(buffer, consumerId);
        }
        if (place.peer.held.get() >= pool.share) {
            return SubmitResult.NO_TASK;
        }
        buffer.setData(0, length);
        begin(place.peer);
        boolean accepted = false;
        try {
            SubmitResult result = now ? producer.trySend(buffer, consumerId) : producer.enqueue(buffer, consumerId);
            accepted = result.accepted();
            return result;
        } finally {
            if (!accepted) {
                end(place.peer);
            }
        }
    }

    private void begin(PeerPlaces peer) {
        peer.held.incrementAndGet();
        uses.addAndGet(IN_FLIGHT);
    }

    private void end(PeerPlaces peer) {
        peer.held.decrementAndGet();
        end(IN_FLIGHT);
    }

    /** Null if all the producer's buffers are in flight. */
    private @Nullable PeerCopy acquire(ComchProducer producer) {
        if (!producer.transfers().releasesSent()) {
            throw new IllegalArgumentException(producer + " must be built with releaseSent() to send broadcasts");
        }
        Buffer buffer;
        try {
            buffer = producer.acquire(pool.memory(), segment);
        } catch (DocaException e) {
            if (e.error() != DocaError.NO_MEMORY) {
                throw e;
            }
            if (!pool.closeIdle(producer)) {
                return null;
            }
            buffer = producer.acquire(pool.memory(), segment);
        }
        BufferState state = CoreObjects.of(buffer);
        pool.peers.keySet().removeIf(ComchProducer::isClosed);
        places.values().removeIf(known -> known.buffer.isClosed()); // of producers that were closed
        PeerPlaces peer = pool.peer(producer);
        state.lentBy(() -> end(peer));
        PeerCopy place = new PeerCopy(buffer, peer);
        places.put(producer, place);
        return place;
    }

    /**
     * Adds a holder.
     *
     * @return this
     * @throws IllegalStateException if the broadcast has no holder
     */
    public Broadcast retain() {
        long now;
        do {
            now = uses.get();
            checkHeld(now);
        } while (!uses.compareAndSet(now, now + HELD));
        return this;
    }

    /**
     * Ends the hold of one holder. This holder must not use the broadcast any more.
     *
     * @throws IllegalStateException if the broadcast has no holder
     */
    public void release() {
        end(HELD);
    }

    private void end(long use) {
        long now;
        do {
            now = uses.get();
            if (use == HELD) {
                checkHeld(now);
            }
        } while (!uses.compareAndSet(now, now - use));
        if (now == use) {
            pool.ended(this);
        }
    }

    private void checkHeld(long now) {
        if ((int) now == 0) {
            throw new IllegalStateException(this + " was released");
        }
    }

    /**
     * Returns the number of producers on which the broadcast is in flight.
     *
     * @return a snapshot
     */
    public int inFlight() {
        return (int) (uses.get() >>> 32);
    }

    /**
     * Returns a description for logs.
     *
     * @return the offset of the place in its map
     */
    @Override
    public String toString() {
        return "broadcast at " + pool.offsetOf(segment) + " of " + pool.memory();
    }

    /**
     * Places in a memory map for payloads that go to many peers, see {@link Broadcast}. Any thread may take a place. A
     * place comes back on the thread on which its last send has ended. Taking and sending allocate nothing once each
     * producer has sent from each place.
     *
     * {@snippet file="Publisher.java" region="publish"}
     *
     * <p>A pool does not have to be closed: its buffers belong to the producers, and are closed with them or with the
     * map.
     */
    public static final class Pool {
        private final MemoryMap memory;
        private final long base; // address
        private final long size;
        private final Broadcast[] all;
        private final ArrayBlockingQueue<Broadcast> free;
        private final Consumer<? super Broadcast> onEnded;
        private final Map<ComchProducer, PeerPlaces> peers = new ConcurrentHashMap<>();
        private volatile int share;
        private volatile Policy policy = Policy.SKIP;

        private Pool(MemoryMap memory, int count, long size, Consumer<? super Broadcast> onEnded) {
            MemorySegment segment = memory.segment();
            this.memory = memory;
            this.base = segment.address();
            this.size = size;
            this.onEnded = onEnded;
            this.all = new Broadcast[count];
            this.free = new ArrayBlockingQueue<>(count);
            this.share = Math.max(1, count / 4);
            for (int i = 0; i < count; i++) {
                all[i] = new Broadcast(this, segment.asSlice(i * size, size));
                free.add(all[i]);
            }
        }

        /**
         * Creates a pool by dividing the beginning of a map into places.
         *
         * @param memory the map, of all devices whose producers send from it
         * @param count the number of places, at least 1
         * @param size the size of each place in bytes, at least 1
         * @return the pool, with all places free
         * @throws IllegalArgumentException if the places do not fit into the map
         * @throws IllegalStateException if the map is closed
         * @throws UnsupportedOperationException if the map is {@linkplain MemoryMap#isRemote() remote}
         */
        public static Pool create(MemoryMap memory, int count, long size) {
            return create(memory, count, size, ended -> {});
        }

        /**
         * Creates a pool as {@link #create(MemoryMap, int, long)} does, with a handler for the end of each broadcast.
         *
         * @param memory the map, of all devices whose producers send from it
         * @param count the number of places, at least 1
         * @param size the size of each place in bytes, at least 1
         * @param onEnded called when all sends of a broadcast have ended and it has no holder, before its place is
         *     free; runs inside {@code progress()} of the engine of the last send, or in the last
         *     {@link Broadcast#release()}
         * @return the pool, with all places free
         * @throws IllegalArgumentException if the places do not fit into the map
         * @throws IllegalStateException if the map is closed
         * @throws UnsupportedOperationException if the map is {@linkplain MemoryMap#isRemote() remote}
         */
        public static Pool create(MemoryMap memory, int count, long size, Consumer<? super Broadcast> onEnded) {
            if (count < 1 || size < 1 || count > memory.size() / size) {
                throw new IllegalArgumentException(count + " places of " + size + " bytes do not fit into " + memory);
            }
            return new Pool(memory, count, size, Objects.requireNonNull(onEnded));
        }

        /**
         * Takes a place. The caller is its only holder.
         *
         * @return the broadcast, without data; null if no place is free or, with {@link Policy#WAIT}, while a peer has
         *     its share in flight: make progress, then try again
         */
        public @Nullable Broadcast tryAcquire() {
            if (policy == Policy.WAIT && peers.values().stream().anyMatch(peer -> peer.held.get() >= share)) {
                return null;
            }
            Broadcast taken = free.poll();
            if (taken != null) {
                taken.begin();
            }
            return taken;
        }

        private PeerPlaces peer(ComchProducer producer) {
            return peers.computeIfAbsent(producer, known -> new PeerPlaces());
        }

        /** Frees a buffer that the producer has on another place. */
        private boolean closeIdle(ComchProducer producer) {
            for (Broadcast other : all) {
                PeerCopy place = other.places.get(producer);
                if (place != null && !place.buffer.isClosed() && !place.buffer.isInFlight()) {
                    place.buffer.close();
                    return true;
                }
            }
            return false;
        }

        private void refused(ComchProducer producer, SubmitResult result) {
            if (policy == Policy.SKIP) {
                peer(producer).missed.incrementAndGet();
            } else if (policy == Policy.DISCONNECT && result == SubmitResult.NO_TASK) {
                producer.connection().disconnect();
            }
        }

        /** All is over with it. */
        void ended(Broadcast broadcast) {
            try {
                onEnded.accept(broadcast);
            } finally {
                free.add(broadcast);
            }
        }

        /**
         * Returns the broadcast that a buffer belongs to, for use in completion handlers.
         *
         * @param buffer a buffer that was sent
         * @return the broadcast; null if the buffer is not on a place of this pool
         */
        public @Nullable Broadcast broadcastOf(Buffer buffer) {
            boolean known = buffer.memory() == memory
                    && buffer.capacity() == size
                    && buffer.offset() % size == 0
                    && buffer.offset() / size < all.length;
            return known ? all[(int) (buffer.offset() / size)] : null;
        }

        /**
         * Returns how many places the pool has.
         *
         * @return the number that the pool was created with
         */
        public int capacity() {
            return all.length;
        }

        /**
         * Returns the number of places from which one producer can have sends in flight. Default: a quarter of the
         * places, at least one. Any thread may call this method.
         *
         * @return places
         */
        public int share() {
            return share;
        }

        /**
         * Sets how many places of the pool one producer, and therefore one peer that stands still, can hold. Any thread
         * may call this method at any time; sends in flight are not affected. A peer that has its share in flight gets
         * no other broadcast, and the {@linkplain #setPolicy policy} determines what happens then. A share equal to the
         * pool's {@link #capacity} is no limit: one peer can then stop all others.
         *
         * @param places 1 to {@link #capacity()}
         * @throws IllegalArgumentException if {@code places} is out of range
         */
        public void setShare(int places) {
            if (places < 1 || places > all.length) {
                throw new IllegalArgumentException(
                        "the share of a peer must be 1 to " + all.length + " places, not " + places);
            }
            share = places;
        }

        /**
         * Returns how the pool handles a peer that is behind. Default: {@link Policy#SKIP}. Any thread may call this
         * method.
         *
         * @return the policy
         */
        public Policy policy() {
            return policy;
        }

        /**
         * Sets how the pool handles a peer that is behind. Any thread may call this method at any time; it affects
         * later sends.
         *
         * <p>After a send with {@link Policy#DISCONNECT}, the producer may be closed
         * ({@link ComchProducer#isClosed()}). The library does not report this in any other way. Other handlers may
         * have run inside the send, because {@link ComchConnection#disconnect()} makes progress outside callbacks.
         *
         * @param newPolicy the policy
         */
        public void setPolicy(Policy newPolicy) {
            policy = Objects.requireNonNull(newPolicy);
        }

        /**
         * Returns how many sends of a producer were not accepted while the policy was {@link Policy#SKIP}. These are
         * the broadcasts that its peer has missed. If a {@code RecordWriter} writes the broadcasts, the peer itself
         * detects the loss, in order, from gaps in their numbers. Any thread may call this method.
         *
         * @param producer a producer
         * @return sends since the producer's first send from this pool; 0 for a producer that has sent nothing or was
         *     closed
         */
        public long missed(ComchProducer producer) {
            PeerPlaces peer = peers.get(producer);
            return peer == null ? 0 : peer.missed.get();
        }

        /**
         * Returns how many places are free.
         *
         * @return a snapshot
         */
        public int available() {
            return free.size();
        }

        /**
         * Returns the greatest length of a payload.
         *
         * @return bytes
         */
        public long size() {
            return size;
        }

        /**
         * Returns the memory map that contains the places.
         *
         * @return the map
         */
        public MemoryMap memory() {
            return memory;
        }

        long offsetOf(MemorySegment place) {
            return place.address() - base;
        }

        /**
         * Returns a description for logs.
         *
         * @return the size of the pool
         */
        @Override
        public String toString() {
            return "pool of " + all.length + " broadcasts of " + size + " bytes";
        }
    }
}
