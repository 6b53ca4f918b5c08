package io.github.comch4j.emulator;

import io.github.comch4j.core.Doca;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The command line of a JVM that has this one's class path, module path and modules. */
final class JavaCommand {
    /** Options of the launcher that say which modules there are, and what they show to others. */
    private static final List<String> OF_MODULES = List.of(
            "--add-modules=",
            "--add-opens=",
            "--add-exports=",
            "--add-reads=",
            "--patch-module=",
            "--limit-modules=",
            "--upgrade-module-path=");

    /** What the kernel takes as one word of a command line is 128 KiB. */
    private static final int LONGEST_WORD = 120 << 10;

    private static final Charset ENCODING = Charset.forName(System.getProperty("sun.jnu.encoding"));

    private final List<String> options = new ArrayList<>();
    private @Nullable Path argumentFile;

    JavaCommand() {
        Module library = Doca.class.getModule();
        add("--enable-native-access=ALL-UNNAMED" + (library.isNamed() ? "," + library.getName() : ""));
        addPath("--class-path", System.getProperty("java.class.path"));
        addPath("--module-path", System.getProperty("jdk.module.path"));
        own().stream()
                .filter(option -> OF_MODULES.stream().anyMatch(option::startsWith))
                .forEach(this::add);
    }

    /** The options of this JVM, those of argument files among them where it has the module that tells. */
    private static List<String> own() {
        return ModuleLayer.boot().findModule("java.management").isPresent()
                ? ManagementFactory.getRuntimeMXBean().getInputArguments()
                : ofCommandLine();
    }

    private static List<String> ofCommandLine() {
        String[] words;
        try {
            words = new String(Files.readAllBytes(Path.of("/proc/self/cmdline")), ENCODING).split("\0");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        List<String> joined = new ArrayList<>();
        for (int i = 0; i < words.length; i++) {
            boolean alone = OF_MODULES.contains(words[i] + "=") && i + 1 < words.length;
            joined.add(alone ? words[i] + "=" + words[++i] : words[i]);
        }
        return joined;
    }

    private void addPath(String option, @Nullable String path) {
        if (path != null && !path.isEmpty()) {
            add(option);
            add(path);
        }
    }

    void add(String option) {
        options.add(option);
    }

    /** With that main class; to be called once. */
    ProcessBuilder main(Class<?> main, List<String> arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        if (options.stream().anyMatch(option -> option.length() > LONGEST_WORD)) {
            command.add("@" + writeArgumentFile());
        } else {
            command.addAll(options);
        }
        Module module = main.getModule();
        if (module.isNamed()) {
            command.add("--module");
            command.add(module.getName() + "/" + main.getName());
        } else {
            command.add(main.getName());
        }
        command.addAll(arguments);
        return new ProcessBuilder(command);
    }

    private Path writeArgumentFile() {
        try {
            Path file = Files.createTempFile("comch4j-test-", ".args");
            argumentFile = file;
            String text = options.stream().map(JavaCommand::quoted).collect(Collectors.joining("\n"));
            return Files.writeString(file, text, ENCODING);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String quoted(String option) {
        return '"' + option.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + '"';
    }

    /** When the JVM has ended, or has not been started: removes what only it has read. */
    void close() {
        if (argumentFile != null) {
            argumentFile.toFile().delete();
        }
    }
}
