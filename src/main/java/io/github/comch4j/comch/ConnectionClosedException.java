package io.github.comch4j.comch;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.internal.failure.Failures;

/**
 * Thrown when a connection has ended, by this process, by the peer or by a fault. Nothing more can be sent on it.
 * {@link ComchConnection} describes what happens in this case.
 */
public final class ConnectionClosedException extends DocaException {
    private static final long serialVersionUID = 1L;

    /** How it ended. */
    private final ConnectionState state;
    /** Which one. */
    private final long number;

    ConnectionClosedException(String function, String action, ComchConnection connection) {
        this(function, action, connection.state(), connection.number());
    }

    private ConnectionClosedException(String function, String action, ConnectionState state, long number) {
        super(Failures.refused(
                DocaError.NOT_CONNECTED,
                function,
                action + (state == ConnectionState.OPEN ? " (its end is not reported yet)" : " (" + state + ")")));
        this.state = state;
        this.number = number;
    }

    /** Whether it tells of this connection. */
    boolean isOf(ComchConnection connection) {
        return number == connection.number();
    }

    /** Whether DOCA refuses with it because the connection has ended. */
    static boolean isMeantBy(DocaError error) {
        return error == DocaError.BAD_STATE || error == DocaError.NOT_CONNECTED;
    }

    /**
     * Returns how the connection ended, as far as this process knew when the exception was thrown.
     *
     * @return {@link ConnectionState#CLOSED} or {@link ConnectionState#LOST}; {@link ConnectionState#OPEN} if DOCA
     *     refused before the engine of the connection reported its end, which then follows with the engine's next
     *     progress
     */
    public ConnectionState state() {
        return state;
    }
}
