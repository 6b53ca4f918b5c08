package io.github.comch4j.core;

import io.github.comch4j.MissingFunctionException;
import io.github.comch4j.ffi.doca_h;
import io.github.comch4j.internal.call.Calls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;
import java.util.function.ToIntBiFunction;
import java.util.function.ToIntFunction;

/** Questions to a {@code doca_devinfo} or {@code doca_devinfo_rep} that need no answer: many a device or release has none. */
record DeviceQuery(MemorySegment info) {

    DeviceProperties properties() {
        return new DeviceProperties(
                bytes("doca_devinfo_get_ipv4_addr", doca_h.DOCA_DEVINFO_IPV4_ADDR_SIZE(),
                        out -> doca_h.doca_devinfo_get_ipv4_addr(info, out, (int) out.byteSize())).map(DeviceQuery::address),
                bytes("doca_devinfo_get_ipv6_addr", doca_h.DOCA_DEVINFO_IPV6_ADDR_SIZE(),
                        out -> doca_h.doca_devinfo_get_ipv6_addr(info, out, (int) out.byteSize())).map(DeviceQuery::address),
                bytes("doca_devinfo_get_mac_addr", doca_h.DOCA_DEVINFO_MAC_ADDR_SIZE(),
                        out -> doca_h.doca_devinfo_get_mac_addr(info, out, (int) out.byteSize())).map(HexFormat.ofDelimiter(":")::formatHex),
                uint16("doca_devinfo_get_lid", doca_h::doca_devinfo_get_lid),
                uint64("doca_devinfo_get_active_rate", doca_h::doca_devinfo_get_active_rate),
                uint16("doca_devinfo_get_vhca_id", doca_h::doca_devinfo_get_vhca_id),
                uint32("doca_ctx_cap_get_num_completion_vectors", doca_h::doca_ctx_cap_get_num_completion_vectors),
                flag("doca_devinfo_cap_is_hotplug_manager_supported", doca_h::doca_devinfo_cap_is_hotplug_manager_supported),
                flag("doca_devinfo_cap_is_notification_moderation_supported", doca_h::doca_devinfo_cap_is_notification_moderation_supported),
                flag("doca_devinfo_cap_is_accelerate_resource_reclaim_supported", doca_h::doca_devinfo_cap_is_accelerate_resource_reclaim_supported),
                flag("doca_mmap_cap_is_export_pci_supported", doca_h::doca_mmap_cap_is_export_pci_supported),
                flag("doca_mmap_cap_is_create_from_export_pci_supported", doca_h::doca_mmap_cap_is_create_from_export_pci_supported),
                filters());
    }

    private Set<RepresentorFilter> filters() {
        Set<RepresentorFilter> supported = EnumSet.noneOf(RepresentorFilter.class);
        if (flag("doca_devinfo_rep_cap_is_filter_all_supported", doca_h::doca_devinfo_rep_cap_is_filter_all_supported)) {
            supported.add(RepresentorFilter.ALL);
        }
        if (flag("doca_devinfo_rep_cap_is_filter_net_supported", doca_h::doca_devinfo_rep_cap_is_filter_net_supported)) {
            supported.add(RepresentorFilter.NET);
        }
        if (flag("doca_devinfo_rep_cap_is_filter_emulated_supported", doca_h::doca_devinfo_rep_cap_is_filter_emulated_supported)) {
            supported.add(RepresentorFilter.EMULATED);
        }
        return supported;
    }

    OptionalInt uint16(String function, ToIntBiFunction<MemorySegment, MemorySegment> call) {
        return ask(function, ValueLayout.JAVA_SHORT, out -> call.applyAsInt(info, out),
                out -> OptionalInt.of(Short.toUnsignedInt(out.get(ValueLayout.JAVA_SHORT, 0)))).orElse(OptionalInt.empty());
    }

    private OptionalInt uint32(String function, ToIntBiFunction<MemorySegment, MemorySegment> call) {
        return ask(function, ValueLayout.JAVA_INT, out -> call.applyAsInt(info, out),
                out -> OptionalInt.of(out.get(ValueLayout.JAVA_INT, 0))).orElse(OptionalInt.empty());
    }

    private OptionalLong uint64(String function, ToIntBiFunction<MemorySegment, MemorySegment> call) {
        return ask(function, ValueLayout.JAVA_LONG, out -> call.applyAsInt(info, out),
                out -> OptionalLong.of(out.get(ValueLayout.JAVA_LONG, 0))).orElse(OptionalLong.empty());
    }

    boolean flag(String function, ToIntBiFunction<MemorySegment, MemorySegment> call) {
        return ask(function, ValueLayout.JAVA_BYTE, out -> call.applyAsInt(info, out), out -> out.get(ValueLayout.JAVA_BYTE, 0) != 0).orElse(false);
    }

    private static Optional<byte[]> bytes(String function, int size, ToIntFunction<MemorySegment> call) {
        return ask(function, MemoryLayout.sequenceLayout(size, ValueLayout.JAVA_BYTE), call, out -> out.toArray(ValueLayout.JAVA_BYTE));
    }

    /** No answer is as good as a function that this release lacks. */
    private static <T> Optional<T> ask(String function, MemoryLayout layout, ToIntFunction<MemorySegment> call, Function<MemorySegment, T> read) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(layout);
            return Calls.code(function, () -> call.applyAsInt(out)) == Calls.SUCCESS ? Optional.of(read.apply(out)) : Optional.empty();
        } catch (MissingFunctionException e) {
            return Optional.empty();
        }
    }

    private static InetAddress address(byte[] bytes) {
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new AssertionError(e); // 4 or 16 bytes
        }
    }
}
