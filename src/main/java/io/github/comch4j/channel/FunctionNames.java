package io.github.comch4j.channel;

import java.util.Map;

/** Names of functions for messages, also where it is another carrier that does their work. */
final class FunctionNames {
    static final String SEND = "doca_comm_channel_ep_sendto";
    static final String RECEIVE = "doca_comm_channel_ep_recvfrom";
    static final String CONNECT = "doca_comm_channel_ep_connect";
    static final String DISCONNECT = "doca_comm_channel_ep_disconnect";
    static final String DESTROY = "doca_comm_channel_ep_destroy";
    static final String UPDATE_SERVICE = "doca_comm_channel_ep_update_service_state_info";

    /** By the settings of builders. */
    static final Map<String, String> SIZES = Map.of(
            "maxMessageSize", "doca_comm_channel_ep_set_max_msg_size",
            "sendQueueSize", "doca_comm_channel_ep_set_send_queue_size",
            "receiveQueueSize", "doca_comm_channel_ep_set_recv_queue_size");

    private FunctionNames() {}
}
