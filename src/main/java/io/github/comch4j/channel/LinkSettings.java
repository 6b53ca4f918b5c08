package io.github.comch4j.channel;

import io.github.comch4j.core.Device;
import io.github.comch4j.core.Representor;
import org.jspecify.annotations.Nullable;

/** What a program has chosen for an endpoint. A builder fills it; it does not change once that has been used. */
final class LinkSettings {
    static final int DEFAULT_MESSAGE_SIZE = 4080;
    static final int DEFAULT_QUEUE_SIZE = 1024;
    private static final int SMALLEST_MESSAGE_SIZE = 256;
    private static final int SMALLEST_QUEUE_SIZE = 16;

    final Device device;
    final @Nullable Representor representor; // a service's

    @Nullable
    Carrier carrier; // null: that of the libraries

    int maxMessageSize; // 0: the default, as in the next two
    int sendQueueSize;
    int receiveQueueSize;

    LinkSettings(Device device, @Nullable Representor representor) {
        this.device = device;
        this.representor = representor;
    }

    /** As DOCA rounds a message size that the device takes. */
    static int messageSize(int bytes, long most) {
        return (int) Math.min(Math.max(bytes, SMALLEST_MESSAGE_SIZE), most);
    }

    /** As DOCA rounds a queue size that the device takes. */
    static int queueSize(int messages, long most) {
        int least = Math.max(messages, SMALLEST_QUEUE_SIZE);
        int rounded = Integer.highestOneBit(least);
        return (int) Math.min(rounded == least ? least : 2L * rounded, most);
    }
}
