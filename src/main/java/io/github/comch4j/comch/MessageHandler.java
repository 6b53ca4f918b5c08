package io.github.comch4j.comch;

import java.lang.foreign.MemorySegment;

/** Receives control messages ({@code doca_comch_event_msg_recv_cb_t}). */
@FunctionalInterface
public interface MessageHandler {
    /**
     * A message arrived. Runs inside {@code progress()} of the connection's engine.
     *
     * @param connection where it came from; may be answered at once with {@link ComchConnection#send}, which queues
     *     here what has no room, up to a bound, or with {@link ComchConnection#trySend}, which does not accept it then
     * @param message its bytes, aligned to 8, <b>valid until this method returns</b>: copy or parse them here. A
     *     segment that is kept does no harm to the VM, but shows other messages later; in tests have it throw instead
     *     ({@link io.github.comch4j.core.Doca#STRICT_PROPERTY}), which takes an arena for each message.
     */
    void onMessage(ComchConnection connection, MemorySegment message);
}
