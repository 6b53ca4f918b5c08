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
 */
public record LibraryInfo(Kind kind, String location, String version, String reason) {

    /** Where native libraries come from. */
    public enum Kind {
        /** The installed DOCA SDK or runtime: a real BlueField. */
        SYSTEM,
        /** The emulated BlueField that this library carries. */
        EMULATED,
        /** A folder that the user named. */
        FOLDER
    }

    /** Checks that nothing is missing. */
    public LibraryInfo {
        Objects.requireNonNull(kind);
        Objects.requireNonNull(location);
        Objects.requireNonNull(version);
        Objects.requireNonNull(reason);
    }
}
