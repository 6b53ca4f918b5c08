package io.github.comch4j.comch;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.core.Device;
import io.github.comch4j.internal.failure.Failures;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.IntConsumer;

/** Settings that DOCA limits. */
final class Limits {
    private Limits() {}

    /** Makes a setting; if DOCA does not take the value, says what the device takes. */
    static void set(
            String setting,
            int value,
            IntConsumer setter,
            Device device,
            Function<Capabilities, Optional<Long>> limit) {
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
                            + limit.apply(Capabilities.of(device))
                                    .map(most -> ", where " + device + " takes at most " + most)
                                    .orElse(""));
        }
    }
}
