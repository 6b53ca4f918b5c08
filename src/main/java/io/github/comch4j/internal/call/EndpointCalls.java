package io.github.comch4j.internal.call;

import io.github.comch4j.ffi.doca_h;
import java.lang.foreign.MemorySegment;

/** What servers and clients have in common under different names. Methods return {@code doca_error_t} unless they say otherwise. */
public abstract sealed class EndpointCalls {
    /** {@code doca_comch_server_…}. */
    public static final EndpointCalls SERVER = new Server();
    /** {@code doca_comch_client_…}. */
    public static final EndpointCalls CLIENT = new Client();

    private final String prefix;

    private EndpointCalls(String prefix) {
        this.prefix = prefix;
    }

    /** The C name of a function of this family. */
    public final String function(String suffix) {
        return prefix + suffix;
    }

    /** {@code …_as_ctx}; returns the view. */
    public abstract MemorySegment asContext(MemorySegment endpoint);

    /** {@code …_destroy}. */
    public abstract int destroy(MemorySegment endpoint);

    /** {@code …_set_max_msg_size}, bytes. */
    public abstract int setMaxMessageSize(MemorySegment endpoint, int size);

    /** {@code …_get_max_msg_size}, bytes. */
    public abstract int getMaxMessageSize(MemorySegment endpoint, MemorySegment out);

    /** {@code …_set_recv_queue_size}, messages. */
    public abstract int setReceiveQueueSize(MemorySegment endpoint, int size);

    /** {@code …_get_recv_queue_size}, messages. */
    public abstract int getReceiveQueueSize(MemorySegment endpoint, MemorySegment out);

    /** {@code …_task_send_set_conf}. */
    public abstract int configureSend(MemorySegment endpoint, MemorySegment sent, MemorySegment notSent, int tasks);

    /** {@code …_event_msg_recv_register}. */
    public abstract int registerMessages(MemorySegment endpoint, MemorySegment received);

    /** {@code …_event_consumer_register}. */
    public abstract int registerConsumers(MemorySegment endpoint, MemorySegment created, MemorySegment expired);

    /** {@code …_task_send_alloc_init}: copies the message; the task's pointer is written to {@code out}. Hot. */
    public abstract int allocateSend(long endpoint, long connection, MemorySegment message, int length, long out);

    private static final class Server extends EndpointCalls {
        Server() {
            super("doca_comch_server");
        }

        @Override
        public MemorySegment asContext(MemorySegment endpoint) {
            return doca_h.doca_comch_server_as_ctx(endpoint);
        }

        @Override
        public int destroy(MemorySegment endpoint) {
            return doca_h.doca_comch_server_destroy(endpoint);
        }

        @Override
        public int setMaxMessageSize(MemorySegment endpoint, int size) {
            return doca_h.doca_comch_server_set_max_msg_size(endpoint, size);
        }

        @Override
        public int getMaxMessageSize(MemorySegment endpoint, MemorySegment out) {
            return doca_h.doca_comch_server_get_max_msg_size(endpoint, out);
        }

        @Override
        public int setReceiveQueueSize(MemorySegment endpoint, int size) {
            return doca_h.doca_comch_server_set_recv_queue_size(endpoint, size);
        }

        @Override
        public int getReceiveQueueSize(MemorySegment endpoint, MemorySegment out) {
            return doca_h.doca_comch_server_get_recv_queue_size(endpoint, out);
        }

        @Override
        public int configureSend(MemorySegment endpoint, MemorySegment sent, MemorySegment notSent, int tasks) {
            return doca_h.doca_comch_server_task_send_set_conf(endpoint, sent, notSent, tasks);
        }

        @Override
        public int registerMessages(MemorySegment endpoint, MemorySegment received) {
            return doca_h.doca_comch_server_event_msg_recv_register(endpoint, received);
        }

        @Override
        public int registerConsumers(MemorySegment endpoint, MemorySegment created, MemorySegment expired) {
            return doca_h.doca_comch_server_event_consumer_register(endpoint, created, expired);
        }

        @Override
        public int allocateSend(long endpoint, long connection, MemorySegment message, int length, long out) {
            return SendCalls.allocateForServer(endpoint, connection, message, length, out);
        }
    }

    private static final class Client extends EndpointCalls {
        Client() {
            super("doca_comch_client");
        }

        @Override
        public MemorySegment asContext(MemorySegment endpoint) {
            return doca_h.doca_comch_client_as_ctx(endpoint);
        }

        @Override
        public int destroy(MemorySegment endpoint) {
            return doca_h.doca_comch_client_destroy(endpoint);
        }

        @Override
        public int setMaxMessageSize(MemorySegment endpoint, int size) {
            return doca_h.doca_comch_client_set_max_msg_size(endpoint, size);
        }

        @Override
        public int getMaxMessageSize(MemorySegment endpoint, MemorySegment out) {
            return doca_h.doca_comch_client_get_max_msg_size(endpoint, out);
        }

        @Override
        public int setReceiveQueueSize(MemorySegment endpoint, int size) {
            return doca_h.doca_comch_client_set_recv_queue_size(endpoint, size);
        }

        @Override
        public int getReceiveQueueSize(MemorySegment endpoint, MemorySegment out) {
            return doca_h.doca_comch_client_get_recv_queue_size(endpoint, out);
        }

        @Override
        public int configureSend(MemorySegment endpoint, MemorySegment sent, MemorySegment notSent, int tasks) {
            return doca_h.doca_comch_client_task_send_set_conf(endpoint, sent, notSent, tasks);
        }

        @Override
        public int registerMessages(MemorySegment endpoint, MemorySegment received) {
            return doca_h.doca_comch_client_event_msg_recv_register(endpoint, received);
        }

        @Override
        public int registerConsumers(MemorySegment endpoint, MemorySegment created, MemorySegment expired) {
            return doca_h.doca_comch_client_event_consumer_register(endpoint, created, expired);
        }

        @Override
        public int allocateSend(long endpoint, long connection, MemorySegment message, int length, long out) {
            return SendCalls.allocateForClient(endpoint, connection, message, length, out);
        }
    }
}
