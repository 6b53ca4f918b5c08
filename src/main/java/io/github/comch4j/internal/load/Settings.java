package io.github.comch4j.internal.load;

/** The names of the library's settings. Their meaning is documented where the public API repeats them. */
public final class Settings {
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

    private Settings() {}
}
