package io.github.comch4j.internal.call;

import io.github.comch4j.ffi.doca_h;

/** Versions ({@code doca_version.h}). That of the loaded libraries is asked for when they are loaded. */
public final class VersionCalls {

    private VersionCalls() {}

    /** {@code DOCA_VERSION_STRING}: that of the headers of the bindings; needs no libraries. */
    public static String ofHeaders() {
        return doca_h.DOCA_VERSION_STRING().getString(0);
    }
}
