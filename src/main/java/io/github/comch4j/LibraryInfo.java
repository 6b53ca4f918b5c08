package io.github.comch4j;

import java.util.Objects;

/**
 * Which native libraries this process uses.
 *
 * @param kind where they come from
 * @param location the folder they were loaded from; for {@link Kind#EMULATED} the place inside this library's jar
 * @param version what {@code doca_version_runtime} says, for example {@code 3.0.0058}; the emulated device says that it
 *     is one
 * @param reason why these were chosen, one phrase
 * @param generation which generation of Comch's functions they have
 */
public record LibraryInfo(Kind kind, String location, String version, String reason, Generation generation) {

    /** Where native libraries come from. */
    public enum Kind {
        /** The installed DOCA SDK or runtime: a real BlueField. */
        SYSTEM,
        /** The emulated BlueField that this library carries. */
        EMULATED,
        /** A folder that the user named. */
        FOLDER
    }

    /**
     * A generation of Comch's functions, told by what the libraries export. The classes of this library are the same
     * with each; what an older one cannot do throws {@link MissingFunctionException} where it is asked for.
     */
    public enum Generation {
        /** {@code doca_cc} of DOCA 2.5, in {@code libdoca_cc.so}: other types, and numbers of tasks as logarithms. */
        CC_2_5,
        /** {@code doca_cc} of DOCA 2.6, in {@code libdoca_cc.so}: Comch with another prefix, and less of it. */
        CC_2_6,
        /** {@code doca_comch}, since DOCA 2.7: {@code libdoca_comch.so}. */
        COMCH
    }

    /** Checks that nothing is missing. */
    public LibraryInfo {
        Objects.requireNonNull(kind);
        Objects.requireNonNull(location);
        Objects.requireNonNull(version);
        Objects.requireNonNull(reason);
        Objects.requireNonNull(generation);
    }
}
