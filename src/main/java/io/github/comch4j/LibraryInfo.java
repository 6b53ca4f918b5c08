package io.github.comch4j;

import java.util.Objects;

/**
 * Describes the native libraries that this process uses.
 *
 * @param kind where the libraries come from
 * @param location the folder they were loaded from; for {@link Kind#EMULATED} the location inside this library's jar
 * @param version the result of {@code doca_version_runtime}, for example {@code 3.0.0058}; the emulated device names
 *     itself there
 * @param reason why the library chose these, as one phrase
 * @param generation the generation of Comch's functions that they have
 */
public record LibraryInfo(Kind kind, String location, String version, String reason, Generation generation) {

    /** The origin of native libraries. */
    public enum Kind {
        /** The installed DOCA SDK or runtime: a real BlueField. */
        SYSTEM,
        /** The emulated BlueField that this library contains. */
        EMULATED,
        /** A folder that the user named. */
        FOLDER
    }

    /**
     * A generation of Comch's functions, detected by the functions that the libraries export. The classes of this
     * library are the same for every generation. If an older generation lacks an operation, calling it throws
     * {@link MissingFunctionException}.
     */
    public enum Generation {
        /**
         * {@code doca_cc} of DOCA 2.5, in {@code libdoca_cc.so}: different types, and numbers of tasks as logarithms.
         */
        CC_2_5,
        /** {@code doca_cc} of DOCA 2.6, in {@code libdoca_cc.so}: Comch with another prefix and fewer functions. */
        CC_2_6,
        /** {@code doca_comch}, since DOCA 2.7: {@code libdoca_comch.so}. */
        COMCH
    }

    /** Checks that no component is null. */
    public LibraryInfo {
        Objects.requireNonNull(kind);
        Objects.requireNonNull(location);
        Objects.requireNonNull(version);
        Objects.requireNonNull(reason);
        Objects.requireNonNull(generation);
    }
}
