package io.github.comch4j.io;

import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.internal.access.Internals;
import io.github.comch4j.internal.life.ConnectionInside;
import java.util.function.Function;

/** What is behind a connection. */
final class Connections {
    private static final Function<ComchConnection, ConnectionInside> INSIDE = Internals.of(ComchConnection.class);

    private Connections() {
    }

    static ConnectionInside of(ComchConnection connection) {
        return INSIDE.apply(connection);
    }
}
