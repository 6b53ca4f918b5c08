package io.github.comch4j.io;

import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.core.ContextState;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.EventLoop;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** One attempt of a socket to connect. */
final class Attempt {
    final ComchSocket socket;
    private final EventLoop loop;
    private final CompletableFuture<Boolean> end = new CompletableFuture<>(); // whether it is connected
    private @Nullable ComchClient client; // in the loop

    /** Begins it. */
    Attempt(ComchSocket.Builder settings, Device device) {
        loop = settings.loop;
        socket = new ComchSocket(settings, ended -> {});
        try {
            loop.call(() -> begin(settings, device));
        } catch (IllegalStateException e) {
            abandon(); // interrupted
            throw e;
        }
    }

    private @Nullable Void begin(ComchSocket.Builder settings, Device device) {
        client = settings.apply(ComchClient.builder(loop.engine(), device, settings.name), connection -> {
                    socket.connected(connection); // a message may arrive before onConnected has run
                    return socket;
                })
                .onConnected(connection -> {
                    socket.connected(connection);
                    end.complete(true);
                })
                .onStateChanged((endpoint, before, now) -> {
                    if (now == ContextState.IDLE && !end.complete(false)) {
                        socket.end(); // also when the loop closes it
                    }
                })
                .start();
        return null;
    }

    /** Waits for its end. Returns whether it is connected; if not, nothing is left of it. */
    boolean await(long deadline) {
        try {
            if (end.get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS)) {
                return true;
            }
        } catch (TimeoutException e) {
            // closed below
        } catch (ExecutionException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            abandon();
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while connecting", e);
        }
        try {
            loop.call(() -> {
                close();
                return null;
            });
        } catch (IllegalStateException e) {
            abandon(); // interrupted: the task may have been taken back
            throw e;
        }
        return false;
    }

    /** Whether the server has answered, or there is none. */
    boolean wasRefused() {
        return end.isDone();
    }

    private void close() {
        if (client != null) {
            client.close();
        }
    }

    /** Without waiting: the task that makes the client has run by then, or never will. */
    private void abandon() {
        if (!loop.isClosed()) {
            loop.execute(this::close);
        }
    }

    static void pause(long nanos) {
        LockSupport.parkNanos(nanos);
        if (Thread.currentThread().isInterrupted()) {
            throw new IllegalStateException("interrupted while waiting");
        }
    }
}
