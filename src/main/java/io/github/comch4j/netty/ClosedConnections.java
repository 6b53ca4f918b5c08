package io.github.comch4j.netty;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.MissingFunctionException;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.internal.life.Engine;
import io.github.comch4j.link.Loops;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.util.ArrayDeque;
import java.util.function.BooleanSupplier;

/**
 * Connections whose channels are closed: they end when what was accepted has gone out. So the loop need not wait where
 * a call of this library would.
 */
final class ClosedConnections {
    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(ClosedConnections.class);

    private final ArrayDeque<BooleanSupplier> waiting = new ArrayDeque<>();

    private final Runnable progress;

    /** With none. */
    ClosedConnections(Runnable progress) {
        this.progress = progress;
    }

    /**
     * Does it now or, as long as it returns false, after each progress that follows. Not in a handler of the engine.
     */
    void add(BooleanSupplier ending) {
        if (serve(ending)) {
            return;
        }
        progress.run(); // what has gone out, or come, since the last one is mostly enough
        if (!serve(ending)) {
            waiting.add(ending);
        }
    }

    /** Does it after the next progress. */
    void later(BooleanSupplier ending) {
        waiting.add(ending);
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    /** Tries those that wait. */
    void serve() {
        for (int count = waiting.size(); count > 0; count--) {
            BooleanSupplier ending = waiting.remove();
            if (!serve(ending)) {
                waiting.add(ending);
            }
        }
    }

    private static boolean serve(BooleanSupplier ending) {
        try {
            return ending.getAsBoolean();
        } catch (RuntimeException e) {
            LOGGER.warn("Failed to end a connection.", e);
            return true;
        }
    }

    /** Ends a client once its messages have arrived, or have had the time that closing has. */
    static BooleanSupplier of(ComchClient client, BooleanSupplier emptied) {
        long deadline = Loops.engineOf(client.engine()).deadline();
        return () -> {
            if (client.isConnected() && !emptied.getAsBoolean() && System.nanoTime() - deadline < 0) {
                return false;
            }
            client.close();
            return true;
        };
    }

    /** Ends a connection of a server likewise. */
    static BooleanSupplier of(ComchConnection connection, BooleanSupplier emptied) {
        Engine engine = Loops.engineOf(connection.engine());
        long deadline = engine.deadline();
        return () -> {
            if (!connection.isOpen()) {
                return true;
            }
            if (!emptied.getAsBoolean() && System.nanoTime() - deadline < 0) {
                return false;
            }
            try {
                engine.runHandlers(connection::disconnect); // in a handler it does not wait
                return true;
            } catch (DocaException e) {
                if (e.error() == DocaError.AGAIN || e.error() == DocaError.IN_USE) {
                    return false;
                }
                throw e;
            } catch (MissingFunctionException e) {
                // DOCA 2.5 and 2.6 end all of a server's connections only: the peer has been told that it is over
                return true;
            }
        };
    }
}
