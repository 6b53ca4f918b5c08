package io.github.comch4j.core;

import io.github.comch4j.internal.call.DeviceCalls;

/** The kind of a PCIe function ({@code enum doca_pci_func_type}). */
public enum PciFunctionType {
    /** Physical function. */
    PF(DeviceCalls.PHYSICAL_FUNCTION),
    /** Virtual function. */
    VF(DeviceCalls.VIRTUAL_FUNCTION),
    /** Scalable function. */
    SF(DeviceCalls.SCALABLE_FUNCTION);

    private final int code;

    PciFunctionType(int code) {
        this.code = code;
    }

    static PciFunctionType of(int code) {
        for (PciFunctionType type : values()) {
            if (type.code == code) {
                return type;
            }
        }
        throw new IllegalArgumentException("no PCI function type has the number " + code);
    }
}
