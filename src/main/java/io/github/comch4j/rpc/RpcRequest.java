package io.github.comch4j.rpc;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A call at the server, as its handler sees it. Any thread may use it, unless said otherwise. */
public final class RpcRequest {
    private final int method;
    private final long begin;
    private final long timeout;
    private final Map<String, String> metadata;
    private volatile byte @Nullable [] body; // null: it is in a message still
    private @Nullable MemorySegment message; // in the loop, while the handler runs; as the next ones
    private long at;
    private int length;
    private volatile boolean cancelled;

    // guarded by this
    private @Nullable Runnable onCancelled;
    private @Nullable Thread handling; // of a handler that is interrupted
    private boolean interrupted;
    private @Nullable Map<String, String> responseMetadata;

    private RpcRequest(
            int method, byte @Nullable [] body, @Nullable Map<String, String> metadata, long begin, long timeout) {
        this.method = method;
        this.body = body;
        this.metadata = metadata == null ? Map.of() : metadata;
        this.begin = begin;
        this.timeout = timeout;
    }

    static RpcRequest of(int method, byte[] body, @Nullable Map<String, String> metadata, long begin, long timeout) {
        return new RpcRequest(method, body, metadata, begin, timeout);
    }

    /** Of which the body is still in the frame at {@code at}: until {@link #detach}. */
    static RpcRequest in(MemorySegment message, long at, int part, @Nullable Map<String, String> metadata, long begin) {
        RpcRequest request =
                new RpcRequest(Frames.value(message, at), null, metadata, begin, Frames.extra(message, at));
        request.message = message;
        request.at = at + Frames.HEADER;
        request.length = part;
        return request;
    }

    /** The message is going to have other contents. */
    void detach() {
        message = null;
    }

    /** When it was there, by {@link System#nanoTime()}. */
    long begin() {
        return begin;
    }

    /**
     * Which method is called.
     *
     * @return the number that the client has given
     */
    public int method() {
        return method;
    }

    /**
     * What the client has sent.
     *
     * @return the handler's own array
     * @throws IllegalStateException if the handler runs in the loop, has returned, and has not asked before
     */
    public byte[] body() {
        byte[] mine = body;
        if (mine == null) {
            mine = view().toArray(ValueLayout.JAVA_BYTE);
            body = mine;
        }
        return mine;
    }

    /**
     * What the client has sent, to be read only; without a copy if the handler runs in the loop, and it has come in one
     * message, or in one slot of the fast path.
     *
     * @return the body; if the handler runs in the loop, memory that has other contents once the handler has returned
     * @throws IllegalStateException if the handler runs in the loop, has returned, and has not asked for the
     *     {@linkplain #body() body} before
     */
    public MemorySegment segment() {
        byte[] mine = body;
        return (mine == null ? view() : MemorySegment.ofArray(mine)).asReadOnly();
    }

    private MemorySegment view() {
        MemorySegment whole = message;
        if (whole == null) {
            throw new IllegalStateException("the handler of this request has returned");
        }
        return whole.asSlice(at, length);
    }

    /**
     * What the client has put beside its request: {@link RpcCall#metadata}.
     *
     * @return keys and values; none if there are none
     */
    public Map<String, String> metadata() {
        return metadata;
    }

    /**
     * Has something go with the response, or with the failure, for the client to know:
     * {@link RpcResponse#metadata()}.
     *
     * @param key not empty; one that is there already is replaced
     * @param value any text
     * @throws IllegalArgumentException if it is more than 2048 bytes together, in UTF-8 and with four more for each
     *     pair, or the key is empty
     */
    public synchronized void putResponseMetadata(String key, String value) {
        responseMetadata = Metadata.with(responseMetadata, key, value);
    }

    /** As {@link Metadata} writes it. */
    synchronized byte[] responseMetadata() {
        return Metadata.write(responseMetadata);
    }

    /**
     * How long the client still waits.
     *
     * @return zero or less if it does not
     */
    public Duration remaining() {
        return Duration.ofNanos(left());
    }

    private long left() {
        return timeout - (System.nanoTime() - begin);
    }

    boolean isLate() {
        return left() <= 0;
    }

    /**
     * Whether the client does not wait any more: it has cancelled the call, or has waited long enough, or its
     * connection has ended. What the handler returns is not sent then. The handler goes on; its thread is interrupted
     * only if the method is {@linkplain RpcServer.Builder#interruptible interruptible}.
     *
     * @return whether to stop
     */
    public boolean isCancelled() {
        return cancelled;
    }

    /**
     * Whether the client still waits: the call is not {@linkplain #isCancelled cancelled}, and there is
     * {@linkplain #remaining time} left. A handler that works for long asks between its steps.
     *
     * @return whether to go on
     */
    public boolean isWanted() {
        return !cancelled && !isLate();
    }

    /**
     * Has something done once the call {@linkplain #isCancelled is cancelled}.
     *
     * @param action runs in the server's loop, and must not block it; at once if the call is cancelled already
     * @throws IllegalStateException if there is one already, which this one would silently take the place of
     */
    public void onCancelled(Runnable action) {
        Objects.requireNonNull(action, "onCancelled");
        synchronized (this) {
            if (onCancelled != null) {
                throw new IllegalStateException("onCancelled of the " + this + " is set already");
            }
            if (!cancelled) {
                onCancelled = action;
                return;
            }
        }
        action.run();
    }

    void cancel() {
        @Nullable Runnable action;
        synchronized (this) {
            cancelled = true;
            action = onCancelled;
            onCancelled = null;
            if (handling != null) {
                interrupted = true;
                handling.interrupt();
            }
        }
        if (action != null) {
            action.run();
        }
    }

    /**
     * The calling thread handles it, and is interrupted if it is cancelled and {@code interruptible}. Returns false if
     * it is cancelled already.
     */
    synchronized boolean beginHandling(boolean interruptible) {
        if (!cancelled && interruptible) {
            handling = Thread.currentThread();
        }
        return !cancelled;
    }

    /** The calling thread has handled it: what it does next is not interrupted for this call. */
    synchronized void endHandling() {
        handling = null;
        if (interrupted) {
            Thread.interrupted();
        }
    }

    /**
     * For logs.
     *
     * @return the method
     */
    @Override
    public String toString() {
        return "request of method " + method;
    }
}
