package io.github.comch4j.core;

import io.github.comch4j.internal.call.DeviceCalls;

/** Selects the host functions to list ({@code enum doca_devinfo_rep_filter}). */
public enum RepresentorFilter {
    /** All functions. */
    ALL(DeviceCalls.FILTER_ALL),
    /** Network functions, which Comch can serve. */
    NET(DeviceCalls.FILTER_NET),
    /** Functions that the device emulates, for example NVMe. */
    EMULATED(DeviceCalls.FILTER_EMULATED);

    private final int code;

    RepresentorFilter(int code) {
        this.code = code;
    }

    /**
     * Returns the number in {@code enum doca_devinfo_rep_filter}.
     *
     * @return the number
     */
    public int code() {
        return code;
    }
}
