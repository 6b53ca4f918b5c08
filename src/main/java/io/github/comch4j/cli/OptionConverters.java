package io.github.comch4j.cli;

import io.github.comch4j.cli.perf.PerfPath;
import io.github.comch4j.cli.program.Sizes;
import io.github.comch4j.cli.sample.SampleOptions;
import io.github.comch4j.core.PciAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.TypeConversionException;

/** How what is written on a command line is understood. */
final class OptionConverters {
    private OptionConverters() {}

    /** A PCI address, with its domain or without. */
    static final class Address implements ITypeConverter<PciAddress> {
        @Override
        public PciAddress convert(String text) {
            return understood(text, "a PCI address, such as 0000:b1:00.0", () -> PciAddress.of(text));
        }
    }

    /** The same, of the sample programs. */
    static final class SampleDeviceConverter implements ITypeConverter<SampleOptions.SampleDevice> {
        @Override
        public SampleOptions.SampleDevice convert(String text) {
            return understood(text, "a PCI address, such as b1:00.0", () -> SampleOptions.SampleDevice.of(text));
        }
    }

    /** What carries messages. */
    static final class PerfPathConverter implements ITypeConverter<PerfPath> {
        @Override
        public PerfPath convert(String text) {
            return understood(text, "one of " + PerfPath.words(), () -> PerfPath.of(text));
        }
    }

    /** All of it, for a shell's completion. */
    static final class PerfPathNames implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return Arrays.stream(PerfPath.values()).map(PerfPath::word).iterator();
        }
    }

    /** Bytes: {@code 64}, {@code 4K}, {@code 1M}. */
    static final class Size implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            return understood(text, "a number of bytes, such as 64, 4K or 1M", () -> Sizes.parse(text));
        }
    }

    /** Seconds, and parts of them. */
    static final class Seconds implements ITypeConverter<Duration> {
        @Override
        public Duration convert(String text) {
            return understood(text, "a number of seconds, such as 1 or 0.2", () -> {
                double seconds = Double.parseDouble(text);
                if (!(seconds >= 0 && seconds <= 1e6)) {
                    throw new IllegalArgumentException(text);
                }
                return Duration.ofNanos(Math.round(seconds * 1e9));
            });
        }
    }

    private interface Parser<T> {
        T parse();
    }

    private static <T> T understood(String text, String wanted, Parser<T> parser) {
        try {
            return parser.parse();
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw new TypeConversionException("'" + text + "' is not " + wanted);
        }
    }

    /** Returns {@code value} if it is from {@code min} to {@code max}; it is that of the option {@code name}. */
    static long within(CommandSpec spec, String name, long value, long min, long max) {
        if (value < min || value > max) {
            throw wrong(spec, name + " " + value + ": must be " + min + " to " + max);
        }
        return value;
    }

    /** That of a server: how long it may be at most, the device says. */
    static String name(CommandSpec spec, String name) {
        if (name.isEmpty()) {
            throw wrong(spec, "--name: must not be empty");
        }
        return name;
    }

    /** Refuses all options but these. */
    static void only(CommandSpec spec, String why, List<String> options) {
        for (OptionSpec option : spec.commandLine().getParseResult().matchedOptions()) {
            if (!options.contains(option.longestName())) {
                throw wrong(spec, option.longestName() + ": " + why);
            }
        }
    }

    /** None of these options, which would not be looked at. */
    static void without(CommandSpec spec, String why, String... options) {
        for (String option : options) {
            if (spec.commandLine().getParseResult().hasMatchedOption(option)) {
                throw wrong(spec, option + ": " + why);
            }
        }
    }

    static ParameterException wrong(CommandSpec spec, String sentence) {
        return new ParameterException(new CommandLine(spec), sentence);
    }
}
