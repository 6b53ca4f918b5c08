package io.github.comch4j.cli;

import io.github.comch4j.cli.fabric.Fabric;
import io.github.comch4j.cli.fabric.FabricProcess;
import io.github.comch4j.cli.fabric.FabricView;
import io.github.comch4j.cli.program.ProgramException;
import io.github.comch4j.core.Doca;
import io.github.comch4j.internal.call.EmulatorCalls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code comch emulator faults}: writes the files to which processes listen that were started so. */
@Command(
        name = "faults",
        description = "Switch faults on and off in a running process, in C or in Java, that was started with"
                + " DOCA_EMU_FAULTS=@NAME. Without a name: list the faults of all such processes.",
        footer = {
            "  DOCA_EMU_FAULTS=@server comch serve",
            "  comch emulator faults server refuse=2 latency=500",
            "  comch emulator faults server off",
            "  comch emulator faults",
            "",
            "Faults are refuse=N, accept_delay=MS, again=N, fail_send=K:ERROR,",
            "break_send=K:ERROR, fail_recv=K:ERROR, break_recv=K:ERROR, lose_recv=K:ERROR,",
            "fail_dma=K:ERROR, drop=K, latency=US and bandwidth=MB:",
            "docs/emulator-faults.md describes each."
        })
final class EmulatorFaults extends ToolCommand implements Runnable {
    private static final String SUFFIX = ".faults";
    private static final String OFF = "off";

    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "NAME",
            description = "the name in the process's DOCA_EMU_FAULTS")
    private @Nullable String name;

    @Parameters(
            index = "1..*",
            paramLabel = "FAULT",
            description = "the faults to inject, which replace the earlier ones; or off")
    private List<String> faults = List.of();

    @Option(names = "--in", paramLabel = "FOLDER", description = "the fabric folder (that of DOCA_EMU_DIR)")
    private @Nullable Path in;

    @Override
    public void run() {
        Path folder = in != null ? in : Fabric.usual(System.getenv());
        try {
            if (name == null) {
                list(folder);
                return;
            }
            if (!name.matches("[\\w-]{1,63}")) {
                throw wrong("\"" + name + "\": a name has letters, digits, - and _");
            }
            if (faults.isEmpty()) {
                throw wrong("the faults are missing: name at least one, or " + OFF);
            }
            if (faults.equals(List.of(OFF))) {
                Files.deleteIfExists(file(folder, name));
                print(folder, name, OFF);
            } else {
                String list = String.join(",", faults);
                check(list);
                tell(folder, name, list);
                print(folder, name, list);
            }
        } catch (IOException e) {
            throw new ProgramException("in " + folder + " nothing can be told: " + ProgramException.reason(e), e);
        }
    }

    private static Path file(Path folder, String of) {
        return folder.resolve(of + SUFFIX);
    }

    /** By the emulated device, in this process, in which nothing can go wrong by it. */
    private void check(String list) {
        System.setProperty(Doca.LIBRARY_PROPERTY, "emulated");
        try {
            EmulatorCalls.setFaults(list);
        } catch (IllegalArgumentException e) {
            throw wrong("\"" + list + "\" is not a list of faults: --help lists them");
        }
    }

    /** There at once and whole, as it is read at any moment. */
    private static void tell(Path folder, String of, String list) throws IOException {
        if (!Files.exists(folder)) {
            Files.createDirectory(
                    folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        }
        Path fresh = Files.createTempFile(folder, of, ".tmp"); // for this user alone
        try {
            Files.writeString(fresh, list + "\n");
            Files.move(fresh, file(folder, of), StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(fresh);
        }
    }

    private static void list(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            System.out.println("there is no " + folder);
            return;
        }
        List<Path> files;
        try (Stream<Path> all = Files.list(folder)) {
            files = all.filter(file -> file.toString().endsWith(SUFFIX))
                    .sorted()
                    .toList();
        }
        for (Path file : files) {
            if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
                String of = file.getFileName().toString();
                print(
                        folder,
                        of.substring(0, of.length() - SUFFIX.length()),
                        FabricView.printable(Files.readString(file).strip()));
            }
        }
    }

    /** With the processes that listen, as far as they are seen from here. */
    private static void print(Path folder, String of, String told) throws IOException {
        String wanted = "@" + of;
        List<FabricProcess> listeners = FabricProcess.startedWith(environment ->
                wanted.equals(environment.get("DOCA_EMU_FAULTS")) && isSame(Fabric.usual(environment), folder));
        listeners.removeIf(each -> each.pid() == ProcessHandle.current().pid());
        System.out.println(of + ": " + told
                + (listeners.isEmpty()
                        ? "; nobody that is seen from here was started with DOCA_EMU_FAULTS=" + wanted
                        : "; told to "
                                + listeners.stream()
                                        .map(FabricProcess::toString)
                                        .collect(Collectors.joining(", "))));
    }

    private static boolean isSame(Path one, Path other) {
        try {
            return Files.isSameFile(one, other);
        } catch (IOException e) {
            return one.equals(other); // there is none yet
        }
    }
}
