package samples.filetransfer;

import io.github.comch4j.DocaException;
import io.github.comch4j.NativeLibraryException;
import io.github.comch4j.core.Doca;
import io.github.comch4j.core.PciAddress;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;

/** Options and operands of a program, taken out one by one: what is left in the end is too much. */
final class CommandLine {
    /** What a program does with its command line; returns its exit status. */
    interface Body {
        int run(CommandLine line) throws IOException;
    }

    /** The user got the command line wrong. */
    private static final class UsageException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        UsageException(String message) {
            super(message);
        }
    }

    private final List<String> arguments;

    private CommandLine(String[] arguments) {
        this.arguments = new ArrayList<>(List.of(arguments));
    }

    /**
     * Runs a program; returns its exit status: that of {@code body}, 1 after a failure, which is one sentence on
     * stderr, or 2 after a usage error.
     */
    static int run(String program, String usage, String[] arguments, Body body) {
        Locale.setDefault(Locale.Category.FORMAT, Locale.ROOT); // numbers with a point everywhere
        CommandLine line = new CommandLine(arguments);
        try {
            boolean help = line.flag("--help");
            if (line.flag("-h") || help) {
                System.out.print(usage);
                return 0;
            }
            // before any other class of the library is used: they load it
            line.value("--library").ifPresent(library -> System.setProperty(Doca.LIBRARY_PROPERTY, library));
            return body.run(line);
        } catch (UsageException e) {
            System.err.print(usage);
            System.err.println(program + ": " + e.getMessage()); // last, where it is seen
            return 2;
        } catch (TransferException | DocaException | NativeLibraryException e) {
            System.err.println(program + ": " + e.getMessage());
            return 1;
        } catch (IOException e) {
            System.err.println(program + ": input or output failed: " + e.getMessage());
            return 1;
        }
    }

    boolean flag(String name) {
        return arguments.remove(name);
    }

    /** {@code --output FILE}, or {@code --output=FILE}. */
    Optional<String> value(String name) {
        Optional<String> value = next(name);
        if (value.isPresent() && next(name).isPresent()) {
            throw new UsageException(name + " is given twice");
        }
        return value;
    }

    private Optional<String> next(String name) {
        for (int i = 0; i < arguments.size(); i++) {
            String argument = arguments.get(i);
            if (argument.startsWith(name + "=")) {
                arguments.remove(i);
                return Optional.of(argument.substring(name.length() + 1));
            }
            if (argument.equals(name)) {
                if (i + 1 == arguments.size() || arguments.get(i + 1).startsWith("--")) {
                    throw new UsageException(argument + " needs a value");
                }
                arguments.remove(i);
                return Optional.of(arguments.remove(i));
            }
        }
        return Optional.empty();
    }

    /** Of a server: not empty. How long it may be at most, the device says. */
    String name(String otherwise) {
        String name = value("--name").orElse(otherwise);
        if (name.isEmpty()) {
            throw new UsageException("--name: must not be empty");
        }
        return name;
    }

    /** No default: empty if not given. */
    PciAddress address(String name, String otherwise) {
        return parsed(name, otherwise, PciAddress::of);
    }

    long size(String name, String otherwise, long min, long max) {
        return inRange(name, parsed(name, otherwise, Sizes::parse), min, max);
    }

    int number(String name, String otherwise, int min, int max) {
        return (int) inRange(name, parsed(name, otherwise, Long::parseLong), min, max);
    }

    private <T> T parsed(String name, String otherwise, Function<String, T> parser) {
        return understood(name, value(name).orElse(otherwise), parser);
    }

    private static <T> T understood(String name, String text, Function<String, T> parser) {
        try {
            return parser.apply(text);
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw new UsageException(name + " " + text + ": not understood");
        }
    }

    private static long inRange(String name, long value, long min, long max) {
        if (value < min || value > max) {
            throw new UsageException(name + " " + value + ": must be " + min + " to " + max);
        }
        return value;
    }

    /** The one operand; to be asked for when all options have been taken. */
    String operand(String what) {
        if (arguments.isEmpty()) {
            throw new UsageException(what + " is missing");
        }
        checkNoOption(arguments.getFirst());
        return arguments.removeFirst();
    }

    /** Nothing must be left. */
    void end() {
        if (!arguments.isEmpty()) {
            checkNoOption(arguments.getFirst());
            throw new UsageException("one argument too many: " + arguments.getFirst());
        }
    }

    private static void checkNoOption(String argument) {
        if (argument.startsWith("-")) {
            throw new UsageException("no such option: " + argument);
        }
    }
}
