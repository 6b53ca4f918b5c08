package io.github.comch4j;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Which package may use which, by what jdeps finds in the classes: a package uses only packages that stand above it in
 * this list.
 */
class PackagesTest {
    private static final String ROOT = "io.github.comch4j";
    private static final Pattern ARROW = Pattern.compile("^\\s+(\\S+)\\s+-> (io\\.github\\.comch4j\\S*)\\s.*$");

    /** The type, without what is nested in it. */
    private static final Pattern IMPORT = Pattern.compile(
            "^import (?:static )?(io\\.github\\.comch4j\\.(?:[a-z0-9]+\\.)*[A-Z]\\w*)", Pattern.MULTILINE);

    /** From the bottom up. */
    private static final List<String> ORDER = List.of(
            "internal.access",
            "internal.observe",
            "",
            "internal.failure",
            "internal.load",
            "ffi",
            "ffi.cc",
            "ffi.channel",
            "ffi.dma",
            "ffi.dpa",
            "ffi.batch",
            "internal.call",
            "internal.transport",
            "internal.life",
            "core",
            "transfer",
            "comch",
            "channel",
            "dma",
            "dpa",
            "link",
            "io",
            "rpc",
            "netty",
            "streams",
            "net",
            "management",
            "micrometer",
            "emulator",
            "testing",
            "cli.program",
            "cli.conformance",
            "cli.fabric",
            "cli.copy",
            "cli.doctor",
            "cli.sample",
            "cli.perf",
            "cli.relay",
            "cli");

    /** Packages with one user each, or few: who else needs them goes through these. */
    private static final Map<String, Set<String>> USERS = Map.of(
            "ffi", Set.of("internal.call", "ffi.cc", "ffi.channel", "ffi.dma", "ffi.dpa", "ffi.batch"), // where to look
            "ffi.cc", Set.of("internal.call"),
            "ffi.channel", Set.of("internal.call"),
            "ffi.dma", Set.of("internal.call"),
            "ffi.dpa", Set.of("internal.call", "emulator"), // kernels in Java call what those in C call
            "ffi.batch", Set.of("internal.transport"));

    private static List<Arrow> arrows;

    /** A package that uses another one, and one class because of which it does. */
    private record Arrow(String from, String to, String because) {
        @Override
        public String toString() {
            return named(from) + " uses " + named(to) + ": " + because;
        }

        private static String named(String shortName) {
            return shortName.isEmpty() ? ROOT : shortName;
        }
    }

    @BeforeAll
    static void findArrows() {
        arrows = arrowsIn(Path.of("target", "classes"));
    }

    private static List<Arrow> arrowsIn(Path classes) {
        StringWriter out = new StringWriter();
        ToolProvider jdeps = ToolProvider.findFirst("jdeps").orElseThrow();
        PrintWriter writer = new PrintWriter(out);
        int status = jdeps.run(
                writer,
                writer,
                "-verbose:class",
                "-filter:none",
                "--ignore-missing-deps",
                "--multi-release",
                "base",
                classes.toString());
        assertThat(status).as(out.toString()).isZero();
        Map<String, Arrow> found = new TreeMap<>();
        for (String line : out.toString().lines().toList()) {
            Matcher arrow = ARROW.matcher(line);
            if (arrow.matches() && arrow.group(1).startsWith(ROOT)) {
                String from = packageOf(arrow.group(1));
                String to = packageOf(arrow.group(2));
                if (!from.equals(to)) {
                    String because = simpleName(arrow.group(1)) + " uses " + simpleName(arrow.group(2));
                    found.putIfAbsent(from + " " + to, new Arrow(from, to, because));
                }
            }
        }
        return List.copyOf(found.values());
    }

    /** Without {@link #ROOT}. */
    private static String packageOf(String type) {
        String name = type.substring(0, type.lastIndexOf('.'));
        return name.equals(ROOT) ? "" : name.substring(ROOT.length() + 1);
    }

    private static String simpleName(String type) {
        return type.substring(type.lastIndexOf('.') + 1);
    }

    private static List<Arrow> upward(List<Arrow> all) {
        return all.stream()
                .filter(arrow -> ORDER.indexOf(arrow.to) > ORDER.indexOf(arrow.from))
                .toList();
    }

    private static List<Arrow> pastTheirUsers(List<Arrow> all) {
        return all.stream()
                .filter(arrow ->
                        USERS.containsKey(arrow.to) && !USERS.get(arrow.to).contains(arrow.from))
                .toList();
    }

    @Test
    void eachPackageHasAPlaceInTheOrder() {
        Set<String> packages = arrows.stream().map(Arrow::from).collect(Collectors.toSet());
        assertThat(packages).as("what jdeps has seen").contains("comch", "core", "internal.call", "internal.life");
        packages.addAll(arrows.stream().map(Arrow::to).toList());
        assertThat(ORDER).containsAll(packages);
    }

    @Test
    void arrowsPointDownOnly() {
        assertThat(upward(arrows)).isEmpty();
    }

    /** So that the name tells: what is made of public classes is not in that drawer. */
    @Test
    void whatIsInternalLiesBelowCore() {
        assertThat(ORDER.subList(ORDER.indexOf("core"), ORDER.size()))
                .contains("transfer", "link", "streams")
                .noneMatch(name -> name.startsWith("internal"));
    }

    /** Imports for Javadoc leave nothing in the classes. */
    @Test
    void importsPointDownOnly() throws IOException {
        List<Arrow> imports = importsIn(Path.of("src", "main", "java"));
        assertThat(imports).as("what was read").hasSizeGreaterThan(100);
        assertThat(upward(imports)).isEmpty();
    }

    private static List<Arrow> importsIn(Path sources) throws IOException {
        Map<String, Arrow> found = new TreeMap<>();
        try (Stream<Path> files = Files.walk(sources)) {
            for (Path file :
                    files.filter(path -> path.toString().endsWith(".java")).toList()) {
                String type =
                        sources.relativize(file).toString().replace('/', '.').replaceFirst("\\.java$", "");
                Matcher imported = IMPORT.matcher(Files.readString(file));
                while (imported.find()) {
                    String from = packageOf(type);
                    String to = packageOf(imported.group(1));
                    String because = simpleName(type) + " imports " + simpleName(imported.group(1));
                    found.putIfAbsent(from + " " + to, new Arrow(from, to, because));
                }
            }
        }
        return List.copyOf(found.values());
    }

    @Test
    void theBindingsHaveOneUser() {
        assertThat(pastTheirUsers(arrows)).isEmpty();
    }

    @Test
    void anUpwardArrowIsFoundWithItsClass(@TempDir Path folder) throws IOException {
        List<Arrow> found = arrowsIn(compile(
                folder,
                Map.of(
                        "internal.observe.Low", "public class Low { io.github.comch4j.comch.High high; }",
                        "internal.observe.Innocent", "public class Innocent { }",
                        "comch.High", "public class High { io.github.comch4j.internal.observe.Innocent used; }",
                        "core.Sneaky", "public class Sneaky { io.github.comch4j.ffi.Binding binding; }",
                        "ffi.Binding", "public class Binding { }")));
        assertThat(found).hasSize(3);
        assertThat(upward(found))
                .extracting(Arrow::toString)
                .containsExactly("internal.observe uses comch: Low uses High");
        assertThat(pastTheirUsers(found))
                .extracting(Arrow::toString)
                .containsExactly("core uses ffi: Sneaky uses Binding");
    }

    /** Classes by their names below {@link #ROOT}; returns where they are. */
    private static Path compile(Path folder, Map<String, String> classes) throws IOException {
        List<String> arguments =
                new ArrayList<>(List.of("-d", folder.resolve("classes").toString()));
        for (Map.Entry<String, String> entry : classes.entrySet()) {
            String type = ROOT + "." + entry.getKey();
            Path file = folder.resolve("sources").resolve(type.replace('.', '/') + ".java");
            Files.createDirectories(file.getParent());
            Files.writeString(file, "package " + type.substring(0, type.lastIndexOf('.')) + ";\n" + entry.getValue());
            arguments.add(file.toString());
        }
        StringWriter out = new StringWriter();
        PrintWriter writer = new PrintWriter(out);
        ToolProvider javac = ToolProvider.findFirst("javac").orElseThrow();
        assertThat(javac.run(writer, writer, arguments.toArray(String[]::new)))
                .as(out.toString())
                .isZero();
        return folder.resolve("classes");
    }
}
