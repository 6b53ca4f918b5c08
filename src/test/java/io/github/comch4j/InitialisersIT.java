package io.github.comch4j;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;

/** No throwable leaves an initialiser: later uses of its class would fail with an error that does not tell why. */
@Timeout(120)
class InitialisersIT {

    @Test
    void everyClassCanBeInitialisedWithoutLibraries() {
        assertAllInitialised(Child.start(Program.class, List.of("-Dcomch4j.library=/there/are/none"), Map.of()));
    }

    @Test
    @EnabledForJreRange(minVersion = 24) // which can forbid them
    void everyClassCanBeInitialisedWhereNativeCallsAreForbidden() {
        assertAllInitialised(Child.startForbidden(Program.class));
    }

    private static void assertAllInitialised(Child started) {
        try (Child child = started) {
            assertThat(child.rest().lines()).singleElement().asString().matches("\\d{3,} classes");
            assertThat(child.exitCode()).isZero();
        }
    }

    /**
     * Runs in a process of its own: initialises all classes but those for Netty, Micrometer and JUnit and what is in
     * the tool's jar, whose libraries are not there, and the generated ones for functions and callbacks, which are
     * called after the libraries are loaded.
     */
    static final class Program {
        private Program() {}

        public static void main(String[] arguments) throws IOException {
            Path classes = Path.of("target", "classes").toAbsolutePath();
            List<String> names;
            try (Stream<Path> files = Files.walk(classes.resolve("io/github/comch4j"))) {
                names = files.map(classes::relativize)
                        .map(Path::toString)
                        .filter(file -> file.endsWith(".class") && !file.endsWith("-info.class"))
                        .map(file -> file.replace('/', '.').substring(0, file.length() - ".class".length()))
                        .filter(name -> !name.contains(".ffi.") || name.endsWith("_h"))
                        .filter(name -> !name.contains(".netty.")
                                && !name.contains(".net.")
                                && !name.contains(".streams.")
                                && !name.contains(".micrometer.")
                                && !name.contains(".cli."))
                        .filter(name -> !name.contains(".testing."))
                        .sorted()
                        .toList();
            }
            for (String name : names) {
                try {
                    Class.forName(name);
                } catch (Throwable e) {
                    System.out.println(name + ": " + (e.getCause() == null ? e : e.getCause()));
                }
            }
            System.out.println(names.size() + " classes");
        }
    }
}
