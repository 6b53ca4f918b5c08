package io.github.comch4j.cli;

import io.github.comch4j.core.Doca;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;

/** The options of every command. */
final class CommonOptions {
    private static final String LOGGED = "java.util.logging.SimpleFormatter.format";
    /** Kept, so that its level is. */
    private static final Logger LIBRARY = Logger.getLogger("io.github.comch4j");

    private static final Logger CHANNELS = Logger.getLogger("io.netty.channel.AbstractChannel");

    @Option(
            names = "--library",
            order = 90,
            paramLabel = "WHICH",
            description = "auto, system, emulated, or a folder with DOCA's libraries (auto)")
    private @Nullable String library;

    @Option(
            names = {"-v", "--verbose"},
            order = 91,
            description = "print which libraries are used and why; twice: also where in the program a failure was")
    private boolean[] verbose = {};

    @Option(
            names = {"-h", "--help"},
            order = 92,
            usageHelp = true,
            description = "print this text")
    @SuppressWarnings("unused") // picocli looks at the option
    private boolean help;

    @Option(names = "--version", order = 93, hidden = true, versionHelp = true)
    @SuppressWarnings("unused")
    private boolean version;

    /** Those that were given, before or after the name of the command. */
    static CommonOptions of(ParseResult parsed) {
        CommonOptions all = new CommonOptions();
        for (ParseResult each = parsed; each != null; each = each.hasSubcommand() ? each.subcommand() : null) {
            CommandSpec mixin = each.commandSpec().mixins().get("common");
            if (mixin != null && mixin.userObject() instanceof CommonOptions given) {
                all.verbose = new boolean[all.verbose.length + given.verbose.length];
                all.library = given.library != null ? given.library : all.library;
            }
        }
        return all;
    }

    boolean verbose() {
        return verbose.length > 0;
    }

    /** Whether a failure is told with its stack trace. */
    boolean traces() {
        return verbose.length > 1;
    }

    /** Before any other class of the library is used: they load it. */
    void begin() {
        if (System.getProperty(LOGGED) == null) {
            System.setProperty(LOGGED, "comch: %5$s%6$s%n");
        }
        LIBRARY.setLevel(Level.WARNING);
        CHANNELS.setLevel(Level.SEVERE); // a warning tells of what was still to do for one when its loop has ended
        if (library != null) {
            System.setProperty(Doca.LIBRARY_PROPERTY, library);
        }
    }
}
