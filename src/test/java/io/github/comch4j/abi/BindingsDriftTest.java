package io.github.comch4j.abi;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.BatchSources;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The bindings in {@code generated/} are what jextract made of {@code headers/} and of the batch library's headers:
 * compares both with the fingerprint that {@code scripts/jextract.sh} left, so that it works on a machine without
 * jextract.
 */
class BindingsDriftTest {
    private static final Path PROJECT = Path.of("");
    private static final Path GENERATED = Path.of("generated");
    private static final Path FINGERPRINT = GENERATED.resolve("fingerprint.sha256");
    private static final Path HEADERS = Path.of("headers");
    private static final Path LISTS = Path.of("src", "main", "jextract");

    @TempDir
    Path copy;

    @Test
    void bindingsAreThoseOfTheHeaders() throws IOException {
        assertThat(drift(PROJECT))
                .as("do not belong together any more: run scripts/jextract.sh")
                .isEmpty();
    }

    @Test
    void aFieldThatIsMovedIsNoticed() throws IOException {
        copyProject();
        new BatchSources(copy.resolve(BatchSources.ORIGINAL))
                .swap("batch.h", "uint32_t queue_head;", "uint32_t queue_tail;");
        assertThat(drift(copy)).containsExactly("src/main/c/batch/batch.h");
    }

    @Test
    void aHeaderThatIsNewIsNoticed() throws IOException {
        copyProject();
        Files.writeString(copy.resolve(BatchSources.ORIGINAL).resolve("more.h"), "struct more { int field; };");
        assertThat(drift(copy)).containsExactly("src/main/c/batch/more.h");
    }

    @Test
    void bindingsThatAreChangedByHandOrMissingAreNoticed() throws IOException {
        copyProject();
        String folder = "generated/io/github/comch4j/ffi/batch/";
        Files.writeString(copy.resolve(folder + "batch_slot.java"), "// by hand");
        Files.delete(copy.resolve(folder + "batch_data.java"));
        assertThat(drift(copy)).containsExactly(folder + "batch_data.java", folder + "batch_slot.java");
    }

    private void copyProject() throws IOException {
        for (Path part : new Path[] {GENERATED, HEADERS, LISTS, BatchSources.ORIGINAL}) {
            try (Stream<Path> files = Files.walk(part)) {
                for (Path file : files.toList()) {
                    Path target = copy.resolve(file);
                    Files.createDirectories(target.getParent());
                    Files.copy(file, target);
                }
            }
        }
        assertThat(drift(copy)).isEmpty();
    }

    /** The files below {@code project} that are not what the fingerprint says, are not in it, or are not there. */
    private static Iterable<String> drift(Path project) throws IOException {
        Map<String, String> recorded = recorded(project);
        Map<String, String> present = present(project);
        TreeSet<String> names = new TreeSet<>(recorded.keySet());
        names.addAll(present.keySet());
        names.removeIf(name -> present.containsKey(name) && present.get(name).equals(recorded.get(name)));
        return names;
    }

    /** The fingerprint has the form of sha256sum: sum, two blanks, path. */
    private static Map<String, String> recorded(Path project) throws IOException {
        Map<String, String> sums = new TreeMap<>();
        for (String line : Files.readAllLines(project.resolve(FINGERPRINT))) {
            String[] parts = line.split(" {2}", 2);
            sums.put(parts[1], parts[0]);
        }
        return sums;
    }

    private static Map<String, String> present(Path project) throws IOException {
        Map<String, String> sums = new TreeMap<>();
        add(sums, project, HEADERS, ".h");
        add(sums, project, BatchSources.ORIGINAL, ".h");
        add(sums, project, LISTS, "");
        add(sums, project, GENERATED, "");
        sums.remove(FINGERPRINT.toString());
        return sums;
    }

    private static void add(Map<String, String> sums, Path project, Path folder, String ending) throws IOException {
        try (Stream<Path> files = Files.walk(project.resolve(folder))) {
            for (Path file : files.filter(
                            path -> Files.isRegularFile(path) && path.toString().endsWith(ending))
                    .toList()) {
                sums.put(project.relativize(file).toString(), sha256(Files.readAllBytes(file)));
            }
        }
    }

    private static String sha256(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has SHA-256", e);
        }
    }
}
