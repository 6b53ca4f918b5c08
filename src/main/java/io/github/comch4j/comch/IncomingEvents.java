package io.github.comch4j.comch;

import io.github.comch4j.internal.transport.ConnectionEvents;
import java.util.TreeSet;

/**
 * What arrives on one connection: messages, the peer's consumers as they come and go, and the end. Belongs to the
 * engine's owner.
 */
final class IncomingEvents extends ConnectionEvents {
    private final ComchConnection connection;
    private final TreeSet<Integer> peersConsumers = new TreeSet<>(); // ids of those that run

    IncomingEvents(ComchConnection connection) {
        super(connection.controlEngine().transport());
        this.connection = connection;
    }

    ComchConnection connection() {
        return connection;
    }

    /** The ids of the peer's running consumers, ascending. */
    int[] peersConsumers() {
        return peersConsumers.stream().mapToInt(Integer::intValue).toArray();
    }

    /** The connection has ended: nothing arrives any more. */
    void end() {
        unregister();
        peersConsumers.clear();
    }

    @Override
    protected void message(long address, int length) {
        connection.endpoint().message(connection, address, length);
    }

    @Override
    protected void consumer(int id, boolean created) {
        if (created) {
            peersConsumers.add(id);
        } else {
            peersConsumers.remove(id);
        }
        connection.endpoint().consumer(connection, id, created ? RemoteConsumerState.NEW : RemoteConsumerState.EXPIRED);
    }

    @Override
    protected void disconnected(boolean orderly) {
        connection.endpoint().ended(connection, orderly ? ConnectionState.CLOSED : ConnectionState.LOST);
    }
}
