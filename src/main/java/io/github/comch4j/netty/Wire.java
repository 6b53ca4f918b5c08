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
import org.jspecify.annotations.Nullable;

/**
 * A channel's connection: the stream as messages, both ways, and the windows of both ends, in the format of the
 * library's sockets ({@code docs/sockets.md}). Belongs to the loop's thread. What the engine's handlers tell is noted,
 * and the channel {@linkplain Registration#ready looks} when the engine's progress is over.
 */
final class Wire {

    /** Bytes that arrive faster than they are read are put together in pieces of this size. */
    private static final int PIECE = 16 << 10;

    /** Bytes of one or more messages. */
    private static final class Piece {
        final ByteBuf bytes;
        long cost; // as windows count

        Piece(ByteBuf bytes) {
            this.bytes = bytes;
        }
    }

    private final Runnable changed;
    private boolean plainPeer;
    private final ReceiveWindow receives;
    private final SendWindow sends = new SendWindow();
    private final ArrayDeque<Piece> arrived = new ArrayDeque<>();
    private final Framing framing = new Framing(); // unless the peer is plain
    private final ArrayDeque<Frame> frames = new ArrayDeque<>(); // before the program's bytes
    private @Nullable ComchConnection connection;
    private @Nullable ConnectionInside inside; // of it
    private boolean any; // has arrived
    private boolean ending; // the peer was told that it has all, or why not
    private boolean noRoom; // until the engine tells that there is some
    private boolean noWindow; // until the peer tells that it has grown
    private boolean finished; // the peer sends no more
    private boolean over; // the connection has ended
    private boolean discards; // nobody reads any more
    private boolean broken; // bytes are missing in the middle
    private @Nullable IOException failure;

    /** A message of the transport's own. */
    private record Frame(int kind, byte[] number) {}

    Wire(Runnable changed, ChannelSettings settings) {
        this.changed = changed;
        this.receives = new ReceiveWindow(settings.receiveBuffer());
        settings(settings);
    }

    /** How much may wait to be read, and what the peer is, from now on. */
    void settings(ChannelSettings settings) {
        plainPeer = settings.plainPeer();
        receives.limit(settings.receiveBuffer());
    }

    /** It is established. */
    void opened(ComchConnection established) {
        receives.longestMessage(established.endpoint().maxMessageSize());
        connection = established;
        inside = Loops.insideOf(established);
    }

    @Nullable
    ComchConnection connection() {
        return connection;
    }

    // What the engine tells.

    void message(MemorySegment message, ByteBufAllocator allocator) {
        if (failure != null) {
            return; // what comes now is of no use
        }
        if (plainPeer) {
            plain(message, allocator);
        } else {
            framed(message, allocator);
        }
        changed.run();
    }

    private void plain(MemorySegment message, ByteBufAllocator allocator) {
        if (!any && Framing.isFirst(message)) {
            cut(EndReason.NOT_FRAMED, "");
        } else {
            any = true;
            data(message, 0, allocator);
        }
    }

    private void framed(MemorySegment message, ByteBufAllocator allocator) {
        switch (framing.arrived(message)) {
            case Framing.DATA -> data(message, Framing.HEADER, allocator);
            case Framing.WINDOW -> {
                if (sends.told(Framing.value(message))) {
                    addFrame(Framing.OBSERVES, 0);
                }
                noWindow = false;
            }
            case Framing.OBSERVES -> receives.observed();
            case Framing.FINISHED, Framing.CLOSED -> finished = true;
            case Framing.ENDING -> {
                failure =
                        new IOException("the peer has ended the connection: " + EndReason.text(Framing.value(message)));
                finished = true;
            }
            case Framing.FAULT -> cut(framing.fault(), framing.details());
            default -> {} // from a later version, which does not rely on it
        }
    }

    private void data(MemorySegment message, int from, ByteBufAllocator allocator) {
        if (!receives.arrived(message.byteSize() - from)) {
            cut(EndReason.NOT_RECEIVED, "");
            broken = true; // nobody reads
            return;
        }
        add(message, from, allocator);
        if (discards) {
            discard();
        }
        if (!plainPeer && receives.isFirstDue()) {
            addFrame(Framing.WINDOW, receives.renew());
        }
    }

    private void add(MemorySegment message, int from, ByteBufAllocator allocator) {
        int length = (int) message.byteSize() - from;
        Piece last = arrived.peekLast();
        if (last == null || last.bytes.refCnt() > 1 || last.bytes.maxFastWritableBytes() < length) {
            // nobody is behind with reading as long as there is one piece at most
            last = new Piece(allocator.directBuffer(last == null ? length : Math.max(length, PIECE)));
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

    /** The connection has ended. */
    void ended(ConnectionState how) {
        over = true;
        noRoom = false; // so that writes fail
        noWindow = false;
        if (failure == null && how == ConnectionState.LOST) {
            failure = new IOException("the peer has vanished without ending the connection");
        } else if (failure == null && !plainPeer && !finished && connection != null) {
            failure = new IOException("the connection has ended before the peer said that it had sent all");
        }
        changed.run();
    }

    /** A client's context is idle: it was refused, or its connection has ended. */
    void idle() {
        if (!over) {
            ended(ConnectionState.CLOSED);
        }
    }

    // What the channel does.

    /** Sends bytes, if there is room; otherwise there will be a call of {@code changed}. */
    boolean trySend(ByteBuffer bytes) throws IOException {
        if (over) { // before the window is looked at, which does not grow any more
            throw new ClosedChannelException();
        }
        if (noRoom || noWindow || !sendFrames()) {
            return false;
        }
        int length = bytes.remaining();
        if (!sends.allows(length)) {
            noWindow = true;
            return false;
        }
        try {
            noRoom = plainPeer
                    ? !Objects.requireNonNull(connection).trySend(bytes).accepted()
                    : !Objects.requireNonNull(inside).trySend(framing.header(Framing.DATA), bytes);
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
            framing.sent(Framing.DATA);
        }
        return !noRoom;
    }

    private static ClosedChannelException closed(ConnectionClosedException cause) {
        ClosedChannelException closed = new ClosedChannelException();
        closed.initCause(cause);
        return closed;
    }

    /** Whether to wait for {@code changed} before sending more. */
    boolean isBlocked() {
        return noRoom || noWindow;
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
    int longest(int message) {
        return plainPeer ? message : message - Framing.HEADER;
    }

    private void addFrame(int kind, long number) {
        frames.add(new Frame(kind, Framing.number(number)));
        sendFrames();
    }

    /** Returns whether there are none left. */
    boolean sendFrames() {
        try {
            while (!frames.isEmpty() && !noRoom && !over) {
                Frame next = frames.element();
                noRoom = !Objects.requireNonNull(inside).trySend(framing.header(next.kind), next.number);
                if (!noRoom) {
                    framing.sent(next.kind);
                    frames.remove();
                }
            }
        } catch (ConnectionClosedException e) {
            frames.clear(); // its end is reported soon
        }
        return frames.isEmpty() || over;
    }

    /** Whether the peer's device has all that was sent, or the connection has ended. */
    boolean isEmptied() {
        ComchConnection mine = connection;
        return over
                || mine == null
                || !mine.isOpen()
                || (sendFrames() && Objects.requireNonNull(inside).taken() >= mine.sent() - mine.failed());
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
