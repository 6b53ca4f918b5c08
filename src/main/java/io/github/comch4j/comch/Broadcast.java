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
 * One payload that is sent to many peers out of one place in memory, without a copy for each. Each producer has a
 * buffer of its own on that place ({@code doca_buf}), made at its first send and used again.
 *
 * <p>A broadcast that was {@linkplain Pool#tryAcquire() acquired} has one holder. {@link #release()} ends that;
 * when it has no holder left, and nothing is in flight any more, it has ended: the pool calls its handler, and the
 * place is free again. Who hands it to other threads, whose engines other producers run on, calls
 * {@link #retain()} for each, and each of them {@link #release()}.
 *
 * <p>A send that failed counts as ended, too; the producer's completion handler learns of it
 * ({@link Pool#broadcastOf}). What is not accepted is not in flight: try again, or go on without that peer.
 *
 * <p>A peer that stands still keeps what is in flight to it. So each producer may have sends in flight from its
 * {@linkplain Pool#share() share} of the places and no more, however many receives its peer has posted: the other
 * places are left to the other peers. What happens when a peer has no room the pool's {@link Policy} says.
 *
 * <p>{@link #trySend} and {@link #enqueue} belong to the producer's thread; all else may be called by any.
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
    private record PeerCopy(Buffer buffer, Peer peer) {}

    /** What a pool counts for each producer. */
    private static final class Peer {
        private final AtomicInteger held = new AtomicInteger(); // places with sends in flight
        private final AtomicLong missed = new AtomicLong();
    }

    /** What a {@linkplain Pool#setPolicy pool} does about a peer that is behind. */
    public enum Policy {
        /**
         * The peer misses what it has no room for, and all others get it at the full rate. A send that is not accepted,
         * for whatever reason, is counted ({@link Pool#missed}).
         */
        SKIP,
        /**
         * The first send that finds the peer with its share in flight, or with all tasks of its producer, ends the
         * peer's connection ({@link ComchConnection#disconnect()}), and is not accepted. For servers of DOCA 2.7 and
         * later.
         */
        DISCONNECT,
        /**
         * All wait, and nobody misses anything: while a peer has its share in flight, {@link Pool#tryAcquire()} gives
         * no place. What is not accepted all the same, as the producer has no task or, for {@link #trySend}, the peer
         * no receive, is the program's to try again.
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
     * The place, to write in. To be left alone from the first send on.
     *
     * @return {@link Pool#size()} bytes; the same object each time
     * @throws IllegalStateException if it has no holder
     */
    public MemorySegment segment() {
        checkHeld(uses.get());
        return segment;
    }

    /**
     * Says how much was written. Before the first send.
     *
     * @param newLength bytes from the beginning
     * @return this
     * @throws IndexOutOfBoundsException if that is more than there is
     * @throws IllegalStateException if it has no holder
     */
    public Broadcast commit(long newLength) {
        Objects.checkFromIndexSize(0, newLength, segment.byteSize());
        checkHeld(uses.get());
        length = newLength;
        return this;
    }

    /**
     * Sends it to one consumer, as {@link ComchProducer#trySend(Buffer, int)} does. May be called several times with
     * the same producer, for several consumers of its peer.
     *
     * @param producer with {@link ComchProducer.Builder#releaseSent()}
     * @param consumerId a consumer of its peer
     * @return {@link SubmitResult#ACCEPTED}, or what there is none of: nothing is in flight then.
     *     {@link SubmitResult#NO_TASK} also if the producer has its {@linkplain Pool#share() share} in flight, or all
     *     its buffers
     * @throws IllegalArgumentException if the producer does not take over what it sends
     * @throws IllegalStateException if it has no holder, or if the producer is closed
     * @throws io.github.comch4j.DocaException if DOCA refuses
     * @throws WrongThreadException if another thread owns the producer's engine
     */
    public SubmitResult trySend(ComchProducer producer, int consumerId) {
        return send(producer, consumerId, true);
    }

    /**
     * Queues it to be sent to one consumer, as {@link ComchProducer#enqueue(Buffer, int)} does.
     *
     * @param producer with {@link ComchProducer.Builder#releaseSent()}
     * @param consumerId a consumer of its peer
     * @return {@link SubmitResult#ACCEPTED}, or {@link SubmitResult#NO_TASK}, also if the producer has its
     *     {@linkplain Pool#share() share} in flight, or all its buffers
     * @throws IllegalArgumentException if the producer does not take over what it sends
     * @throws IllegalStateException if it has no holder, or if the producer is closed
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

    private void begin(Peer peer) {
        peer.held.incrementAndGet();
        uses.addAndGet(IN_FLIGHT);
    }

    private void end(Peer peer) {
        peer.held.decrementAndGet();
        end(IN_FLIGHT);
    }

    /** Null if all the producer's buffers are in flight. */
    private @Nullable PeerCopy acquire(ComchProducer producer) {
        if (!producer.transfers().releasesSent()) {
            throw new IllegalArgumentException(producer + " has no releaseSent(): nobody would learn of the end");
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
        Peer peer = pool.peer(producer);
        state.lentBy(() -> end(peer));
        PeerCopy place = new PeerCopy(buffer, peer);
        places.put(producer, place);
        return place;
    }

    /**
     * Adds a holder.
     *
     * @return this
     * @throws IllegalStateException if it has no holder
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
     * Ends the hold of one holder, who must not use it any more.
     *
     * @throws IllegalStateException if it has no holder
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
     * On how many producers it is in flight.
     *
     * @return a snapshot
     */
    public int inFlight() {
        return (int) (uses.get() >>> 32);
    }

    /**
     * For logs.
     *
     * @return where it is
     */
    @Override
    public String toString() {
        return "broadcast at " + pool.offsetOf(segment) + " of " + pool.memory();
    }

    /**
     * Places in a memory map for payloads that go to many peers: see {@link Broadcast}. Any thread may take one, and a
     * place comes back on whichever thread the last send has ended. Taking and sending allocate nothing once each
     * producer has sent from each place.
     *
     * {@snippet file="Publisher.java" region="publish"}
     *
     * <p>There is nothing to close: the buffers are of the producers, and closed with them or with the map.
     */
    public static final class Pool {
        private final MemoryMap memory;
        private final long base; // address
        private final long size;
        private final Broadcast[] all;
        private final ArrayBlockingQueue<Broadcast> free;
        private final Consumer<? super Broadcast> onEnded;
        private final Map<ComchProducer, Peer> peers = new ConcurrentHashMap<>();
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
         * Divides the beginning of a map into places.
         *
         * @param memory the map, of all devices whose producers send from it
         * @param count how many, at least 1
         * @param size bytes of each, at least 1
         * @return the pool, all free
         * @throws IllegalArgumentException if they do not fit into the map
         * @throws IllegalStateException if the map is closed
         * @throws UnsupportedOperationException if the map is {@linkplain MemoryMap#isRemote() remote}
         */
        public static Pool create(MemoryMap memory, int count, long size) {
            return create(memory, count, size, ended -> {});
        }

        /**
         * As {@link #create(MemoryMap, int, long)}, and tells the end of each broadcast.
         *
         * @param memory the map, of all devices whose producers send from it
         * @param count how many, at least 1
         * @param size bytes of each, at least 1
         * @param onEnded called when all sends of a broadcast have ended and it has no holder any more, before its
         *     place is free: inside {@code progress()} of the engine of the last send, or in the last
         *     {@link Broadcast#release()}
         * @return the pool, all free
         * @throws IllegalArgumentException if they do not fit into the map
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
         * Takes a place, with the caller as its one holder.
         *
         * @return the broadcast, without data; null if none is free, or with {@link Policy#WAIT} while a peer has its
         *     share in flight: progress, then try again
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

        private Peer peer(ComchProducer producer) {
            return peers.computeIfAbsent(producer, known -> new Peer());
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
         * The broadcast that a buffer is of, for completion handlers.
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
         * How many places it has.
         *
         * @return the number it was made with
         */
        public int capacity() {
            return all.length;
        }

        /**
         * From how many places a producer can have sends in flight. Default: a quarter of the places, at least one.
         * Any thread may ask.
         *
         * @return places
         */
        public int share() {
            return share;
        }

        /**
         * Bounds what one producer, and so one peer that stands still, can hold of the pool. Any thread may set it, at
         * any time: what is in flight goes on. A peer that has its share in flight gets no other broadcast; the
         * {@linkplain #setPolicy policy} says what happens then. With the pool's {@link #capacity} there is no bound,
         * and one peer can stop all.
         *
         * @param places 1 to {@link #capacity()}
         * @throws IllegalArgumentException if it is out of range
         */
        public void setShare(int places) {
            if (places < 1 || places > all.length) {
                throw new IllegalArgumentException("a share of " + places + " places of a " + this);
            }
            share = places;
        }

        /**
         * What is done about a peer that is behind. Default: {@link Policy#SKIP}. Any thread may ask.
         *
         * @return the policy
         */
        public Policy policy() {
            return policy;
        }

        /**
         * Chooses what is done about a peer that is behind. Any thread may set it, at any time, for sends to come.
         *
         * <p>After a send with {@link Policy#DISCONNECT} the producer may be closed
         * ({@link ComchProducer#isClosed()}): nobody else tells the program, and other handlers may have run inside the
         * send, as {@link ComchConnection#disconnect()} makes progress outside of callbacks.
         *
         * @param newPolicy the policy
         */
        public void setPolicy(Policy newPolicy) {
            policy = Objects.requireNonNull(newPolicy);
        }

        /**
         * How many sends of a producer were not accepted while the policy was {@link Policy#SKIP}: what its peer has
         * missed. The peer itself hears of it, in order, where broadcasts are written by a
         * {@code RecordWriter}: their numbers have gaps. Any thread may ask.
         *
         * @param producer a producer
         * @return since its first send from this pool; 0 for one that has sent nothing, or was closed
         */
        public long missed(ComchProducer producer) {
            Peer peer = peers.get(producer);
            return peer == null ? 0 : peer.missed.get();
        }

        /**
         * How many places are free.
         *
         * @return a snapshot
         */
        public int available() {
            return free.size();
        }

        /**
         * How long a payload can be.
         *
         * @return bytes
         */
        public long size() {
            return size;
        }

        /**
         * What the places are on.
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
         * For logs.
         *
         * @return its size
         */
        @Override
        public String toString() {
            return "pool of " + all.length + " broadcasts of " + size + " bytes";
        }
    }
}
