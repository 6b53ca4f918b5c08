package io.github.comch4j.channel;

/** Names of functions for messages, also where it is another carrier that does their work. */
final class Functions {
    static final String SEND = "doca_comm_channel_ep_sendto";
    static final String RECEIVE = "doca_comm_channel_ep_recvfrom";
    static final String CONNECT = "doca_comm_channel_ep_connect";
    static final String DESTROY = "doca_comm_channel_ep_destroy";
    static final String UPDATE_SERVICE = "doca_comm_channel_ep_update_service_state_info";

    private Functions() {}
}
