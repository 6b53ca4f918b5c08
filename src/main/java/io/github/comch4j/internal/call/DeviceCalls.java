package io.github.comch4j.internal.call;

import static io.github.comch4j.internal.call.DocaFunction.present;

import io.github.comch4j.LibraryInfo;
import io.github.comch4j.ffi.doca_h;
import io.github.comch4j.internal.load.DocaAnswer;
import io.github.comch4j.internal.load.NativeLibrary;
import io.github.comch4j.internal.load.Symbols;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * Calls of devices and representors ({@code doca_dev.h}). {@code info} is a {@code doca_devinfo} or
 * {@code doca_devinfo_rep}. None is hot.
 */
public final class DeviceCalls {
    /** {@code DOCA_PCI_FUNC_TYPE_PF}. */
    public static final int PHYSICAL_FUNCTION = doca_h.DOCA_PCI_FUNC_TYPE_PF();
    /** {@code DOCA_PCI_FUNC_TYPE_VF}. */
    public static final int VIRTUAL_FUNCTION = doca_h.DOCA_PCI_FUNC_TYPE_VF();
    /** {@code DOCA_PCI_FUNC_TYPE_SF}. */
    public static final int SCALABLE_FUNCTION = doca_h.DOCA_PCI_FUNC_TYPE_SF();

    /** {@code DOCA_DEVINFO_REP_FILTER_ALL}. */
    public static final int FILTER_ALL = doca_h.DOCA_DEVINFO_REP_FILTER_ALL();
    /** {@code DOCA_DEVINFO_REP_FILTER_NET}. */
    public static final int FILTER_NET = doca_h.DOCA_DEVINFO_REP_FILTER_NET();
    /** {@code DOCA_DEVINFO_REP_FILTER_EMULATED}. */
    public static final int FILTER_EMULATED = doca_h.DOCA_DEVINFO_REP_FILTER_EMULATED();

    /** {@code doca_devinfo_create_list}. */
    public static final String LIST_NAME = "doca_devinfo_create_list";
    /** {@code doca_devinfo_rep_create_list}. */
    public static final String LIST_REPRESENTORS_NAME = "doca_devinfo_rep_create_list";
    /** {@code doca_dev_open}. */
    public static final String OPEN_NAME = "doca_dev_open";

    private static final double LEAST_GIGABITS = 0.001;
    private static final double BITS_IN_A_GIGABIT = 1e9;

    private static final String DESCRIBING = "describing a device";
    private static final String DESCRIBING_REPRESENTOR = "describing a representor";

    private DeviceCalls() {}

    /**
     * {@code doca_devinfo_create_list}, {@code _destroy_list}: the local devices, or those of the emulated machine that
     * the thread has chosen; empty if there are none.
     */
    public static NativeList list() {
        LoggedErrors.listen(); // whatever is refused later needs a device
        ChosenFabric chosen = ChosenFabric.current();
        if (chosen != null) {
            return EmulatorCalls.list(chosen);
        }
        return NativeList.create(
                "listing devices",
                true,
                (list, count) ->
                        present("doca_devinfo_create_list").answer(doca_h.doca_devinfo_create_list(list, count)),
                DeviceCalls::destroyList);
    }

    /** {@code doca_devinfo_destroy_list}. */
    static DocaAnswer destroyList(MemorySegment array) {
        return present("doca_devinfo_destroy_list").answer(doca_h.doca_devinfo_destroy_list(array));
    }

    /** What to say where the list is empty, which has other causes than a wrong address. */
    public static String none() {
        return "DOCA finds no device at all; "
                + (NativeLibrary.info().kind() == LibraryInfo.Kind.EMULATED
                        ? "DOCA_EMU_SIDE and the topology decide which devices this process sees"
                        : "check \"lspci -d 15b3:\" (the card), lsmod for mlx5_core and mlx5_ib (its drivers), and"
                                + " that this user can open the files in /dev/infiniband; on the host, the DPU must"
                                + " have booted");
    }

    /** {@code doca_dev_open}. */
    public static MemorySegment open(MemorySegment info, String action) {
        return present("doca_dev_open").pointer(action, doca_h.doca_dev_open(info, Calls.out()));
    }

    /** {@code doca_dev_close}. */
    public static void close(MemorySegment device, String action) {
        present("doca_dev_close").check(action, doca_h.doca_dev_close(device));
    }

    /** {@code doca_dev_as_devinfo}. */
    public static MemorySegment infoOf(MemorySegment device) {
        present("doca_dev_as_devinfo");
        return doca_h.doca_dev_as_devinfo(device);
    }

    /** {@code doca_devinfo_get_pci_addr_str}. */
    public static String pciAddress(MemorySegment info) {
        return Calls.text(
                "asking for a device's address",
                doca_h.DOCA_DEVINFO_PCI_ADDR_SIZE(),
                "doca_devinfo_get_pci_addr_str",
                out -> doca_h.doca_devinfo_get_pci_addr_str(info, out));
    }

    /** {@code doca_devinfo_get_iface_name}; empty if there is none. */
    public static String interfaceName(MemorySegment info) {
        return Calls.text(
                DESCRIBING,
                doca_h.DOCA_DEVINFO_IFACE_NAME_SIZE(),
                "doca_devinfo_get_iface_name",
                out -> doca_h.doca_devinfo_get_iface_name(info, out, (int) out.byteSize()));
    }

    /** {@code doca_devinfo_get_ibdev_name}; empty if there is none. */
    public static String infiniBandName(MemorySegment info) {
        return Calls.text(
                DESCRIBING,
                doca_h.DOCA_DEVINFO_IBDEV_NAME_SIZE(),
                "doca_devinfo_get_ibdev_name",
                out -> doca_h.doca_devinfo_get_ibdev_name(info, out, (int) out.byteSize()));
    }

    /** {@code doca_devinfo_get_ipv4_addr}: 4 bytes. */
    public static Optional<byte[]> ipv4Address(MemorySegment info) {
        return OptionalCalls.bytes(
                doca_h.DOCA_DEVINFO_IPV4_ADDR_SIZE(),
                "doca_devinfo_get_ipv4_addr",
                out -> doca_h.doca_devinfo_get_ipv4_addr(info, out, (int) out.byteSize()));
    }

    /** {@code doca_devinfo_get_ipv6_addr}: 16 bytes. */
    public static Optional<byte[]> ipv6Address(MemorySegment info) {
        return OptionalCalls.bytes(
                doca_h.DOCA_DEVINFO_IPV6_ADDR_SIZE(),
                "doca_devinfo_get_ipv6_addr",
                out -> doca_h.doca_devinfo_get_ipv6_addr(info, out, (int) out.byteSize()));
    }

    /** {@code doca_devinfo_get_mac_addr}: 6 bytes. */
    public static Optional<byte[]> macAddress(MemorySegment info) {
        return OptionalCalls.bytes(
                doca_h.DOCA_DEVINFO_MAC_ADDR_SIZE(),
                "doca_devinfo_get_mac_addr",
                out -> doca_h.doca_devinfo_get_mac_addr(info, out, (int) out.byteSize()));
    }

    /** {@code doca_devinfo_get_pci_func_type}: one of the constants above. */
    public static OptionalInt functionType(MemorySegment info) {
        return OptionalCalls.number(
                "doca_devinfo_get_pci_func_type", out -> doca_h.doca_devinfo_get_pci_func_type(info, out));
    }

    /** {@code doca_devinfo_get_sf_index}. */
    public static OptionalInt scalableFunctionIndex(MemorySegment info) {
        return OptionalCalls.number("doca_devinfo_get_sf_index", out -> doca_h.doca_devinfo_get_sf_index(info, out));
    }

    /** {@code doca_devinfo_get_lid}. */
    public static OptionalInt lid(MemorySegment info) {
        return OptionalCalls.number("doca_devinfo_get_lid", out -> doca_h.doca_devinfo_get_lid(info, out));
    }

    /** {@code doca_devinfo_get_active_rate}, bits per second. */
    public static OptionalLong activeRate(MemorySegment info) {
        OptionalLong rate = OptionalCalls.value(
                "doca_devinfo_get_active_rate", out -> doca_h.doca_devinfo_get_active_rate(info, out));
        return rate.isPresent() ? OptionalLong.of(bitsPerSecond(rate.getAsLong())) : rate;
    }

    /**
     * DOCA 3.0 has a rate as a whole number of bits per second, 2.6 as a {@code double} of gigabits, and which of them
     * a release between has is not known. So the value tells: the least {@code double} that is a rate is, as a whole
     * number, more than any port has.
     */
    static long bitsPerSecond(long said) {
        return said < Double.doubleToRawLongBits(LEAST_GIGABITS)
                ? said
                : Math.round(Double.longBitsToDouble(said) * BITS_IN_A_GIGABIT);
    }

    /** {@code doca_devinfo_get_vhca_id}. */
    public static OptionalInt vhcaId(MemorySegment info) {
        return OptionalCalls.number("doca_devinfo_get_vhca_id", out -> doca_h.doca_devinfo_get_vhca_id(info, out));
    }

    /** {@code doca_devinfo_cap_is_hotplug_manager_supported}. */
    public static boolean managesHotplug(MemorySegment info) {
        return OptionalCalls.flag(
                "doca_devinfo_cap_is_hotplug_manager_supported",
                out -> doca_h.doca_devinfo_cap_is_hotplug_manager_supported(info, out));
    }

    /** {@code doca_devinfo_cap_is_notification_moderation_supported}. */
    public static boolean moderatesNotifications(MemorySegment info) {
        return OptionalCalls.flag(
                "doca_devinfo_cap_is_notification_moderation_supported",
                out -> doca_h.doca_devinfo_cap_is_notification_moderation_supported(info, out));
    }

    /** {@code doca_devinfo_cap_is_accelerate_resource_reclaim_supported}. */
    public static boolean reclaimsFast(MemorySegment info) {
        return OptionalCalls.flag(
                "doca_devinfo_cap_is_accelerate_resource_reclaim_supported",
                out -> doca_h.doca_devinfo_cap_is_accelerate_resource_reclaim_supported(info, out));
    }

    /** {@code doca_devinfo_rep_cap_is_filter_all_supported}. */
    public static boolean filtersAll(MemorySegment info) {
        return OptionalCalls.flag(
                "doca_devinfo_rep_cap_is_filter_all_supported",
                out -> doca_h.doca_devinfo_rep_cap_is_filter_all_supported(info, out));
    }

    /** {@code doca_devinfo_rep_cap_is_filter_net_supported}. */
    public static boolean filtersNet(MemorySegment info) {
        return OptionalCalls.flag(
                "doca_devinfo_rep_cap_is_filter_net_supported",
                out -> doca_h.doca_devinfo_rep_cap_is_filter_net_supported(info, out));
    }

    /** {@code doca_devinfo_rep_cap_is_filter_emulated_supported}. */
    public static boolean filtersEmulated(MemorySegment info) {
        return OptionalCalls.flag(
                "doca_devinfo_rep_cap_is_filter_emulated_supported",
                out -> doca_h.doca_devinfo_rep_cap_is_filter_emulated_supported(info, out));
    }

    /** {@code doca_devinfo_rep_create_list}, {@code _destroy_list}: the representors of a device. */
    public static NativeList listRepresentors(MemorySegment device, int filter, String action) {
        return NativeList.create(
                action,
                false,
                (list, count) -> present("doca_devinfo_rep_create_list")
                        .answer(doca_h.doca_devinfo_rep_create_list(device, filter, list, count)),
                array -> present("doca_devinfo_rep_destroy_list").answer(doca_h.doca_devinfo_rep_destroy_list(array)));
    }

    /** {@code doca_dev_rep_open}. */
    public static MemorySegment openRepresentor(MemorySegment info, String action) {
        return present("doca_dev_rep_open").pointer(action, doca_h.doca_dev_rep_open(info, Calls.out()));
    }

    /** {@code doca_dev_rep_close}. */
    public static void closeRepresentor(MemorySegment representor, String action) {
        present("doca_dev_rep_close").check(action, doca_h.doca_dev_rep_close(representor));
    }

    /** {@code doca_dev_rep_as_devinfo}. */
    public static MemorySegment infoOfRepresentor(MemorySegment representor) {
        present("doca_dev_rep_as_devinfo");
        return doca_h.doca_dev_rep_as_devinfo(representor);
    }

    /** {@code doca_devinfo_rep_get_pci_addr_str}. */
    public static String representorPciAddress(MemorySegment info) {
        return Calls.text(
                "asking for a representor's address",
                doca_h.DOCA_DEVINFO_REP_PCI_ADDR_SIZE(),
                "doca_devinfo_rep_get_pci_addr_str",
                out -> doca_h.doca_devinfo_rep_get_pci_addr_str(info, out));
    }

    /** {@code doca_devinfo_rep_get_pci_func_type}: {@link #PHYSICAL_FUNCTION} and its like. */
    public static int representorFunctionType(MemorySegment info) {
        return present("doca_devinfo_rep_get_pci_func_type")
                .number(DESCRIBING_REPRESENTOR, doca_h.doca_devinfo_rep_get_pci_func_type(info, Calls.out()));
    }

    /** {@code doca_devinfo_rep_get_vuid}; empty if there is none. */
    public static String representorVuid(MemorySegment info) {
        return Calls.text(
                DESCRIBING_REPRESENTOR,
                doca_h.DOCA_DEVINFO_REP_VUID_SIZE(),
                "doca_devinfo_rep_get_vuid",
                out -> doca_h.doca_devinfo_rep_get_vuid(info, out, (int) out.byteSize()));
    }

    /** {@code doca_devinfo_rep_get_iface_name}; empty if there is none, or the release lacks the function. */
    public static String representorInterfaceName(MemorySegment info) {
        if (!Symbols.has("doca_devinfo_rep_get_iface_name")) {
            return "";
        }
        return Calls.text(
                DESCRIBING_REPRESENTOR,
                doca_h.DOCA_DEVINFO_IFACE_NAME_SIZE(),
                "doca_devinfo_rep_get_iface_name",
                out -> doca_h.doca_devinfo_rep_get_iface_name(info, out, (int) out.byteSize()));
    }

    /** {@code doca_devinfo_rep_get_is_hotplug}. */
    public static boolean representorIsHotplug(MemorySegment info) {
        return OptionalCalls.flag(
                "doca_devinfo_rep_get_is_hotplug", out -> doca_h.doca_devinfo_rep_get_is_hotplug(info, out));
    }

    /** {@code doca_devinfo_rep_get_vhca_id}. */
    public static OptionalInt representorVhcaId(MemorySegment info) {
        return OptionalCalls.number(
                "doca_devinfo_rep_get_vhca_id", out -> doca_h.doca_devinfo_rep_get_vhca_id(info, out));
    }
}
