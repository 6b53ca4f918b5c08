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
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * The table of where each function of DOCA is in Java, or why it is not: functions.py puts it into docs/functions.md.
 */
class ApiMapTest {
    private static final Pattern MEMBER = Pattern.compile("`([\\w.]+)\\.(\\w+)`");
    private static final String REASON = "not exposed: ";

    private static Map<String, String> rows() throws IOException {
        Map<String, String> rows = new LinkedHashMap<>();
        for (String line : Files.readAllLines(Path.of("src", "test", "abi", "api-map.tsv"))) {
            if (!line.startsWith("#")) {
                rows.put(line.substring(0, line.indexOf('\t')), line.substring(line.indexOf('\t') + 1));
            }
        }
        return rows;
    }

    @Test
    void eachRowNamesMembersThatExistOrAReason() throws IOException {
        Map<String, String> rows = rows();
        assertThat(rows).hasSizeGreaterThan(250).containsKey("doca_comch_server_create");
        List<String> wrong = new ArrayList<>();
        rows.forEach((function, text) -> {
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
