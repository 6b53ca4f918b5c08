package io.github.comch4j.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The archive and the jar of the tool, as a user has them. */
@Timeout(180)
class ToolIT {
    private static final Path OLD_JAVA = Path.of("/usr/lib/jvm/java-17-openjdk-amd64");
    private static final Pattern COLOUR = Pattern.compile("\033\\[[0-9;]*m");

    @TempDir
    private Path folder;

    private Path home;

    private record Ended(int status, String out) {}

    @BeforeEach
    void unpack() throws Exception {
        Path archive = built("comch-.*\\.tar\\.gz");
        assertThat(run(Map.of(), "tar", "xzf", archive.toString(), "-C", folder.toString()).status)
                .isZero();
        try (Stream<Path> files = Files.list(folder)) {
            home = files.filter(Files::isDirectory).findFirst().orElseThrow();
        }
    }

    private static Path built(String name) throws IOException {
        try (Stream<Path> files = Files.list(Path.of("target").toAbsolutePath())) {
            return files.filter(file -> file.getFileName().toString().matches(name))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private Ended run(Map<String, String> environment, String... command) throws Exception {
        Path output = Files.createTempFile(folder, "run", ".out");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().remove("NO_COLOR");
        builder.environment().put("TERM", "xterm");
        builder.environment().put("SHELL", "/bin/sh"); // which script starts
        builder.environment().putAll(environment);
        int status = builder.start().waitFor();
        return new Ended(status, Files.readString(output));
    }

    private Ended comch(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(home.resolve("bin/comch").toString()));
        command.addAll(List.of(arguments));
        return run(Map.of("DOCA_EMU_SIDE", "host", "COMCH4J_LIBRARY", "emulated"), command.toArray(new String[0]));
    }

    @Test
    void theLauncherRunsFromAnywhere() throws Exception {
        Ended version = comch("--version");
        assertThat(version.out).matches("comch \\d.*\\n");
        Path link = Files.createSymbolicLink(folder.resolve("link"), home.resolve("bin/comch"));
        Ended devices = run(Map.of("DOCA_EMU_SIDE", "host", "COMCH4J_LIBRARY", "emulated"), link.toString(), "devices");
        assertThat(devices.out).startsWith("DEVICE").contains("0000:b1:00.0").doesNotContain("WARNING");
        assertThat(devices.status).isZero();
    }

    /** Also with an archive that is none of this Java's, of which nobody hears. */
    @Test
    void anArchiveOfClassesIsMadeOnRequest() throws Exception {
        Path archive = home.resolve("lib/comch.jsa");
        String before = comch("list").out;
        try {
            Ended setup = comch("--setup");
            assertThat(setup.out).isEqualTo(archive + ": commands start faster with this Java\n");
            assertThat(setup.status).isZero();
            assertThat(comch("list").out).isEqualTo(before);
            String loaded = run(
                            Map.of("COMCH_JAVA_OPTS", "-Xlog:class+load:stderr"),
                            home.resolve("bin/comch").toString(),
                            "--version")
                    .out;
            assertThat(loaded)
                    .containsPattern("picocli.CommandLine source: shared objects file \\(top\\)|"
                            + "picocli.CommandLine source: shared objects file\n");
            Files.writeString(archive, "no archive");
            assertThat(comch("list").out).isEqualTo(before);
        } finally {
            Files.deleteIfExists(archive);
        }
    }

    /** The JVM's own files, which would have the descriptors, are neither sent nor written to. */
    @Test
    void closedDescriptorsCannotBeUsed() throws Exception {
        Ended ended = run(
                Map.of("PATH", home.resolve("bin") + ":" + System.getenv("PATH"), "COMCH4J_LIBRARY", "emulated"),
                "sh",
                "-c",
                "cd " + folder + "; comch emulator run -- sh -c '"
                        + "DOCA_EMU_SIDE=dpu comch recv >got & DOCA_EMU_SIDE=host comch send <&-; echo send $?;"
                        + " wait; echo got $(wc -c <got); comch list >&-; echo list $?;"
                        + " comch --nonsense <&- >&- 2>&-; echo $?'");
        assertThat(ended.out)
                .contains("stdin cannot be read: Bad file descriptor", "send 1\n", "got 0\n")
                .contains("stdout cannot be written to", "list 1\n2\n");
    }

    /** Neither when it is asked for its threads, nor when it warns, nor when it makes an archive of classes. */
    @Test
    void whatTheJvmSaysIsNoOutput() throws Exception {
        Path noArchive = Files.writeString(folder.resolve("none.jsa"), "no archive");
        Path out = folder.resolve("stdout");
        Path err = folder.resolve("stderr");
        ProcessBuilder builder = new ProcessBuilder(home.resolve("bin/comch").toString(), "recv", "--name", "nobody")
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().put("COMCH4J_LIBRARY", "emulated");
        builder.environment().put("DOCA_EMU_SIDE", "dpu");
        builder.environment().put("DOCA_EMU_DIR", folder.resolve("fabric").toString());
        builder.environment().put("COMCH_JAVA_OPTS", "-XX:SharedArchiveFile=" + noArchive);
        Process recv = builder.start();
        try {
            // the JVM has its handler of the signal when it runs Java, and without one the signal would end it
            Path threads = Path.of("/proc", Long.toString(recv.pid()), "maps");
            while (!Files.readString(threads).contains("libdoca_comch")) {
                assertThat(recv.isAlive()).as(Files.readString(err)).isTrue();
                Thread.sleep(20);
            }
            run(Map.of(), "kill", "-QUIT", Long.toString(recv.pid()));
            while (!Files.readString(err).contains("Full thread dump")
                    && !Files.readString(out).contains("Full thread dump")) {
                assertThat(recv.isAlive()).as(Files.readString(err)).isTrue();
                Thread.sleep(20);
            }
        } finally {
            recv.destroy();
            recv.waitFor();
        }
        assertThat(out).isEmptyFile();
        assertThat(Files.readString(err)).contains("none.jsa", "Full thread dump");

        String options = "-XX:ArchiveClassesAtExit=" + folder.resolve("made.jsa");
        Ended made = run(
                Map.of("COMCH_JAVA_OPTS", options, "COMCH4J_LIBRARY", "emulated", "DOCA_EMU_SIDE", "host"),
                "sh",
                "-c",
                "exec \"$0\" devices --json 2>/dev/null",
                home.resolve("bin/comch").toString());
        assertThat(folder.resolve("made.jsa")).exists();
        assertThat(made.out).startsWith("[\n").endsWith("]\n");
    }

    @Test
    void aFolderThatHasBeenRemovedIsSaid() throws Exception {
        Ended ended = run(
                Map.of(),
                "sh",
                "-c",
                "mkdir \"$1\"; cd \"$1\"; rmdir \"$1\"; exec \"$0\" --version",
                home.resolve("bin/comch").toString(),
                folder.resolve("gone").toString());
        // some shells have a line of their own, before the script begins
        assertThat(ended.out).endsWith("comch: the current folder has been removed: change to one that is there\n");
        assertThat(ended.out).doesNotContain("initialization of VM");
        assertThat(ended.status).isEqualTo(1);
    }

    /** As of a service. */
    @Test
    void withoutALocaleFilesHaveAnyName() throws Exception {
        Ended ended = run(
                Map.of(),
                "sh",
                "-c",
                "unset LANG LC_ALL LC_CTYPE; exec \"$0\" list --fabric \"$(printf '/none\\303\\244')\"",
                home.resolve("bin/comch").toString());
        assertThat(ended.out).startsWith("comch: there is no fabric folder /none\u00e4: ");
        Ended ascii = run(
                Map.of("LC_ALL", "C", "COMCH4J_LIBRARY", "emulated", "DOCA_EMU_SIDE", "host"),
                "sh",
                "-c",
                "exec \"$0\" relay \"$(printf 'unix:/none\\303\\244')\" comch:none",
                home.resolve("bin/comch").toString());
        assertThat(ascii.out).startsWith("comch: Malformed input or input contains unmappable characters: /none");
    }

    @Test
    void theLauncherSaysWhichJavaItWants() throws Exception {
        Ended none = run(
                Map.of("JAVA_HOME", folder.toString()),
                home.resolve("bin/comch").toString());
        assertThat(none.status).isEqualTo(1);
        assertThat(none.out).startsWith("comch: no Java here").hasLineCount(1);
        assumeTrue(Files.exists(OLD_JAVA.resolve("release")), "no Java 17 here");
        Ended old = run(
                Map.of("JAVA_HOME", OLD_JAVA.toString()),
                home.resolve("bin/comch").toString());
        assertThat(old.status).isEqualTo(1);
        assertThat(old.out)
                .contains("is Java 17: set JAVA_HOME to a JDK or JRE 22 or newer")
                .hasLineCount(1);
    }

    @Test
    void oneJarIsEnough() throws Exception {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        Ended help = run(Map.of(), java, "-jar", built("comch4j-.*-tool\\.jar").toString(), "--help");
        assertThat(help.status).isZero();
        assertThat(help.out).startsWith("Usage: comch").contains("Commands:", "Exit status:", "Examples:");
    }

    /** Each command has help with an example, a page for man, and is completed by bash. */
    @Test
    void eachCommandIsExplainedAndCompleted() throws Exception {
        String completion =
                home.resolve("share/bash-completion/completions/comch").toString();
        Ended completed = run(
                Map.of(),
                "bash",
                "-c",
                ". '" + completion + "'; COMP_WORDS=(comch ''); COMP_CWORD=1; _complete_comch;"
                        + " printf '%s\\n' \"${COMPREPLY[@]}\"");
        List<String> commands =
                completed.out.lines().filter(word -> word.matches("[a-z]+")).toList();
        assertThat(commands).contains("info", "devices", "serve", "ping", "sample", "conformance");
        for (String command : commands) {
            Ended help = comch(command, "--help");
            assertThat(help.status).isZero();
            assertThat(help.out).contains("Usage: comch " + command).containsPattern("Examples?:\\n  comch " + command);
            String page = Files.readString(home.resolve("share/man/man1/comch-" + command + ".1"));
            assertThat(page).contains(".SH \"NAME\"", ".SH \"SYNOPSIS\"", ".SH \"EXAMPLE");
        }
        Ended options = run(
                Map.of(),
                "bash",
                "-c",
                ". '" + completion + "'; COMP_WORDS=(comch ping --t); COMP_CWORD=2; _complete_comch 2>/dev/null;"
                        + " printf '%s\\n' \"${COMPREPLY[@]}\"");
        assertThat(options.out.strip()).isEqualTo("--timeout");
    }

    /** By zsh itself, in a terminal, which finds the file in its fpath. */
    @Test
    void zshCompletes() throws Exception {
        assumeTrue(run(Map.of(), "sh", "-c", "command -v zsh").status == 0, "no zsh here");
        String program = """
                zmodload zsh/zpty
                zpty shell zsh -f -i
                zpty -w shell 'fpath=(HOME/share/zsh/site-functions $fpath); autoload -U compinit; compinit -u -D'
                complete() {
                  zpty -w -n shell $'\\x15'"$1"$'\\t'
                  zpty -r shell said "*$2*" && print -r -- "$said"
                }
                complete 'comch em' 'comch emulator'
                complete 'comch ping --tim' 'comch ping --timeout'
                complete 'comch perf rec' 'comch perf records'
                complete 'ls /etc/hostn' 'ls /etc/hostname'
                """.replace("HOME", home.toString());
        Ended ended = run(Map.of(), "timeout", "60", "zsh", "-fc", program);
        assertThat(ended.status).as(ended.out).isZero();
        assertThat(ended.out).contains("comch perf records").doesNotContain("not found");
    }

    /** As by the script, file by file, and of use: the example of {@code comch emulator install --help}. */
    @Test
    void theSdkFolder() throws Exception {
        for (String release : List.of("3.0", "2.6", "2.5", "1.2")) {
            Path ours = folder.resolve("ours " + release);
            Path theirs = folder.resolve("theirs " + release);
            Ended ended = comch("emulator", "install", "--dpu", "--release", release, ours.toString());
            assertThat(ended.status).as(ended.out).isZero();
            run(Map.of(), "scripts/install-emulator.sh", "--dpu", "--release", release, theirs.toString());
            Ended compared = run(Map.of(), "diff", "-r", "--no-dereference", ours.toString(), theirs.toString());
            assertThat(compared.status).as(compared.out).isZero();
        }
        Path source = Files.writeString(folder.resolve("app.c"), """
                #include <doca_dev.h>
                #include <stdio.h>

                int main(void)
                {
                    struct doca_devinfo **list;
                    uint32_t count;
                    if (doca_devinfo_create_list(&list, &count) != DOCA_SUCCESS)
                        return 1;
                    printf("%u devices\\n", count);
                    return doca_devinfo_destroy_list(list) == DOCA_SUCCESS ? 0 : 1;
                }
                """);
        Path prefix = folder.resolve("sdk");
        Ended built = run(
                Map.of("PATH", home.resolve("bin") + ":" + System.getenv("PATH"), "DOCA_EMU_SIDE", "dpu"),
                "sh",
                "-ec",
                "cd " + folder + "; comch emulator install " + prefix + " >installed; sed 1d installed >use; . ./use;"
                        + " cc -DDOCA_ALLOW_EXPERIMENTAL_API " + source
                        + " -o app $(pkg-config --cflags --libs doca-comch doca-common);"
                        + " comch emulator run -- ./app");
        assertThat(built.out).isEqualTo("1 devices\n");
    }

    @Test
    void whatCannotBeInstalledIsSaid() throws Exception {
        Ended release = comch("emulator", "install", "--release", "4.0", folder.toString());
        assertThat(release.status).isEqualTo(2);
        assertThat(release.out).contains("--release 4.0: must be one of 3.0, 2.6, 2.5, 1.2");
        Ended nowhere = comch("emulator", "install", "/proc/none");
        assertThat(nowhere.status).isEqualTo(1);
        assertThat(nowhere.out)
                .startsWith("comch: nothing can be installed in /proc/none: ")
                .hasLineCount(1);
        Path taken = Files.createDirectories(folder.resolve("taken"));
        Files.createDirectories(taken.resolve("include/doca_error.h/x"));
        Ended half = comch("emulator", "install", taken.toString());
        assertThat(half.status).isEqualTo(1);
        assertThat(half.out).contains("doca_error.h", "comch: not everything could be installed in " + taken);
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        Ended without = run(
                Map.of(),
                java,
                "-cp",
                System.getProperty("java.class.path"),
                Comch.class.getName(),
                "emulator",
                "install",
                folder.toString());
        assertThat(without.out)
                .startsWith("comch: this comch has no SDK folders for ")
                .hasLineCount(1);
    }

    /** The example of {@code comch emulator run --help}: both ends, and nothing is left. */
    @Test
    void bothEndsOnAMachineOfTheirOwn() throws Exception {
        String help = comch("emulator", "run", "--help").out;
        String example = help.substring(help.indexOf("  comch emulator run")).strip();
        Ended ended = run(
                Map.of("PATH", home.resolve("bin") + ":" + System.getenv("PATH"), "COMCH4J_LIBRARY", "emulated"),
                "sh",
                "-c",
                example);
        assertThat(ended.out)
                .contains("serves 0000:b1:00.0", "seq=3 time=", "3 sent, 3 came back", "3 messages answered");
    }

    /** Colour in a terminal, and never with NO_COLOR or into a pipe. */
    @Test
    void colourIsForTerminals() throws Exception {
        String help = home.resolve("bin/comch") + " --help";
        assertThat(run(Map.of(), "script", "-qec", help, "/dev/null").out).containsPattern(COLOUR);
        assertThat(run(Map.of("NO_COLOR", "1"), "script", "-qec", help, "/dev/null").out)
                .contains("Usage: ")
                .doesNotContainPattern(COLOUR);
        assertThat(run(Map.of("TERM", "dumb"), "script", "-qec", help, "/dev/null").out)
                .contains("Usage: ")
                .doesNotContainPattern(COLOUR);
        assertThat(comch("--help").out).contains("Usage: ").doesNotContainPattern(COLOUR);
    }
}
