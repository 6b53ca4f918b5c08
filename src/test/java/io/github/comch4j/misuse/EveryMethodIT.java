package io.github.comch4j.misuse;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.Child;
import io.github.comch4j.Machine;
import io.github.comch4j.core.Doca;
import io.github.comch4j.misuse.EveryMethod.Mode;
import java.io.IOException;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Every public method, called where it must not be: closed, on another thread, inside callbacks, with nonsense. The VM
 * lives, and what comes out is of use.
 */
@Timeout(1200)
class EveryMethodIT {

    private static List<String> run(boolean batched, List<Mode> modes) {
        String list = modes.stream().map(Mode::name).collect(Collectors.joining(","));
        List<String> options = List.of(
                "-D" + Doca.LIBRARY_PROPERTY + "=" + Machine.emulation(),
                "-D" + Doca.BATCH_PROPERTY + "=" + batched,
                "-XX:-CreateCoredumpOnCrash",
                "-Djava.util.logging.config.file=/dev/null"); // what is left open is not what this is about
        try (Child child =
                Child.start(EveryMethod.class, options, Map.of("DOCA_EMU_LIMITS", "max_buf_list_len=2"), list)) {
            List<String> lines = child.rest().lines().toList();
            assertThat(child.exitCode())
                    .as("after %s", lines.isEmpty() ? "nothing" : lines.getLast())
                    .isZero();
            assertThat(lines).filteredOn(line -> line.startsWith("WRONG")).isEmpty();
            for (Mode mode : modes) {
                assertThat(lines)
                        .anySatisfy(line -> assertThat(line).matches("calls in " + mode + ": [1-9]\\d\\d+, wrong: 0"));
            }
            return lines;
        }
    }

    @Test
    void batched() throws IOException {
        List<String> lines = run(true, List.of(Mode.values()));
        assertThat(lines)
                .filteredOn(line -> line.startsWith("ok") && !line.endsWith(": returns"))
                .as("calls that were refused")
                .hasSizeGreaterThan(1000);
        List<String> called = lines.stream()
                .filter(line -> line.startsWith("class "))
                .map(line -> line.substring("class ".length()))
                .distinct()
                .toList();
        for (Class<?> type : publicClasses()) {
            assertThat(called).as("what can be misused").contains(type.getName());
        }
    }

    @Test
    void withoutTheNativeHelper() {
        run(
                false,
                List.of(
                        Mode.CLOSED,
                        Mode.ENGINE_CLOSED,
                        Mode.PEER_REPORTED,
                        Mode.NEW,
                        Mode.IN_RECEIVE,
                        Mode.IN_COMPLETION));
    }

    /** Those of which there are objects that a program makes, or that have functions which make some. */
    private static List<Class<?>> publicClasses() throws IOException {
        List<Class<?>> found = new ArrayList<>();
        for (String name : List.of(
                "io.github.comch4j.core",
                "io.github.comch4j.comch",
                "io.github.comch4j.channel",
                "io.github.comch4j.dma",
                "io.github.comch4j.dpa")) {
            try (Stream<Path> files = Files.list(Path.of("src/main/java", name.split("\\.")))) {
                for (Path file : files.filter(path -> !path.endsWith("package-info.java"))
                        .toList()) {
                    Class<?> type = Class.forName(
                            name + "." + file.getFileName().toString().replace(".java", ""),
                            false,
                            EveryMethodIT.class.getClassLoader());
                    found.add(type);
                    found.addAll(Arrays.asList(type.getDeclaredClasses()));
                }
            } catch (ClassNotFoundException e) {
                throw new AssertionError(e);
            }
        }
        assertThat(found).hasSizeGreaterThan(30);
        found.removeIf(type -> !Modifier.isPublic(type.getModifiers())
                || Modifier.isAbstract(type.getModifiers())
                || type.isEnum()
                || type.isRecord()
                || Throwable.class.isAssignableFrom(type));
        return found;
    }
}
