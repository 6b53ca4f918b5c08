package io.github.comch4j.rpc;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A call at the server, as its handler sees it. Any thread may use it. */
public final class RpcRequest {
    private final int method;
    private final byte[] body;
    private final long deadline;
    private volatile boolean cancelled;
    private @Nullable Runnable onCancelled; // guarded by this

    RpcRequest(int method, byte[] body, long deadline) {
        this.method = method;
        this.body = body;
        this.deadline = deadline;
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
     */
    public byte[] body() {
        return body;
    }

    /**
     * How long the client still waits.
     *
     * @return zero or less if it does not
     */
    public Duration remaining() {
        return Duration.ofNanos(deadline - System.nanoTime());
    }

    boolean isLate() {
        return deadline - System.nanoTime() <= 0;
    }

    /**
     * Whether the client does not wait any more: it has cancelled the call, or has waited long enough, or its
     * connection has ended. What the handler returns is not sent then.
     *
     * @return whether to stop
     */
    public boolean isCancelled() {
        return cancelled;
    }

    /**
     * Has something done once the call {@linkplain #isCancelled is cancelled}.
     *
     * @param action runs in the server's loop, and must not block it; at once if the call is cancelled already;
     *     replaces what was given before
     */
    public void onCancelled(Runnable action) {
        synchronized (this) {
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
        }
        if (action != null) {
            action.run();
        }
    }

    /**
     * For logs.
     *
     * @return method and length
     */
    @Override
    public String toString() {
        return "request of method " + method + ", " + body.length + " bytes";
    }
}
