package io.github.comch4j.abi;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The bindings in {@code generated/} are what jextract made of {@code headers/} and of the batch library's headers: compares both with the fingerprint that
 * {@code scripts/jextract.sh} left, so that it works on a machine without jextract.
 */
class BindingsDriftTest {

    private static final Path FINGERPRINT = Path.of("generated", "fingerprint.sha256");
    private static final Path LISTS = Path.of("src", "main", "jextract");
    private static final List<Path> SOURCES = List.of(Path.of("headers"), Path.of("src", "main", "c", "batch"), LISTS);

    @Test
    void bindingsAreThoseOfTheHeaders() throws IOException {
        assertThat(present())
                .as("%s and generated/ do not belong together any more: run scripts/jextract.sh", SOURCES)
                .isEqualTo(recorded());
    }

    /** The fingerprint has the form of sha256sum: sum, two blanks, path. */
    private static Map<String, String> recorded() throws IOException {
        Map<String, String> sums = new TreeMap<>();
        for (String line : Files.readAllLines(FINGERPRINT)) {
            String[] parts = line.split(" {2}", 2);
            sums.put(parts[1], parts[0]);
        }
        return sums;
    }

    private static Map<String, String> present() throws IOException {
        Map<String, String> sums = new TreeMap<>();
        for (Path folder : SOURCES) {
            try (Stream<Path> files = Files.list(folder)) {
                for (Path file : files.filter(path -> path.toString().endsWith(".h") || path.startsWith(LISTS)).toList()) {
                    sums.put(file.toString(), sha256(Files.readAllBytes(file)));
                }
            }
        }
        try (Stream<Path> bindings = Files.walk(Path.of("generated"))) {
            for (Path file : bindings.filter(Files::isRegularFile).filter(path -> !path.equals(FINGERPRINT)).toList()) {
                sums.put(file.toString(), sha256(Files.readAllBytes(file)));
            }
        }
        return sums;
    }

    private static String sha256(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has SHA-256", e);
        }
    }
}
