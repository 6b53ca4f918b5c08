package io.github.comch4j;

import io.github.comch4j.internal.load.LateLibrary;
import io.github.comch4j.internal.load.NativeLibrary;
import io.github.comch4j.internal.load.Symbols;
import java.util.List;
import org.junit.jupiter.api.Assumptions;

/**
 * What some releases of DOCA lack. {@link FeaturesTest} tries each where it is there, and its refusal where it is not.
 */
public enum Feature {
    /** Since 2.7. */
    IMMEDIATE_DATA("doca_comch_producer_task_send_set_imm_data"),
    /** Since 2.6. */
    PRODUCER_IDS("doca_comch_producer_get_id"),
    /** Lists of buffers, since 2.7. */
    BUFFER_LISTS("doca_comch_producer_cap_get_max_buf_list_len"),
    /** The end of one connection by the server, since 2.7. */
    DISCONNECT("doca_comch_server_disconnect"),
    /** Pools with as many tasks as are asked for, since 2.6; before, a power of two. */
    POOLS_OF_ANY_SIZE("doca_comch_producer_task_send_set_conf"),
    /** Since 3.0. */
    EVENT_MODE("doca_pe_set_event_mode"),
    /** Since 3.0. */
    EXPANDING_INVENTORIES("doca_buf_inventory_expand"),
    /** Ids of devices and completion vectors, since 3.0. */
    DEVICE_DETAILS("doca_devinfo_get_vhca_id"),
    /** The kind of a device's function, since 3.1. */
    FUNCTION_TYPES("doca_devinfo_get_pci_func_type"),
    /** Buffers that are moved, since 3.2. */
    MOVING_BUFFERS("doca_buf_inventory_buf_reuse_by_data"),
    /** The endpoint API, up to 2.8. */
    COMM_CHANNEL("doca_comm_channel_ep_create"),
    /** Programs on the DPA, in a library of its own. */
    DPA("doca_dpa_create"),
    /** Copies, in a library of its own. */
    DMA("doca_dma_create");

    /** A function that came with it. */
    public final String function;

    Feature(String function) {
        this.function = function;
    }

    /** The rest of the running test needs it: leaves it out where it is not there, as {@link Needs} does. */
    public void assume() {
        Assumptions.assumeTrue(isThere(), () -> Needs.LACK + List.of(this));
    }

    /** Whether the loaded libraries have it. */
    public boolean isThere() {
        NativeLibrary.load();
        if (this == DPA) {
            LateLibrary.DPA.load();
        } else if (this == DMA) {
            LateLibrary.DMA.load();
        }
        return Symbols.has(function);
    }
}
