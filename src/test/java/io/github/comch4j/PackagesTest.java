package io.github.comch4j;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import org.junit.jupiter.api.Test;

/** Which package may use which, by what jdeps finds in the classes: a package uses only packages that stand above it in this list. */
class PackagesTest {
    private static final String ROOT = "io.github.comch4j";
    private static final Pattern ARROW = Pattern.compile("^\\s+(\\S+)\\s+-> (io\\.github\\.comch4j\\S*)\\s.*$");

    /** From the bottom up. */
    private static final List<String> ORDER = List.of("ffi", "ffi.batch", "internal.observe", "", "internal.load", "internal.call", "internal.transport",
            "internal.life", "core", "comch", "io", "management", "emulator", "internal.program", "samples", "cli");

    /** Packages with one user each, or few: who else needs them goes through these. */
    private static final Map<String, Set<String>> USERS = Map.of("ffi", Set.of("internal.call"), "ffi.batch", Set.of("internal.transport"));

    private static Map<String, Set<String>> dependencies() {
        StringWriter out = new StringWriter();
        ToolProvider jdeps = ToolProvider.findFirst("jdeps").orElseThrow();
        PrintWriter writer = new PrintWriter(out);
        int status = jdeps.run(writer, writer, "-verbose:package", "--ignore-missing-deps", "--multi-release", "base", "target/classes");
        assertThat(status).as(out.toString()).isZero();
        Map<String, Set<String>> found = new TreeMap<>();
        for (String line : out.toString().lines().toList()) {
            Matcher arrow = ARROW.matcher(line);
            if (arrow.matches() && arrow.group(1).startsWith(ROOT)) {
                found.computeIfAbsent(shortName(arrow.group(1)), from -> new TreeSet<>()).add(shortName(arrow.group(2)));
            }
        }
        return found;
    }

    private static String shortName(String name) {
        return name.equals(ROOT) ? "" : name.substring(ROOT.length() + 1);
    }

    @Test
    void arrowsPointDownOnly() {
        Map<String, Set<String>> found = dependencies();
        assertThat(found.keySet()).as("what jdeps has seen").contains("comch", "core", "internal.call", "internal.life");
        List<String> upward = new ArrayList<>();
        found.forEach((from, targets) -> targets.forEach(to -> {
            if (!ORDER.contains(from) || !ORDER.contains(to)) {
                upward.add(from + " -> " + to + ": a package without a place in the order");
            } else if (!from.equals(to) && ORDER.indexOf(to) > ORDER.indexOf(from)) {
                upward.add(from + " -> " + to);
            }
        }));
        assertThat(upward).isEmpty();
    }

    @Test
    void theBindingsHaveOneUser() {
        List<String> others = new ArrayList<>();
        dependencies().forEach((from, targets) -> targets.forEach(to -> {
            if (!from.equals(to) && USERS.containsKey(to) && !USERS.get(to).contains(from)) {
                others.add(from + " -> " + to);
            }
        }));
        assertThat(others).isEmpty();
    }
}
