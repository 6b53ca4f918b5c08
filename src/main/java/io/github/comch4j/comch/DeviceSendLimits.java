package io.github.comch4j.comch;

import io.github.comch4j.core.Device;
import io.github.comch4j.transfer.SendLimits;
import java.util.Optional;
import java.util.function.Function;

/** What a device takes of one send; each is asked once, when it is needed. */
final class DeviceSendLimits implements SendLimits {
    private final Device device;
    private long buffers = -1; // -1: not asked yet
    private long data = -1;
    private long immediate = -1;

    DeviceSendLimits(Device device) {
        this.device = device;
    }

    @Override
    public long buffers() {
        if (buffers < 0) {
            buffers = ask(limits -> limits.producer().map(Capabilities.Producer::maxBufferListLength), 1);
        }
        return buffers;
    }

    @Override
    public long data() {
        if (data < 0) {
            data = ask(limits -> limits.producer().map(Capabilities.Producer::maxBufferSize), Long.MAX_VALUE);
        }
        return data;
    }

    @Override
    public long immediate() {
        if (immediate < 0) {
            immediate = ask(limits -> limits.consumer().map(Capabilities.Consumer::maxImmediateLength), 0);
        }
        return immediate;
    }

    private long ask(Function<Capabilities, Optional<Long>> limit, long unknown) {
        return limit.apply(Capabilities.of(device)).orElse(unknown);
    }

    @Override
    public String device() {
        return device.toString();
    }
}
