package io.github.comch4j.cli;

import io.github.comch4j.cli.perf.PerfPath;
import io.github.comch4j.cli.program.Sizes;
import io.github.comch4j.cli.sample.SampleOptions.SampleDevice;
import io.github.comch4j.core.PciAddress;
import java.time.Duration;
import java.util.function.Function;
import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** How what is written on a command line is understood. */
final class OptionConverters {
    private OptionConverters() {}

    /** Of all commands that {@code line} has. */
    static void register(CommandLine line) {
        line.registerConverter(PciAddress.class, converter("a PCI address, such as 0000:b1:00.0", PciAddress::of));
        line.registerConverter(SampleDevice.class, converter("a PCI address, such as b1:00.0", SampleDevice::of));
        line.registerConverter(
                PerfPath.class,
                text -> converter("one of " + PerfPath.words(), PerfPath::of).convert(text));
        line.registerConverter(
                Duration.class, converter("a number of seconds, such as 1 or 0.2", OptionConverters::seconds));
    }

    /** Bytes: {@code 64}, {@code 4K}, {@code 1M}. */
    static final class Size implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) throws Exception {
            return converter("a number of bytes, such as 64, 4K or 1M", Sizes::parse)
                    .convert(text);
        }
    }

    private static Duration seconds(String text) {
        double seconds = Double.parseDouble(text);
        if (!(seconds >= 0 && seconds <= 1e6)) {
            throw new IllegalArgumentException(text);
        }
        return Duration.ofNanos(Math.round(seconds * 1e9));
    }

    private static <T> ITypeConverter<T> converter(String wanted, Function<String, T> parser) {
        return text -> {
            try {
                return parser.apply(text);
            } catch (IllegalArgumentException | ArithmeticException e) {
                throw new TypeConversionException("'" + text + "' is not " + wanted);
            }
        };
    }
}
