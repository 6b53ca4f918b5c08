package io.github.comch4j.rpc;

import java.nio.charset.StandardCharsets;

/** What a server sends for a request. */
final class Reply extends Outgoing {
    final ServerConnection connection;
    private final boolean counted;

    private Reply(ServerConnection connection, int kind, long id, int value, byte[] body, boolean counted) {
        super(kind, id, value, 0, body);
        this.connection = connection;
        this.counted = counted;
    }

    static Reply response(ServerConnection connection, long id, byte[] body) {
        return new Reply(connection, Frames.RESPONSE, id, 0, body, true);
    }

    /** {@code counted}: the request is one of those in flight. */
    static Reply failure(ServerConnection connection, long id, RpcException.Kind kind, String text, boolean counted) {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        return new Reply(connection, Frames.FAILURE, id, kind.code(), body, counted);
    }

    @Override
    void gone() {
        if (counted) {
            connection.requestEnded();
        }
    }
}
