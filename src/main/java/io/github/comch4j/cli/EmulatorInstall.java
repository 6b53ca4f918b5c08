package io.github.comch4j.cli;

import io.github.comch4j.cli.program.ProgramException;
import io.github.comch4j.internal.load.Platform;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code comch emulator install}: unpacks what the build has packed, folders as {@code install-emulator.sh} makes. */
@Command(
        name = "install",
        description = "Install the emulated BlueField as an SDK folder with headers, libraries and pkg-config files, to"
                + " build C programs that were written for DOCA.",
        footer = {
            "  comch emulator install /opt/mellanox/doca",
            "  export PKG_CONFIG_PATH=/opt/mellanox/doca/lib/pkgconfig",
            "  export LD_LIBRARY_PATH=/opt/mellanox/doca/lib",
            "  cc -DDOCA_ALLOW_EXPERIMENTAL_API app.c \\",
            "      $(pkg-config --cflags --libs doca-comch doca-common)",
            "  comch emulator run -- ./a.out"
        })
final class EmulatorInstall extends ToolCommand implements Runnable {
    private static final List<String> RELEASES = List.of("3.0", "2.6", "2.5", "1.2");
    private static final String DPU = "dpu";

    @Parameters(paramLabel = "PREFIX", description = "the folder; existing files with the same names are replaced")
    private Path prefix;

    @Option(
            names = "--release",
            paramLabel = "R",
            defaultValue = "3.0",
            description = "the release of DOCA: 3.0, 2.6, 2.5, or 1.2, which has only Comm Channel (${DEFAULT-VALUE})")
    private String release;

    @Option(names = "--dpu", description = "install headers as on a DPU, with DOCA_ARCH_DPU defined")
    private boolean dpu;

    @Override
    public void run() {
        if (!RELEASES.contains(release)) {
            throw wrong("--release " + release + ": must be one of " + String.join(", ", RELEASES));
        }
        String packed = "/sdk/" + Platform.current().folder() + ".tar";
        try {
            Path folder = Files.createDirectories(prefix).toRealPath();
            unpack(packed, release, folder);
            if (dpu && Files.exists(folder.resolve("include/doca_build_config.h"))) {
                unpack(packed, DPU, folder);
            }
            System.out.println("installed in " + folder + "; to use it:");
            System.out.println(
                    "  export PKG_CONFIG_PATH=" + folder + "/lib/pkgconfig LD_LIBRARY_PATH=" + folder + "/lib");
        } catch (IOException e) {
            throw new ProgramException("nothing can be installed in " + prefix + ": " + ProgramException.reason(e), e);
        }
    }

    /** By the program that has packed it, which knows links and modes, and says itself what it cannot do. */
    private static void unpack(String packed, String member, Path folder) throws IOException {
        try (InputStream in = EmulatorInstall.class.getResourceAsStream(packed)) {
            if (in == null) {
                throw new ProgramException("this comch has no SDK folders for "
                        + Platform.current().arch() + ": comch-….tar.gz and comch4j-…-tool.jar have those that"
                        + " they were built for, of a DPU with -Paarch64");
            }
            List<String> words = new ArrayList<>(List.of("tar", "--extract", "--file", "-", "--strip-components", "1"));
            words.addAll(List.of("--no-same-owner", "--touch", "--directory", folder.toString(), member));
            Process tar =
                    new ProcessBuilder(words).redirectError(Redirect.INHERIT).start();
            boolean taken = true;
            try (OutputStream out = tar.getOutputStream()) {
                in.transferTo(out);
            } catch (IOException e) {
                taken = false; // tar has ended before, and has said why
            }
            if (tar.waitFor() != 0 || !taken) {
                throw new ProgramException("not everything could be installed in " + folder);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException("interrupted", e); // nobody interrupts the main thread
        }
    }
}
