package io.github.comch4j;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Applications of one JVM that bring the library each, as a container for web applications has them. */
@Timeout(180)
class ClassLoadersIT {
    private static final Pattern BINDING =
            Pattern.compile("binding file (\\S+)/libdoca_comch\\.so \\[0\\] to (\\S+)/libdoca_common\\.so ");

    @TempDir
    Path folder;

    private List<String> run(int count, String what, Map<String, String> environment, String... options) {
        List<String> all = Stream.concat(
                        Stream.of("-Dcomch4j.library=emulated", "-Dcomch4j.native.dir=" + folder), Stream.of(options))
                .toList();
        try (Child child = Child.start(
                Deployments.class, all, environment, "" + count, what, Child.classPath(Deployments.class))) {
            List<String> lines = child.rest().lines().toList();
            assertThat(child.exitCode()).isZero();
            return lines;
        }
    }

    /** The JDK holds some of what it has made softly, so that a loader may stay until memory is wanted. */
    @Test
    void anApplicationThatHasClosedEverythingLeavesNothingBehind() {
        assertThat(run(12, "replace", Map.of(), "-XX:SoftRefLRUPolicyMSPerMB=0"))
                .contains("loaders 0", "mappings 0");
    }

    /** The recorder itself may hold the events of the last one until its next chunk. */
    @Test
    void theFlightRecorderHoldsTheLastOneAtMost() {
        List<String> lines = run(
                4,
                "replace",
                Map.of(),
                "-XX:SoftRefLRUPolicyMSPerMB=0",
                "-XX:StartFlightRecording:filename=" + folder.resolve("x.jfr"));
        assertThat(lines).containsAnyOf("loaders 0", "loaders 1");
    }

    /** By what the system's loader says of each symbol. */
    @Test
    void eachCopyOfTheLibrariesIsBoundToItself() throws IOException {
        Path output = folder.resolve("bindings");
        run(2, "keep", Map.of("LD_DEBUG", "bindings", "LD_DEBUG_OUTPUT", output.toString()));
        int copies = 0;
        String last = "";
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file :
                    files.filter(one -> one.toString().contains("bindings")).toList()) {
                Matcher binding = BINDING.matcher(Files.readString(file, StandardCharsets.ISO_8859_1));
                while (binding.find()) {
                    assertThat(binding.group(2)).isEqualTo(binding.group(1));
                    if (!binding.group(1).equals(last)) {
                        last = binding.group(1);
                        copies++;
                    }
                }
            }
        }
        assertThat(copies).isEqualTo(2);
    }
}
