package io.github.comch4j.internal.load;

import io.github.comch4j.internal.failure.Failures;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/**
 * The library's settings: their names, and what they may be. Their meaning is documented where the public API repeats
 * the names. A value that means nothing stops the start: what is ignored in silence is found out in production.
 */
public final class LibrarySettings {
    /** Which native libraries. */
    public static final String LIBRARY_PROPERTY = "comch4j.library";
    /** The same, for the environment. */
    public static final String LIBRARY_VARIABLE = "COMCH4J_LIBRARY";
    /** Where the emulated libraries are unpacked. */
    public static final String NATIVE_DIR_PROPERTY = "comch4j.native.dir";
    /** Whether segments that are kept after a callback throw at once. */
    public static final String STRICT_PROPERTY = "comch4j.strict";
    /** Whether objects remember where they were made. */
    public static final String DEBUG_PROPERTY = "comch4j.debug";
    /** Whether new engines use the batch library. */
    public static final String BATCH_PROPERTY = "comch4j.batch";

    private LibrarySettings() {}

    /** Fails unless each means something; of {@link #LIBRARY_PROPERTY} only its use tells. */
    static void check() {
        batch();
        strict();
        debug();
        nativeFolder();
    }

    /** {@link #LIBRARY_PROPERTY}, or else {@link #LIBRARY_VARIABLE}; empty if neither is set. */
    public static String library() {
        String property = libraryProperty();
        return property.isEmpty()
                ? System.getenv().getOrDefault(LIBRARY_VARIABLE, "").strip()
                : property;
    }

    /** Which of the two has said so, for messages. */
    static String librarySource() {
        return libraryProperty().isEmpty()
                ? "environment variable " + LIBRARY_VARIABLE
                : "system property " + LIBRARY_PROPERTY;
    }

    private static String libraryProperty() {
        return System.getProperty(LIBRARY_PROPERTY, "").strip();
    }

    /** {@link #BATCH_PROPERTY}. */
    public static boolean batch() {
        return flag(BATCH_PROPERTY, true);
    }

    /** {@link #STRICT_PROPERTY}. */
    public static boolean strict() {
        return flag(STRICT_PROPERTY, false);
    }

    /** {@link #DEBUG_PROPERTY}. */
    public static boolean debug() {
        return flag(DEBUG_PROPERTY, false);
    }

    private static boolean flag(String property, boolean otherwise) {
        String value = System.getProperty(property);
        if (value == null) {
            return otherwise;
        }
        if (value.equalsIgnoreCase("true")) {
            return true;
        }
        if (value.equalsIgnoreCase("false")) {
            return false;
        }
        throw invalid(property, value, "true or false", null);
    }

    /** {@link #NATIVE_DIR_PROPERTY}; null if it is not set. */
    static Path nativeFolder() {
        String value = System.getProperty(NATIVE_DIR_PROPERTY, "");
        try {
            return value.isBlank() ? null : Path.of(value);
        } catch (InvalidPathException e) {
            throw invalid(NATIVE_DIR_PROPERTY, value, "a folder's path (" + e.getMessage() + ")", e);
        }
    }

    private static RuntimeException invalid(String property, String value, String allowed, Exception cause) {
        return Failures.unusable("system property " + property + " is '" + value + "': expected " + allowed, cause);
    }
}
