package io.github.comch4j.transfer;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.core.Device;
import io.github.comch4j.internal.failure.Failures;
import java.util.Optional;
import java.util.function.IntConsumer;
import java.util.function.Supplier;

/** A setting of a context that DOCA limits. */
public final class LimitedSetting {
    private LimitedSetting() {}

    /** Makes it; if DOCA does not take the value, says what the device takes. */
    public static void set(
            String setting, int value, IntConsumer setter, Device device, Supplier<Optional<Long>> limit) {
        try {
            setter.accept(value);
        } catch (DocaException e) {
            if (e.error() != DocaError.INVALID_VALUE) {
                throw e;
            }
            throw Failures.refused(
                    e.code(),
                    e.function(),
                    e.action() + " with " + setting + " " + value
                            + limit.get()
                                    .map(most -> "; " + device + " takes at most " + most)
                                    .orElse(""));
        }
    }
}
