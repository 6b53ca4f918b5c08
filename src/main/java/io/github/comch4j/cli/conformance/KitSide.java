package io.github.comch4j.cli.conformance;

import java.util.Locale;

/** Where a half of the kit runs. */
public enum KitSide {
    /** Its half is the client, and leads. */
    HOST,
    /** Its half is the server, and follows. */
    DPU;

    KitSide other() {
        return this == HOST ? DPU : HOST;
    }

    /** As on the command line. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
