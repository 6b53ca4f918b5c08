package io.github.comch4j.abi;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** docs/api-map.md tells of each function where it is in Java, or why it is not. */
class ApiMapTest {
    private static final Path BINDINGS = Path.of("generated", "io", "github", "comch4j", "ffi");
    private static final List<String> HEADERS =
            List.of("doca_h.java", "cc/cc_h.java", "channel/channel_h.java", "dma/dma_h.java", "dpa/dpa_h.java");
    private static final Pattern SYMBOL = Pattern.compile("(?:findOrThrow|downcall|call)\\(\"(doca_\\w+)\"");
    private static final Pattern ROW = Pattern.compile("\\| `(doca_\\w+)` \\| (.*\\S) \\|");
    private static final Pattern MEMBER = Pattern.compile("`([\\w.]+)\\.(\\w+)`");
    private static final String REASON = "not exposed: ";

    private static Set<String> bound() throws IOException {
        Set<String> bound = new TreeSet<>();
        for (String header : HEADERS) {
            bound.addAll(SYMBOL.matcher(Files.readString(BINDINGS.resolve(header)))
                    .results()
                    .map(result -> result.group(1))
                    .toList());
        }
        return bound;
    }

    private static Map<String, String> rows() throws IOException {
        Map<String, String> rows = new LinkedHashMap<>();
        for (String line : Files.readAllLines(Path.of("docs", "api-map.md"))) {
            Matcher row = ROW.matcher(line);
            if (row.matches()) {
                assertThat(rows.put(row.group(1), row.group(2)))
                        .as("a second row of " + row.group(1))
                        .isNull();
            }
        }
        return rows;
    }

    @Test
    void eachFunctionHasARow() throws IOException {
        assertThat(bound()).hasSizeGreaterThan(250).contains("doca_cc_server_create");
        assertThat(new TreeSet<>(rows().keySet())).isEqualTo(bound());
    }

    @Test
    void eachRowNamesMembersThatExistOrAReason() throws IOException {
        List<String> wrong = new ArrayList<>();
        rows().forEach((function, text) -> {
            if (text.startsWith(REASON)) {
                if (text.length() < REASON.length() + 10) {
                    wrong.add(function + ": no reason");
                }
                return;
            }
            List<MatchResult> members = MEMBER.matcher(text).results().toList();
            if (members.isEmpty()) {
                wrong.add(function + ": no member");
            }
            for (MatchResult member : members) {
                if (!exists(member.group(1), member.group(2))) {
                    wrong.add(function + ": there is no " + member.group());
                }
            }
        });
        assertThat(wrong).isEmpty();
    }

    @Test
    void itsCountsAreThoseOfItsRows() throws IOException {
        long absent =
                rows().values().stream().filter(text -> text.startsWith(REASON)).count();
        assertThat(Files.readString(Path.of("docs", "api-map.md")))
                .contains(rows().size() + " functions: " + (rows().size() - absent) + " are there, " + absent
                        + " are not.");
    }

    private static boolean exists(String type, String member) {
        try {
            // packages are lower case, so what follows the first capital is nested
            String name = "io.github.comch4j." + type.replaceAll("(?<=[.]|^)([A-Z]\\w*)\\.(?=[A-Z])", "$1\\$");
            Class<?> found = Class.forName(name, false, ApiMapTest.class.getClassLoader());
            return Modifier.isPublic(found.getModifiers())
                    && (has(found.getMethods(), member)
                            || (found.getSuperclass() != null
                                    && has(found.getSuperclass().getMethods(), member)));
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    private static boolean has(Method[] methods, String name) {
        return Arrays.stream(methods).anyMatch(method -> method.getName().equals(name));
    }
}
