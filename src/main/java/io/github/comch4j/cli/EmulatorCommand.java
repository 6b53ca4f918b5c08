package io.github.comch4j.cli;

import io.github.comch4j.cli.fabric.Fabric;
import io.github.comch4j.cli.program.Interrupt;
import io.github.comch4j.cli.program.ProgramException;
import io.github.comch4j.internal.load.FolderRemoval;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** {@code comch emulator}. */
@Command(
        name = "emulator",
        description = "Commands for the emulated BlueField.",
        synopsisSubcommandLabel = "COMMAND",
        footer = "  comch emulator run -- mvn test    on a private emulated machine",
        subcommands = {
            EmulatorCommand.Run.class,
            EmulatorInstall.class,
            EmulatorFaults.class,
            EmulatorCommand.Clean.class
        })
final class EmulatorCommand extends ToolCommand implements Runnable {
    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "the command is missing");
    }

    /** {@code comch emulator run}. */
    @Command(
            name = "run",
            description = "Run a command and its children on a private emulated machine: a fabric folder that is"
                    + " removed when the command ends.",
            exitCodeList = {"1:the command cannot be started", "2:wrong command line of comch", "else:the command's own"
            },
            footer = "  comch emulator run -- sh -c 'comch serve & sleep 2; comch ping -c 3; kill $!'")
    static final class Run extends ToolCommand implements Callable<Integer> {
        @Option(
                names = "--in",
                paramLabel = "FOLDER",
                defaultValue = "/dev/shm",
                description = "where to create the fabric folder (${DEFAULT-VALUE})")
        private Path in;

        @Option(
                names = "--strict",
                description = "a machine that follows the stricter reading where DOCA's guides leave questions"
                        + " open, for programs that must run on a card")
        private boolean strict;

        @Parameters(paramLabel = "CMD", arity = "1..*", description = "the command and its arguments")
        private List<String> command;

        @Override
        public Integer call() throws IOException {
            Path folder = Files.createTempDirectory(in, "comch-"); // for this user alone
            try (Interrupt interrupt = new Interrupt()) {
                try {
                    return run(folder, interrupt);
                } finally {
                    IOException left = FolderRemoval.of(folder);
                    if (left != null) {
                        System.err.println("comch: warning: cannot remove " + folder + "; a process that outlives the"
                                + " command may write to it: " + left.getMessage() + ": "
                                + ProgramException.reason(left));
                    }
                }
            }
        }

        private int run(Path folder, Interrupt interrupt) throws IOException {
            ProcessBuilder builder = new ProcessBuilder(command).inheritIO();
            builder.environment().put("DOCA_EMU_DIR", folder.toString());
            if (strict) {
                builder.environment().put("DOCA_EMU_STRICT", "1");
            }
            Process process = builder.start();
            boolean told = false;
            while (true) {
                try {
                    if (process.waitFor(50, TimeUnit.MILLISECONDS)) {
                        return process.exitValue();
                    }
                } catch (InterruptedException e) {
                    throw new IllegalStateException("interrupted", e); // nobody interrupts the main thread
                }
                if (interrupt.stopped() && !told) {
                    told = true;
                    process.destroy(); // a Ctrl-C it has had itself, a kill it has not
                }
            }
        }
    }

    /** {@code comch emulator clean}. */
    @Command(
            name = "clean",
            description = "Remove what dead servers have left in the fabric folder. Running servers are not affected.",
            footer = "  comch emulator clean     in DOCA_EMU_DIR, or in this user's default folder")
    static final class Clean extends ToolCommand implements Runnable {
        @Option(
                names = "--in",
                paramLabel = "FOLDER",
                description = "the fabric folder (that of DOCA_EMU_DIR, or this user's default)")
        private @Nullable Path in;

        @Override
        public void run() {
            Path folder = in != null ? in : Fabric.usual(System.getenv());
            if (!Files.isDirectory(folder)) {
                System.out.println("there is no " + folder);
                return;
            }
            try {
                Fabric fabric = new Fabric(folder);
                List<String> dead = fabric.dead()
                        .orElseThrow(() -> new ProgramException("it is unknown which servers in " + folder
                                + " are alive: flock of util-linux does not answer"));
                int removed = 0;
                for (String name : dead) {
                    if (fabric.remove(name)) {
                        System.out.println("removed " + name);
                        removed++;
                    }
                }
                System.out.println(folder + ": removed what " + removed
                        + (removed == 1 ? " server has" : " servers have") + " left");
            } catch (IOException e) {
                throw new ProgramException("cannot look into " + folder + ": " + e.getMessage(), e);
            }
        }
    }
}
