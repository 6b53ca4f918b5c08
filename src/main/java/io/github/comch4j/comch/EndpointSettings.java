package io.github.comch4j.comch;

import io.github.comch4j.DocaError;
import io.github.comch4j.core.ContextState;
import io.github.comch4j.core.Device;
import io.github.comch4j.internal.call.EndpointCalls;
import io.github.comch4j.internal.call.ServerCalls;
import io.github.comch4j.internal.life.Nanos;
import io.github.comch4j.internal.transport.MessageSender;
import io.github.comch4j.internal.transport.Upcalls;
import io.github.comch4j.transfer.LimitedSetting;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.ObjIntConsumer;
import org.jspecify.annotations.Nullable;

/** What a program has chosen for a server or client. A builder fills it; it does not change once that has been used. */
final class EndpointSettings {
    /** As many unless told otherwise: enough to keep a queue busy, few enough to notice a peer that does not read. */
    private static final int CLIENT_SEND_TASKS = 256;
    /** More, because the clients share them. */
    private static final int SERVER_SEND_TASKS = 512;

    private static final long SEND_BACKLOG = 4L << 20;
    private static final Duration STALL_WARNING = Duration.ofSeconds(10);

    @Nullable
    BiConsumer<ComchConnection, MemorySegment> onMessage;

    @Nullable
    BiConsumer<ComchConnection, Exception> onHandlerFailed;

    @Nullable
    Consumer<ComchConnection> onConnected;

    @Nullable
    Consumer<ComchConnection> onDisconnected;

    @Nullable
    ObjIntConsumer<ComchConnection> onConsumer;

    @Nullable
    ObjIntConsumer<ComchConnection> onConsumerExpired;

    @Nullable
    BiConsumer<ComchConnection, DocaError> onSendFailed;

    @Nullable
    BiConsumer<? super ControlPathEndpoint, ContextState> onStateChanged;

    @Nullable
    Consumer<ComchConnection> onWritable;

    int sendTasks; // 0: the default, until the settings are applied
    long sendBacklog = SEND_BACKLOG; // bytes
    long stallWarning = Nanos.of(STALL_WARNING);
    long stallLimit = Long.MAX_VALUE; // nanoseconds
    int maxMessageSize; // 0: DOCA's default, as in the next field
    int receiveQueueSize;

    /** How long something may last, nanoseconds. */
    static long limit(String setting, Duration time) {
        if (time.isNegative()) {
            throw new IllegalArgumentException(setting + " " + time + " is negative");
        }
        return Nanos.of(time);
    }

    private static int defaultSendTasks(EndpointCalls calls, Device device) {
        return calls instanceof ServerCalls
                ? (int) Math.min(SERVER_SEND_TASKS, Capabilities.maxSendTasks(device))
                : CLIENT_SEND_TASKS;
    }

    /** Tells DOCA the sizes, and where messages and consumers are to be reported. */
    void apply(EndpointCalls calls, MemorySegment handle, MessageSender sender, Device device, String action) {
        if (maxMessageSize > 0) {
            LimitedSetting.set(
                    "maxMessageSize",
                    maxMessageSize,
                    value -> calls.setMaxMessageSize(handle, value, action),
                    device,
                    () -> Optional.of(Capabilities.of(device).maxMessageSize()));
        }
        if (receiveQueueSize > 0) {
            LimitedSetting.set(
                    "receiveQueueSize",
                    receiveQueueSize,
                    value -> calls.setReceiveQueueSize(handle, value, action),
                    device,
                    () -> Optional.of(Capabilities.of(device).maxReceiveQueueSize()));
        }
        if (sendTasks == 0) {
            sendTasks = defaultSendTasks(calls, device);
        }
        MemorySegment sent = sender.sentCallback();
        MemorySegment notSent = sender.notSentCallback();
        LimitedSetting.set(
                "sendTasks",
                sendTasks,
                value -> calls.configureSend(handle, sent, notSent, value, action),
                device,
                () -> Optional.of(Capabilities.of(device).maxSendTasks()));
        calls.registerMessages(handle, sender.receivedCallback(), action);
        calls.registerConsumers(
                handle, Upcalls.Stub.CONSUMER_NEW.address(), Upcalls.Stub.CONSUMER_EXPIRED.address(), action);
    }
}
