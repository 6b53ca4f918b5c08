package io.github.comch4j.comch;

import java.lang.foreign.MemorySegment;

/** Handles control messages that arrive ({@code doca_comch_event_msg_recv_cb_t}). */
@FunctionalInterface
public interface MessageHandler {
    /**
     * Called when a message has arrived. Runs inside {@code progress()} of the connection's engine.
     *
     * @param connection the connection that the message came from. The handler may answer at once with
     *     {@link ComchConnection#enqueue}, which queues messages for which there is no room, up to a limit. It may also
     *     answer with {@link ComchConnection#trySend}, which does not accept such messages.
     * @param message the bytes of the message, aligned to 8 bytes and <b>valid until this method returns</b>: copy or
     *     parse them here. A segment that is kept does not harm the VM, but shows other messages later. In tests, make
     *     such a segment throw an exception instead ({@link io.github.comch4j.core.Doca#STRICT_PROPERTY}), which uses
     *     one arena for each message.
     */
    void onMessage(ComchConnection connection, MemorySegment message);
}
