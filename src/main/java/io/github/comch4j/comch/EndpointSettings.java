package io.github.comch4j.comch;

import io.github.comch4j.core.Device;
import io.github.comch4j.internal.call.EndpointCalls;
import io.github.comch4j.internal.call.Pools;
import io.github.comch4j.internal.transport.MessageSender;
import io.github.comch4j.internal.transport.Upcalls;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a program has chosen for a server or client. A builder fills it; it does not change once that has been used. */
final class EndpointSettings {
    /** As many unless told otherwise: enough to keep a queue busy, few enough to notice a peer that does not read. */
    private static final int DEFAULT_SEND_TASKS = 256;

    MessageHandler onMessage = (connection, message) -> {};

    @Nullable
    ConnectionHandler onConnected;

    @Nullable
    ConnectionHandler onDisconnected;

    @Nullable
    RemoteConsumerHandler onConsumer;

    @Nullable
    SendFailureHandler onSendFailed;

    @Nullable
    StateHandler onStateChanged;

    @Nullable
    RoomHandler<ComchConnection> onRoom;

    int sendTasks = DEFAULT_SEND_TASKS;
    private int maxMessageSize; // 0: DOCA's default, as in the next field
    private int receiveQueueSize;

    void maxMessageSize(int bytes) {
        maxMessageSize = positive("maxMessageSize", bytes);
    }

    void receiveQueueSize(int messages) {
        receiveQueueSize = positive("receiveQueueSize", messages);
    }

    void sendTasks(int tasks) {
        sendTasks = Pools.size(positive("sendTasks", tasks));
    }

    private static int positive(String setting, int value) {
        if (value < 1) {
            throw new IllegalArgumentException(setting + " " + value + " is less than 1");
        }
        return value;
    }

    /** Tells DOCA the sizes, and where messages and consumers are to be reported. */
    void apply(EndpointCalls calls, MemorySegment handle, MessageSender sender, Device device, String action) {
        if (maxMessageSize > 0) {
            Limits.set(
                    "maxMessageSize",
                    maxMessageSize,
                    value -> calls.setMaxMessageSize(handle, value, action),
                    device,
                    capabilities -> Optional.of(capabilities.maxMessageSize()));
        }
        if (receiveQueueSize > 0) {
            Limits.set(
                    "receiveQueueSize",
                    receiveQueueSize,
                    value -> calls.setReceiveQueueSize(handle, value, action),
                    device,
                    capabilities -> Optional.of(capabilities.maxReceiveQueueSize()));
        }
        MemorySegment sent = sender.sentCallback();
        MemorySegment notSent = sender.notSentCallback();
        Limits.set(
                "sendTasks",
                sendTasks,
                value -> calls.configureSend(handle, sent, notSent, value, action),
                device,
                capabilities -> Optional.of(capabilities.maxSendTasks()));
        calls.registerMessages(handle, sender.receivedCallback(), action);
        calls.registerConsumers(
                handle, Upcalls.Stub.CONSUMER_NEW.address(), Upcalls.Stub.CONSUMER_EXPIRED.address(), action);
    }
}
