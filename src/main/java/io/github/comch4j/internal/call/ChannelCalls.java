package io.github.comch4j.internal.call;

import static io.github.comch4j.internal.call.DocaFunction.present;
import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.github.comch4j.ffi.channel.channel_h;
import io.github.comch4j.internal.load.DocaAnswer;
import io.github.comch4j.internal.load.NativeLibrary;
import io.github.comch4j.internal.load.Symbols;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.OptionalLong;

/** Calls of the endpoint API ({@code doca_comm_channel_…}), which DOCA has from 1.5 to 2.8. */
public final class ChannelCalls {
    /** {@code doca_comm_channel_ep_create}. */
    public static final String CREATE_NAME = "doca_comm_channel_ep_create";
    /** {@code doca_comm_channel_ep_sendto}. */
    public static final String SEND_NAME = "doca_comm_channel_ep_sendto";
    /** {@code doca_comm_channel_ep_recvfrom}. */
    public static final String RECEIVE_NAME = "doca_comm_channel_ep_recvfrom";
    /** {@code doca_comm_channel_ep_event_handle_arm_send}. */
    public static final String ARM_SEND_NAME = "doca_comm_channel_ep_event_handle_arm_send";
    /** {@code doca_comm_channel_ep_event_handle_arm_recv}. */
    public static final String ARM_RECEIVE_NAME = "doca_comm_channel_ep_event_handle_arm_recv";
    /** {@code doca_comm_channel_ep_connect}. */
    public static final String CONNECT_NAME = "doca_comm_channel_ep_connect";
    /** {@code doca_comm_channel_ep_disconnect}. */
    public static final String DISCONNECT_NAME = "doca_comm_channel_ep_disconnect";
    /** {@code doca_comm_channel_ep_destroy}. */
    public static final String DESTROY_NAME = "doca_comm_channel_ep_destroy";
    /** {@code doca_comm_channel_ep_update_service_state_info}. */
    public static final String UPDATE_SERVICE_NAME = "doca_comm_channel_ep_update_service_state_info";
    /** {@code doca_comm_channel_peer_addr_update_info}. */
    public static final String UPDATE_NAME = "doca_comm_channel_peer_addr_update_info";

    private static final int NO_FLAGS = 0; // DOCA_CC_MSG_FLAG_NONE, the only one

    private static final MethodHandle SEND = Symbols.downcall(
            "doca_comm_channel_ep_sendto",
            FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG));
    private static final MethodHandle RECEIVE = Symbols.downcall(
            "doca_comm_channel_ep_recvfrom",
            FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG));
    private static final MethodHandle ARM_SEND =
            Symbols.downcall("doca_comm_channel_ep_event_handle_arm_send", FunctionDescriptor.of(JAVA_INT, JAVA_LONG));
    private static final MethodHandle ARM_RECEIVE =
            Symbols.downcall("doca_comm_channel_ep_event_handle_arm_recv", FunctionDescriptor.of(JAVA_INT, JAVA_LONG));
    private static final MethodHandle UPDATE =
            Symbols.downcall("doca_comm_channel_peer_addr_update_info", FunctionDescriptor.of(JAVA_INT, JAVA_LONG));
    private static final MethodHandle USER_DATA = Symbols.downcall(
            "doca_comm_channel_peer_addr_get_user_data", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG));

    private ChannelCalls() {}

    /** Whether the loaded libraries have the endpoint API. */
    public static boolean areThere() {
        NativeLibrary.load();
        return Symbols.find(CREATE_NAME).isPresent();
    }

    /** Fails unless they have. */
    public static void checkThere() {
        if (!areThere()) {
            throw Symbols.missing(CREATE_NAME);
        }
    }

    /** {@code doca_comm_channel_get_max_service_name_len}, the NUL included. */
    public static long maxNameLength() {
        return present("doca_comm_channel_get_max_service_name_len")
                .value(
                        "asking for the longest name",
                        channel_h.doca_comm_channel_get_max_service_name_len(Calls.out()));
    }

    /** {@code doca_comm_channel_get_max_message_size}. */
    public static long maxMessageSize(MemorySegment info) {
        return present("doca_comm_channel_get_max_message_size")
                .value(
                        "asking a device for the largest message",
                        channel_h.doca_comm_channel_get_max_message_size(info, Calls.out()));
    }

    /** {@code doca_comm_channel_get_max_send_queue_size}. */
    public static long maxSendQueueSize(MemorySegment info) {
        return present("doca_comm_channel_get_max_send_queue_size")
                .value(
                        "asking a device for the largest send queue",
                        channel_h.doca_comm_channel_get_max_send_queue_size(info, Calls.out()));
    }

    /** {@code doca_comm_channel_get_max_recv_queue_size}. */
    public static long maxReceiveQueueSize(MemorySegment info) {
        return present("doca_comm_channel_get_max_recv_queue_size")
                .value(
                        "asking a device for the largest receive queue",
                        channel_h.doca_comm_channel_get_max_recv_queue_size(info, Calls.out()));
    }

    /** {@code doca_comm_channel_get_service_max_num_connections}; empty where there can be no service. */
    public static OptionalLong maxConnections(MemorySegment info) {
        return OptionalCalls.value(
                "doca_comm_channel_get_service_max_num_connections",
                out -> channel_h.doca_comm_channel_get_service_max_num_connections(info, out));
    }

    /** {@code doca_comm_channel_ep_create}. */
    public static MemorySegment create(String action) {
        return present("doca_comm_channel_ep_create")
                .pointer(action, channel_h.doca_comm_channel_ep_create(Calls.out()));
    }

    /** {@code doca_comm_channel_ep_set_device}. */
    public static void setDevice(MemorySegment endpoint, MemorySegment device, String action) {
        present("doca_comm_channel_ep_set_device")
                .check(action, channel_h.doca_comm_channel_ep_set_device(endpoint, device));
    }

    /** {@code doca_comm_channel_ep_set_device_rep}. */
    public static void setRepresentor(MemorySegment endpoint, MemorySegment representor, String action) {
        present("doca_comm_channel_ep_set_device_rep")
                .check(action, channel_h.doca_comm_channel_ep_set_device_rep(endpoint, representor));
    }

    /** {@code doca_comm_channel_ep_set_max_msg_size}. */
    public static void setMaxMessageSize(MemorySegment endpoint, int size, String action) {
        present("doca_comm_channel_ep_set_max_msg_size")
                .check(action, channel_h.doca_comm_channel_ep_set_max_msg_size(endpoint, (short) size));
    }

    /** {@code doca_comm_channel_ep_set_send_queue_size}. */
    public static void setSendQueueSize(MemorySegment endpoint, int size, String action) {
        present("doca_comm_channel_ep_set_send_queue_size")
                .check(action, channel_h.doca_comm_channel_ep_set_send_queue_size(endpoint, (short) size));
    }

    /** {@code doca_comm_channel_ep_set_recv_queue_size}. */
    public static void setReceiveQueueSize(MemorySegment endpoint, int size, String action) {
        present("doca_comm_channel_ep_set_recv_queue_size")
                .check(action, channel_h.doca_comm_channel_ep_set_recv_queue_size(endpoint, (short) size));
    }

    /** {@code doca_comm_channel_ep_get_max_msg_size}. */
    public static int maxMessageSize(MemorySegment endpoint, String action) {
        return present("doca_comm_channel_ep_get_max_msg_size")
                .number(action, channel_h.doca_comm_channel_ep_get_max_msg_size(endpoint, Calls.out()));
    }

    /** {@code doca_comm_channel_ep_get_send_queue_size}. */
    public static int sendQueueSize(MemorySegment endpoint, String action) {
        return present("doca_comm_channel_ep_get_send_queue_size")
                .number(action, channel_h.doca_comm_channel_ep_get_send_queue_size(endpoint, Calls.out()));
    }

    /** {@code doca_comm_channel_ep_get_recv_queue_size}. */
    public static int receiveQueueSize(MemorySegment endpoint, String action) {
        return present("doca_comm_channel_ep_get_recv_queue_size")
                .number(action, channel_h.doca_comm_channel_ep_get_recv_queue_size(endpoint, Calls.out()));
    }

    /** {@code doca_comm_channel_ep_listen}. */
    public static void listen(MemorySegment endpoint, String name, String action) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocateFrom(name);
            present("doca_comm_channel_ep_listen").check(action, channel_h.doca_comm_channel_ep_listen(endpoint, text));
        }
    }

    /** {@code doca_comm_channel_ep_connect}; the address of the peer. */
    public static long connect(MemorySegment endpoint, String name, String action) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocateFrom(name);
            return present("doca_comm_channel_ep_connect")
                    .pointer(action, channel_h.doca_comm_channel_ep_connect(endpoint, text, Calls.out()))
                    .address();
        }
    }

    /** {@code doca_comm_channel_ep_sendto}; {@code doca_error_t}. */
    public static int send(long endpoint, long message, long length, long peer) {
        try {
            return (int) SEND.invokeExact(endpoint, message, length, NO_FLAGS, peer);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    /** {@code doca_comm_channel_ep_recvfrom}, with addresses of the length and of the peer; {@code doca_error_t}. */
    public static int receive(long endpoint, long message, long length, long peer) {
        try {
            return (int) RECEIVE.invokeExact(endpoint, message, length, NO_FLAGS, peer);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    /** {@code doca_comm_channel_ep_disconnect}. */
    public static void disconnect(MemorySegment endpoint, long peer, String action) {
        present("doca_comm_channel_ep_disconnect")
                .check(action, channel_h.doca_comm_channel_ep_disconnect(endpoint, MemorySegment.ofAddress(peer)));
    }

    /** {@code doca_comm_channel_ep_destroy}. */
    public static void destroy(MemorySegment endpoint, String action) {
        present("doca_comm_channel_ep_destroy").check(action, channel_h.doca_comm_channel_ep_destroy(endpoint));
    }

    /** {@code doca_comm_channel_ep_get_event_channel}: that for sending. */
    public static int sendEvents(MemorySegment endpoint, String action) {
        return present("doca_comm_channel_ep_get_event_channel")
                .number(
                        action,
                        channel_h.doca_comm_channel_ep_get_event_channel(endpoint, Calls.out(), MemorySegment.NULL));
    }

    /** {@code doca_comm_channel_ep_get_event_channel}: that for receiving. */
    public static int receiveEvents(MemorySegment endpoint, String action) {
        return present("doca_comm_channel_ep_get_event_channel")
                .number(
                        action,
                        channel_h.doca_comm_channel_ep_get_event_channel(endpoint, MemorySegment.NULL, Calls.out()));
    }

    /** {@code doca_comm_channel_ep_get_service_event_channel}. */
    public static int serviceEvents(MemorySegment endpoint, String action) {
        return present("doca_comm_channel_ep_get_service_event_channel")
                .number(action, channel_h.doca_comm_channel_ep_get_service_event_channel(endpoint, Calls.out()));
    }

    /** {@code doca_comm_channel_ep_event_handle_arm_send}; {@code doca_error_t}. */
    public static int armSend(long endpoint) {
        try {
            return (int) ARM_SEND.invokeExact(endpoint);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    /** {@code doca_comm_channel_ep_event_handle_arm_recv}; {@code doca_error_t}. */
    public static int armReceive(long endpoint) {
        try {
            return (int) ARM_RECEIVE.invokeExact(endpoint);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    /** {@code doca_comm_channel_peer_addr_update_info}; {@code doca_error_t}. */
    public static int update(long peer) {
        try {
            return (int) UPDATE.invokeExact(peer);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    /** {@code doca_comm_channel_peer_addr_get_user_data}, to an address; {@code doca_error_t}. */
    public static int userData(long peer, long out) {
        try {
            return (int) USER_DATA.invokeExact(peer, out);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    /** {@code doca_comm_channel_peer_addr_set_user_data}. */
    public static void setUserData(long peer, long data, String action) {
        present("doca_comm_channel_peer_addr_set_user_data")
                .check(
                        action,
                        channel_h.doca_comm_channel_peer_addr_set_user_data(MemorySegment.ofAddress(peer), data));
    }

    /** {@code doca_comm_channel_peer_addr_get_send_messages}. */
    public static long sentMessages(long peer, String action) {
        return present("doca_comm_channel_peer_addr_get_send_messages")
                .value(
                        action,
                        channel_h.doca_comm_channel_peer_addr_get_send_messages(
                                MemorySegment.ofAddress(peer), Calls.out()));
    }

    /** {@code doca_comm_channel_peer_addr_get_send_bytes}. */
    public static long sentBytes(long peer, String action) {
        return present("doca_comm_channel_peer_addr_get_send_bytes")
                .value(
                        action,
                        channel_h.doca_comm_channel_peer_addr_get_send_bytes(
                                MemorySegment.ofAddress(peer), Calls.out()));
    }

    /** {@code doca_comm_channel_peer_addr_get_recv_messages}. */
    public static long receivedMessages(long peer, String action) {
        return present("doca_comm_channel_peer_addr_get_recv_messages")
                .value(
                        action,
                        channel_h.doca_comm_channel_peer_addr_get_recv_messages(
                                MemorySegment.ofAddress(peer), Calls.out()));
    }

    /** {@code doca_comm_channel_peer_addr_get_recv_bytes}. */
    public static long receivedBytes(long peer, String action) {
        return present("doca_comm_channel_peer_addr_get_recv_bytes")
                .value(
                        action,
                        channel_h.doca_comm_channel_peer_addr_get_recv_bytes(
                                MemorySegment.ofAddress(peer), Calls.out()));
    }

    /** {@code doca_comm_channel_peer_addr_get_send_in_flight_messages}. */
    public static long inFlight(long peer, String action) {
        return present("doca_comm_channel_peer_addr_get_send_in_flight_messages")
                .value(
                        action,
                        channel_h.doca_comm_channel_peer_addr_get_send_in_flight_messages(
                                MemorySegment.ofAddress(peer), Calls.out()));
    }

    /** {@code doca_comm_channel_ep_update_service_state_info}. */
    public static DocaAnswer updateService(MemorySegment endpoint) {
        return present("doca_comm_channel_ep_update_service_state_info")
                .answer(channel_h.doca_comm_channel_ep_update_service_state_info(endpoint));
    }

    /** {@code doca_comm_channel_ep_get_peer_addr_list}; the addresses of the peers. */
    @SuppressWarnings("restricted")
    public static long[] peers(MemorySegment endpoint, String action) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment array = arena.allocate(ADDRESS);
            MemorySegment length = arena.allocate(JAVA_INT);
            present("doca_comm_channel_ep_get_peer_addr_list")
                    .check(action, channel_h.doca_comm_channel_ep_get_peer_addr_list(endpoint, array, length));
            int count = length.get(JAVA_INT, 0);
            return count == 0
                    ? new long[0]
                    : array.get(ADDRESS, 0)
                            .reinterpret(count * ADDRESS.byteSize())
                            .toArray(JAVA_LONG);
        }
    }

    /** {@code doca_comm_channel_ep_get_pending_connections}. */
    public static long pending(MemorySegment endpoint, String action) {
        return present("doca_comm_channel_ep_get_pending_connections")
                .value(action, channel_h.doca_comm_channel_ep_get_pending_connections(endpoint, Calls.out()));
    }
}
