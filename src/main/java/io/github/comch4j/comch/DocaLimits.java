package io.github.comch4j.comch;

import io.github.comch4j.core.Device;
import io.github.comch4j.transfer.LimitedSetting;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.IntConsumer;

/** Settings that DOCA limits. */
final class DocaLimits {
    private DocaLimits() {}

    /** Makes a setting; if DOCA does not take the value, says what the device takes. */
    static void set(
            String setting,
            int value,
            IntConsumer setter,
            Device device,
            Function<Capabilities, Optional<Long>> limit) {
        LimitedSetting.set(setting, value, setter, device, () -> limit.apply(Capabilities.of(device)));
    }
}
