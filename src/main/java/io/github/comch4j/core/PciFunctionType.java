package io.github.comch4j.core;

import io.github.comch4j.ffi.doca_h;

/** The kind of a host function ({@code enum doca_pci_func_type}). */
public enum PciFunctionType {
    /** Physical function. */
    PF(doca_h.DOCA_PCI_FUNC_TYPE_PF()),
    /** Virtual function. */
    VF(doca_h.DOCA_PCI_FUNC_TYPE_VF()),
    /** Scalable function. */
    SF(doca_h.DOCA_PCI_FUNC_TYPE_SF());

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
