package io.github.comch4j.rpc;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A call as the server's handler sees it. Any thread may use it, except where a method restricts this. */
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
     * Returns the method that the client calls.
     *
     * @return the number that the client passed
     */
    public int method() {
        return method;
    }

    /**
     * Returns the body of the request.
     *
     * @return an array that belongs to the handler
     * @throws IllegalStateException if the handler runs in the loop and has returned, and this method was not called
     *     before that
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
     * Returns the body of the request as read-only memory. There is no copy if the handler runs in the loop and the
     * body arrived in one message or in one slot of the fast path.
     *
     * @return the body; if the handler runs in the loop, this memory is reused after the handler has returned
     * @throws IllegalStateException if the handler runs in the loop and has returned, and {@link #body() body()} was
     *     not called before that
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
     * Returns the metadata that the client added with {@link RpcCall#metadata}.
     *
     * @return keys and values; empty if there are none
     */
    public Map<String, String> metadata() {
        return metadata;
    }

    /**
     * Adds metadata to the response or the failure. The client reads it with {@link RpcResponse#metadata()}.
     *
     * @param key a key that is not empty; an existing entry with this key is replaced
     * @param value any text
     * @throws IllegalArgumentException if the key is empty, or if all metadata together exceed 2048 bytes, counted in
     *     UTF-8 plus four bytes for each pair
     */
    public synchronized void putResponseMetadata(String key, String value) {
        responseMetadata = Metadata.with(responseMetadata, key, value);
    }

    /** As {@link Metadata} writes it. */
    synchronized byte[] responseMetadata() {
        return Metadata.write(responseMetadata);
    }

    /**
     * Returns how much longer the client waits.
     *
     * @return the time left; zero or negative if the client no longer waits
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
     * Returns whether the client no longer waits: it has canceled the call, its time has run out, or its connection has
     * ended. The server then does not send what the handler returns. The handler continues; its thread is interrupted
     * only if the method is {@linkplain RpcServer.Builder#interruptible interruptible}.
     *
     * @return true if the handler can stop
     */
    public boolean isCancelled() {
        return cancelled;
    }

    /**
     * Returns whether the client still waits: the call is not {@linkplain #isCancelled canceled}, and there is
     * {@linkplain #remaining time} left. A handler that works for a long time should call this method between its
     * steps.
     *
     * @return true if the handler should continue
     */
    public boolean isWanted() {
        return !cancelled && !isLate();
    }

    /**
     * Sets an action to run when the call {@linkplain #isCancelled is canceled}.
     *
     * @param action the action; runs in the server's loop and must not block it; runs at once if the call is already
     *     canceled
     * @throws IllegalStateException if an action is already set
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
     * Returns a description of this request, for logs.
     *
     * @return the method
     */
    @Override
    public String toString() {
        return "request of method " + method;
    }
}
