package io.github.comch4j.cli;

import io.github.comch4j.DocaException;
import io.github.comch4j.LibraryInfo;
import io.github.comch4j.NativeLibraryException;
import io.github.comch4j.cli.program.ProgramException;
import io.github.comch4j.cli.program.Terminals;
import io.github.comch4j.cli.program.TextFile;
import io.github.comch4j.core.Doca;
import io.github.comch4j.core.NoSuchDeviceException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.InvalidPathException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * The command {@code comch} itself, and what all commands have in common when they run. Its commands are those of
 * {@link AllCommands}; of them only the one that is asked for is made, as picocli takes long to read its options.
 */
@Command(
        name = "comch",
        description = "DOCA Comch on this machine: what is there, whether it works, and how fast.",
        versionProvider = ToolVersion.class,
        synopsisSubcommandLabel = "COMMAND",
        footer = {
            "  comch doctor               is all well on this machine?",
            "  comch devices --limits     on the host and on the DPU: what you can use",
            "  comch serve                on the DPU",
            "  comch ping                 on the host",
            "",
            "\"comch COMMAND --help\" describes a command and its options."
        })
class Tool extends ToolCommand implements Runnable {
    private static final int FAILED = 1;
    private static final int USAGE = 2;

    /** Returns the exit status. */
    static int run(String... arguments) {
        Locale.setDefault(Locale.Category.FORMAT, Locale.ROOT); // numbers with a point everywhere
        int status = commandLine(arguments).execute(arguments);
        if (status == 0 && System.out.checkError()) {
            System.err.println("comch: stdout cannot be written to: not all of the output has arrived");
            return FAILED;
        }
        return status;
    }

    /** Of which each command understands an argument as it stands, whatever properties picocli looks at. */
    static CommandLine commandLine(String... arguments) {
        CommandLine line = ofThese(arguments)
                .setExpandAtFiles(false)
                .setTrimQuotes(false)
                .setAbbreviatedOptionsAllowed(false)
                .setAbbreviatedSubcommandsAllowed(false);
        // as getopt has it: what to send may look like an option
        CommandLine sample = line.getSubcommands().get("sample");
        if (sample != null) {
            sample.setAllowOptionsAsOptionParameters(true);
        }
        line.setCaseInsensitiveEnumValuesAllowed(true);
        OptionConverters.register(line);
        return line.setColorScheme(CommandLine.Help.defaultColorScheme(colour() ? Ansi.ON : Ansi.OFF))
                .setExecutionStrategy(Tool::execute)
                .setParameterExceptionHandler(Tool::misunderstood)
                .setExecutionExceptionHandler(Tool::failed);
    }

    private static CommandLine ofThese(String... arguments) {
        String first = arguments.length == 0 ? "" : arguments[0];
        Class<?> asked = command(first);
        if (asked != null) {
            return new CommandLine(new Tool()).addSubcommand(asked);
        }
        boolean versionOnly = arguments.length == 1 && (first.equals("--version") || first.equals("-V"));
        return new CommandLine(versionOnly ? new Tool() : new AllCommands());
    }

    /** The class of a command, which is loaded only if it is asked for; null if there is none of that name. */
    static @Nullable Class<?> command(String name) {
        return switch (name) {
            case "doctor" -> DoctorCommand.class;
            case "info" -> InfoCommand.class;
            case "devices" -> DevicesCommand.class;
            case "serve" -> ServeCommand.class;
            case "ping" -> PingCommand.class;
            case "send" -> SendCommand.class;
            case "recv" -> RecvCommand.class;
            case "perf" -> PerfCommand.class;
            case "cp" -> CopyCommand.class;
            case "relay" -> RelayCommand.class;
            case "top" -> TopCommand.class;
            case "list" -> ListCommand.class;
            case "sample" -> SampleCommand.class;
            case "conformance" -> ConformanceCommand.class;
            case "emulator" -> EmulatorCommand.class;
            default -> null;
        };
    }

    private static boolean colour() {
        String refused = System.getenv("NO_COLOR");
        return (refused == null || refused.isEmpty())
                && !"dumb".equals(System.getenv("TERM"))
                && Terminals.isTerminal(Terminals.STDOUT);
    }

    /** No command was given. */
    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "the command is missing");
    }

    private static int execute(ParseResult parsed) {
        if (!CommandLine.printHelpIfRequested(parsed)) {
            CommonOptions given = CommonOptions.of(parsed);
            given.begin();
            ParseResult last = parsed;
            while (last.hasSubcommand()) {
                last = last.subcommand();
            }
            if (given.verbose() && last.commandSpec().userObject() instanceof UsesDevice) {
                LibraryInfo library = Doca.library();
                System.err.println("comch: DOCA " + library.version() + " (" + library.kind() + ", "
                        + library.location() + "), because " + library.reason());
            }
            return new CommandLine.RunLast().execute(parsed);
        }
        return 0;
    }

    private static int misunderstood(ParameterException e, String[] arguments) {
        CommandLine command = e.getCommandLine();
        PrintWriter err = command.getErr();
        err.println("comch: " + TextFile.visible(String.valueOf(e.getMessage())));
        UnmatchedArgumentException.printSuggestions(e, err);
        err.println("See \"" + command.getCommandSpec().qualifiedName() + " --help\".");
        return USAGE;
    }

    private static int failed(Exception e, CommandLine command, ParseResult parsed) throws Exception {
        String sentence = sentence(e);
        boolean traces = CommonOptions.of(parsed).traces();
        System.out.flush();
        command.getErr().println("comch: " + TextFile.visible(sentence));
        if (traces) {
            e.printStackTrace(command.getErr());
        }
        return FAILED;
    }

    private static String sentence(Exception e) {
        if (e instanceof IOException) {
            return "input or output failed: " + e.getMessage();
        }
        boolean expected = e instanceof ProgramException
                || e instanceof DocaException
                || e instanceof NativeLibraryException
                || e instanceof NoSuchDeviceException
                || e instanceof InvalidPathException; // of a locale that has not all letters
        return expected ? e.getMessage() : e + " (an error of comch itself; -vv shows where)";
    }
}
