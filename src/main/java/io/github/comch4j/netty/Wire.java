package io.github.comch4j.netty;

import io.github.comch4j.DocaException;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.ConnectionClosedException;
import io.github.comch4j.comch.ConnectionState;
import io.github.comch4j.internal.life.ConnectionInside;
import io.github.comch4j.link.EndReason;
import io.github.comch4j.link.Framing;
import io.github.comch4j.link.Loops;
import io.github.comch4j.link.ReceiveWindow;
import io.github.comch4j.link.SendWindow;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A channel's connection: the stream as messages, both ways, and the windows of both ends, in the format of the
 * library's sockets ({@code docs/sockets.md}). Belongs to the loop's thread. What the engine's handlers tell is noted,
 * and the channel {@linkplain Registration#ready looks} when the engine's progress is over.
 */
final class Wire {

    /** Bytes that arrive faster than they are read are put together in pieces of this size. */
    private static final int PIECE = 16 << 10;

    /** From so many bytes in messages of the greatest length, the fast path is worth its memory and the pause. */
    private static final int MUCH = 4 << 20;

    /** A receiver that wants less to wait has no room for eight messages of the fast path. */
    private static final int LEAST_BUFFER = 1 << 20;

    /** How long to wait for what a peer does at once, or says that it does not. */
    private static final long PATIENCE_NANOS = 5_000_000_000L;

    /** Bytes of one or more messages. */
    private static final class Piece {
        final ByteBuf bytes;
        long cost; // as windows count

        Piece(ByteBuf bytes) {
            this.bytes = bytes;
        }
    }

    private final Runnable changed;
    private final Consumer<BooleanSupplier> later;
    private final Supplier<ByteBufAllocator> allocators;
    private final ChannelSettings settings;
    private boolean plainPeer;
    private int longestMessage; // of the control path
    private int full; // messages of the greatest length, that have arrived
    private final ReceiveWindow receives;
    private final SendWindow sends = new SendWindow();
    private final ArrayDeque<Piece> arrived = new ArrayDeque<>();
    private final Framing framing = new Framing(); // unless the peer is plain
    private final ArrayDeque<Frame> frames = new ArrayDeque<>(); // before the program's bytes
    private @Nullable ComchConnection connection;
    private @Nullable ConnectionInside inside; // of it
    private @Nullable BulkPath bulk; // likewise
    private boolean any; // has arrived
    private boolean ending; // the peer was told that it has all, or why not
    private boolean noRoom; // until the engine tells that there is some
    private boolean noWindow; // until the peer tells that it has grown
    private boolean unsent; // something on the fast path was not sent
    private boolean finished; // the peer sends no more
    private boolean closing; // and the peer ends the connection
    private @Nullable ConnectionState end; // of the connection, while the fast path has more of what had arrived
    private boolean over; // the connection has ended, and all is here
    private boolean discards; // nobody reads any more
    private boolean broken; // bytes are missing in the middle
    private @Nullable IOException failure;

    /** A message of the transport's own. */
    private record Frame(int kind, ByteBuffer number) {}

    /** {@code later} tries again after each progress, as long as what it is given returns false. */
    Wire(
            Runnable changed,
            Consumer<BooleanSupplier> later,
            Supplier<ByteBufAllocator> allocators,
            ChannelSettings settings) {
        this.changed = changed;
        this.later = later;
        this.allocators = allocators;
        this.settings = settings;
        this.receives = new ReceiveWindow(settings.receiveBuffer());
        settingsChanged();
    }

    /** How much may wait to be read, and what the peer is, from now on. */
    void settingsChanged() {
        plainPeer = settings.plainPeer();
        receives.limit(settings.receiveBuffer());
    }

    /** It is established. */
    void opened(ComchConnection established) {
        longestMessage = established.endpoint().maxMessageSize();
        receives.longestMessage(longestMessage);
        connection = established;
        inside = Loops.insideOf(established);
        bulk = new BulkPath(this, established);
    }

    @Nullable
    ComchConnection connection() {
        return connection;
    }

    // What the engine tells.

    void message(MemorySegment message) {
        if (failure != null) {
            return; // what comes now is of no use
        }
        if (plainPeer) {
            plain(message);
        } else {
            framed(message);
        }
        changed.run();
    }

    private void plain(MemorySegment message) {
        if (!any && Framing.isFirst(message)) {
            cut(EndReason.NOT_FRAMED, "");
        } else {
            any = true;
            data(message, 0);
        }
    }

    private void framed(MemorySegment message) {
        switch (framing.arrived(message)) {
            case Framing.DATA -> data(message, Framing.HEADER);
            case Framing.WINDOW -> {
                if (sends.told(Framing.value(message))) {
                    addFrame(Framing.OBSERVES, 0);
                }
                noWindow = false;
            }
            case Framing.OBSERVES -> receives.observed();
            case Framing.FINISHED -> finished = true;
            case Framing.CLOSED -> {
                finished = true;
                closing = true;
            }
            case Framing.OFFERS -> {
                Objects.requireNonNull(bulk).offered(settings.endsStalled() ? 0 : Framing.value(message));
                sendFrames();
            }
            case Framing.MOVES -> Objects.requireNonNull(bulk).receive();
            case Framing.ENDING -> {
                failure =
                        new IOException("the peer has ended the connection: " + EndReason.text(Framing.value(message)));
                finished = true;
            }
            case Framing.FAULT -> cut(framing.fault(), framing.details());
            default -> {} // from a later version, which does not rely on it
        }
    }

    private void data(MemorySegment message, int from) {
        if (!receives.arrived(message.byteSize() - from)) {
            cut(EndReason.NOT_RECEIVED, "");
            broken = true; // nobody reads
            return;
        }
        add(message, from);
        if (discards) {
            discard();
        }
        if (!plainPeer && receives.isFirstDue()) {
            addFrame(Framing.WINDOW, receives.renew());
        }
        if (message.byteSize() == longestMessage && ++full == MUCH / longestMessage && !plainPeer) {
            offer(Objects.requireNonNull(bulk).receivable());
        }
    }

    private void offer(int longest) {
        if (longest > longestMessage && settings.receiveBuffer() >= LEAST_BUFFER) {
            receives.longestMessage(longest);
            addFrame(Framing.OFFERS, longest);
        }
    }

    /** The peer has asked for a consumer, and there is none. */
    void noConsumer() {
        addFrame(Framing.OFFERS, 0);
    }

    private void add(MemorySegment message, int from) {
        int length = (int) message.byteSize() - from;
        Piece last = arrived.peekLast();
        if (last == null || last.bytes.refCnt() > 1 || last.bytes.maxFastWritableBytes() < length) {
            // nobody is behind with reading as long as there is one piece at most
            last = new Piece(allocators.get().directBuffer(last == null ? length : Math.max(length, PIECE)));
            arrived.add(last);
        }
        last.bytes.writeBytes(message.asByteBuffer().position(from));
        last.cost += Framing.cost(length);
    }

    /** Nothing that arrives is taken from now on: the channel ends when what had arrived was read. */
    private void cut(EndReason why, String details) {
        failure = new IOException(why.text() + details);
        finished = true;
        end(Framing.ENDING, why.code());
    }

    /** There is room to send again. */
    void room() {
        noRoom = false;
        sendFrames();
        changed.run();
    }

    /** What was sent, or was to be, does not arrive, and nothing after it may. */
    void sendFailed(String why) {
        cut(EndReason.NOT_SENT, " (" + why + ")");
        broken = true;
        changed.run();
    }

    /** Likewise, on the fast path. A peer that ends the connection ends its consumer first: then that is all. */
    void bulkSendFailed(String why) {
        if (unsent || over) {
            return;
        }
        unsent = true;
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        later.accept(() -> {
            boolean ends = over || closing || failure != null;
            if (!ends && System.nanoTime() - deadline < 0) {
                return false;
            }
            if (!ends) {
                sendFailed(why);
            }
            return true;
        });
    }

    /** What was sent on the fast path has perhaps gone with it. */
    void receiveFailed(String why) {
        if (failure == null) {
            cut(EndReason.MISSING, " (" + why + ")");
            changed.run();
        }
    }

    /** The connection has ended. */
    void ended(ConnectionState how) {
        if (bulk != null && bulk.isReceiving()) {
            end = how;
            return;
        }
        over = true;
        noRoom = false; // so that writes fail
        noWindow = false;
        unsent = false;
        if (failure == null && how == ConnectionState.LOST) {
            failure = new IOException("the peer has vanished without ending the connection");
        } else if (failure == null && !plainPeer && !finished && connection != null) {
            failure = new IOException("the connection has ended before the peer said that it had sent all");
        }
        changed.run();
    }

    /** A client's context is idle: it was refused, or its connection has ended. */
    void idle() {
        if (!over && end == null) {
            ended(ConnectionState.CLOSED);
        }
    }

    /** The fast path brings no more. */
    void drained() {
        ConnectionState how = end;
        if (how != null) {
            end = null;
            ended(how);
        }
    }

    // The way to the fast path.

    /** Asks for the peer's consumer, if one is offered. Returns whether it does. */
    private boolean move() {
        BulkPath path = Objects.requireNonNull(bulk);
        if (!path.isOffered()) {
            return false;
        }
        noRoom = !send(Framing.MOVES, ByteBuffer.wrap(Framing.number(0)));
        if (noRoom) {
            return true; // again when there is
        }
        path.moves();
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        later.accept(() -> {
            if (isMoving() && System.nanoTime() - deadline < 0) {
                return false;
            }
            stay();
            return true;
        });
        return true;
    }

    /** The peer has a consumer. */
    void consumer(int id) {
        if (isMoving()) {
            Objects.requireNonNull(bulk).send(id);
            go();
        }
    }

    /** Waits no longer for it: messages go on. */
    private void stay() {
        if (isMoving()) {
            Objects.requireNonNull(bulk).offered(0);
            go();
        }
    }

    private void go() {
        sendFrames();
        changed.run();
    }

    // What the channel does.

    /** Sends bytes, if there is room; otherwise there will be a call of {@code changed}. */
    boolean trySend(ByteBuffer bytes) throws IOException {
        if (over) { // before the window is looked at, which does not grow any more
            throw new ClosedChannelException();
        }
        if (isBlocked() || !sendFrames()) {
            return false;
        }
        int length = bytes.remaining();
        if (!sends.allows(length)) {
            noWindow = true;
            return false;
        }
        try {
            if (move()) {
                return false;
            }
            noRoom = plainPeer
                    ? !Objects.requireNonNull(connection).trySend(bytes).accepted()
                    : !send(Framing.DATA, bytes);
        } catch (ConnectionClosedException e) {
            if (e.state() == ConnectionState.OPEN) {
                noRoom = true; // its end is reported soon
                return false;
            }
            throw closed(e);
        } catch (DocaException e) {
            throw new IOException(e.getMessage(), e);
        }
        if (!noRoom) {
            sends.sent(length);
        }
        return !noRoom;
    }

    private boolean send(int kind, ByteBuffer bytes) {
        long header = framing.header(kind);
        BulkPath path = Objects.requireNonNull(bulk);
        boolean sent = path.longest() > 0
                ? path.trySend(header, bytes)
                : Objects.requireNonNull(inside).trySend(header, bytes);
        if (sent) {
            framing.sent(kind);
        }
        return sent;
    }

    private static ClosedChannelException closed(ConnectionClosedException cause) {
        ClosedChannelException closed = new ClosedChannelException();
        closed.initCause(cause);
        return closed;
    }

    /** Whether to wait for {@code changed} before sending more. */
    boolean isBlocked() {
        return noRoom || noWindow || unsent || isMoving() || end != null;
    }

    private boolean isMoving() {
        return bulk != null && bulk.isMoving() && !over;
    }

    /**
     * Sends no more bytes, and tells the peer so.
     *
     * @param all whether all that was to be sent was
     * @param closes whether the connection ends now
     */
    void finish(boolean all, boolean closes) {
        if (!all) {
            end(Framing.ENDING, EndReason.NOT_SENT.code());
        } else if (failure == null) {
            end(closes ? Framing.CLOSED : Framing.FINISHED, framing.dataSent());
        }
    }

    private void end(int kind, long number) {
        if (!plainPeer && !ending && connection != null) {
            ending = true;
            addFrame(kind, number);
        }
    }

    /** The longest message of the program's bytes. */
    int longest() {
        return plainPeer
                ? longestMessage
                : Math.max(longestMessage, Objects.requireNonNull(bulk).longest()) - Framing.HEADER;
    }

    private void addFrame(int kind, long number) {
        frames.add(new Frame(kind, ByteBuffer.wrap(Framing.number(number))));
        sendFrames();
    }

    /** Returns whether there are none left. */
    boolean sendFrames() {
        try {
            while (!frames.isEmpty() && !noRoom && !unsent && !isMoving() && !over) {
                Frame next = frames.element();
                noRoom = !send(next.kind, next.number);
                if (!noRoom) {
                    frames.remove();
                }
            }
        } catch (ConnectionClosedException e) {
            frames.clear(); // its end is reported soon
        }
        return (frames.isEmpty() && !isMoving()) || over;
    }

    /** Whether the peer's device has all that was sent, or the connection has ended. */
    boolean isEmptied() {
        ComchConnection mine = connection;
        return over
                || unsent
                || mine == null
                || !mine.isOpen()
                || (sendFrames()
                        && Objects.requireNonNull(inside).taken() >= mine.sent() - mine.failed()
                        && Objects.requireNonNull(bulk).isEmptied());
    }

    boolean hasArrivals() {
        return !arrived.isEmpty();
    }

    /** The next bytes, which belong to the caller, at most so many; null if there are none. */
    @Nullable
    ByteBuf next(int most) {
        Piece piece = arrived.peek();
        if (piece == null) {
            return null;
        }
        if (piece.bytes.readableBytes() > most) {
            return piece.bytes.readRetainedSlice(most);
        }
        arrived.remove();
        received(piece);
        return piece.bytes;
    }

    private void received(Piece piece) {
        if (receives.received(piece.cost) && !plainPeer && !over) {
            addFrame(Framing.WINDOW, receives.renew());
        }
    }

    /** Whether the peer sends no more, after what {@link #next} gives. */
    boolean isFinished() {
        return finished || over;
    }

    /** Whether the connection has ended. */
    boolean isOver() {
        return over;
    }

    /** Why bytes are missing; null if none are, as far as is known. */
    @Nullable
    IOException failure() {
        return failure;
    }

    /** Whether this end has a reason to end the connection at once. */
    boolean isBroken() {
        return broken;
    }

    /** Nobody reads any more: what arrives, and has arrived, is thrown away. */
    void discard() {
        discards = true;
        for (Piece piece = arrived.poll(); piece != null; piece = arrived.poll()) {
            received(piece);
            piece.bytes.release();
        }
    }
}
