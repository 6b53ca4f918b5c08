package io.github.comch4j.comch;

/** Learns that a connection began or ended ({@code doca_comch_event_connection_status_changed_cb_t}). */
@FunctionalInterface
public interface ConnectionHandler {
    /**
     * The connection began or ended. Runs inside {@code progress()} of its engine, in rare cases inside a start.
     *
     * @param connection the connection; {@link ComchConnection#state()} tells how it ended
     */
    void onChange(ComchConnection connection);
}
