package io.github.comch4j.abi;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The bindings in {@code generated/} are what jextract made of {@code headers/}: compares both with the fingerprint that
 * {@code scripts/jextract.sh} left, so that it works on a machine without jextract.
 */
class BindingsDriftTest {

    private static final Path FINGERPRINT = Path.of("generated", "fingerprint.sha256");
    private static final Path INCLUDES = Path.of("src", "main", "jextract", "includes.txt");

    @Test
    void bindingsAreThoseOfTheHeaders() throws IOException {
        assertThat(present())
                .as("headers/, %s and generated/ do not belong together any more: run scripts/jextract.sh", INCLUDES)
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
        try (Stream<Path> headers = Files.list(Path.of("headers"));
                Stream<Path> bindings = Files.walk(Path.of("generated"))) {
            Stream<Path> files = Stream.concat(
                    headers.filter(path -> path.toString().endsWith(".h")),
                    bindings.filter(Files::isRegularFile).filter(path -> !path.equals(FINGERPRINT)));
            for (Path file : Stream.concat(files, Stream.of(INCLUDES)).toList()) {
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
