package io.github.comch4j.comch;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;

/** The connection has ended, by either side or by a fault: nothing more can be sent on it. */
public final class ConnectionClosedException extends DocaException {
    private static final long serialVersionUID = 1L;

    ConnectionClosedException(String function, String action) {
        super(DocaError.NOT_CONNECTED, function, action);
    }
}
