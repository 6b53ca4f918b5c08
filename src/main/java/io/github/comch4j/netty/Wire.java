package io.github.comch4j.netty;

import io.github.comch4j.DocaException;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.ConnectionClosedException;
import io.github.comch4j.comch.ConnectionState;
import io.github.comch4j.internal.support.window.EndReason;
import io.github.comch4j.internal.support.window.ReceiveWindow;
import io.github.comch4j.internal.support.window.SendWindow;
import io.github.comch4j.internal.support.window.SocketFrames;
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
    private final ArrayDeque<byte[]> frames = new ArrayDeque<>(); // before the program's bytes
    private @Nullable ComchConnection connection;
    private boolean noRoom; // until the engine tells that there is some
    private boolean noWindow; // until the peer tells that it has grown
    private boolean finished; // the peer sends no more
    private boolean over; // the connection has ended
    private boolean discards; // nobody reads any more
    private boolean broken; // bytes are missing in the middle
    private @Nullable IOException failure;

    Wire(Runnable changed, EndpointSettings settings) {
        this.changed = changed;
        this.receives = new ReceiveWindow(settings.receiveBuffer());
        settings(settings);
    }

    /** How much may wait to be read, and what the peer is, from now on. */
    void settings(EndpointSettings settings) {
        plainPeer = settings.plainPeer();
        receives.limit(settings.receiveBuffer());
    }

    /** It is established. A message may arrive before the engine tells. */
    void opened(ComchConnection established) {
        if (connection == null) {
            receives.longestMessage(established.endpoint().maxMessageSize());
            connection = established;
        }
    }

    @Nullable
    ComchConnection connection() {
        return connection;
    }

    // What the engine tells.

    void message(MemorySegment message, ByteBufAllocator allocator) {
        if (!plainPeer && SocketFrames.isFrame(message)) {
            frame(SocketFrames.kind(message), SocketFrames.value(message));
        } else if (finished) {
            return;
        } else if (receives.arrived(message.byteSize())) {
            add(message, allocator);
            if (discards) {
                discard();
            }
            if (!plainPeer && receives.isFirstDue()) {
                addFrame(receives.renew());
            }
        } else {
            cut();
        }
        changed.run();
    }

    private void add(MemorySegment message, ByteBufAllocator allocator) {
        int length = (int) message.byteSize();
        Piece last = arrived.peekLast();
        if (last == null || last.bytes.refCnt() > 1 || last.bytes.maxFastWritableBytes() < length) {
            // nobody is behind with reading as long as there is one piece at most
            last = new Piece(allocator.directBuffer(last == null ? length : Math.max(length, PIECE)));
            arrived.add(last);
        }
        last.bytes.writeBytes(message.asByteBuffer());
        last.cost += SocketFrames.cost(length);
    }

    private void frame(long kind, long value) {
        if (kind == SocketFrames.WINDOW) {
            if (sends.told(value)) {
                addFrame(SocketFrames.make(SocketFrames.OBSERVES, 0));
            }
            noWindow = false;
        } else if (kind == SocketFrames.OBSERVES) {
            receives.observed();
        } else if (kind == SocketFrames.FINISHED) {
            finished = true;
        } else if (kind == SocketFrames.ENDING) {
            failure = new IOException("the peer has ended the connection: " + EndReason.text(value));
        } // else: from a later version, which does not rely on it
    }

    /** The peer has not waited. */
    private void cut() {
        fail(EndReason.text(EndReason.NOT_RECEIVED.code()));
        if (!plainPeer) {
            addFrame(SocketFrames.make(SocketFrames.ENDING, EndReason.NOT_RECEIVED.code()));
        }
    }

    private void fail(String why) {
        failure = new IOException(why);
        broken = true;
        finished = true;
    }

    /** There is room to send again. */
    void room() {
        noRoom = false;
        sendFrames();
        changed.run();
    }

    /** A message that was accepted could not be delivered. */
    void sendFailed(String why) {
        fail("bytes that were sent are lost: " + why);
        changed.run();
    }

    /** The connection has ended. */
    void ended(ConnectionState how) {
        over = true;
        noRoom = false; // so that writes fail
        noWindow = false;
        if (how == ConnectionState.LOST && failure == null) {
            failure = new IOException("the peer has vanished without ending the connection");
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
            noRoom = !Objects.requireNonNull(connection).trySend(bytes).accepted();
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

    private static ClosedChannelException closed(ConnectionClosedException cause) {
        ClosedChannelException closed = new ClosedChannelException();
        closed.initCause(cause);
        return closed;
    }

    /** Whether to wait for {@code changed} before sending more. */
    boolean isBlocked() {
        return noRoom || noWindow;
    }

    /** Sends no more bytes. */
    void finish() {
        if (!plainPeer) {
            addFrame(SocketFrames.make(SocketFrames.FINISHED, 0));
        }
    }

    private void addFrame(byte[] frame) {
        frames.add(frame);
        sendFrames();
    }

    /** Returns whether there are none left. */
    private boolean sendFrames() {
        try {
            while (!frames.isEmpty() && !noRoom && !over) {
                noRoom = !Objects.requireNonNull(connection)
                        .trySend(frames.element())
                        .accepted();
                if (!noRoom) {
                    frames.remove();
                }
            }
        } catch (ConnectionClosedException e) {
            frames.clear(); // its end is reported soon
        }
        return frames.isEmpty() || over;
    }

    /** Whether bytes of the program's cannot be sent as they are, because the peer would take them for a frame. */
    boolean isLikeFrame(ByteBuffer bytes) {
        return !plainPeer
                && bytes.remaining() == SocketFrames.SIZE
                && SocketFrames.isFrame(MemorySegment.ofBuffer(bytes));
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
            addFrame(receives.renew());
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
