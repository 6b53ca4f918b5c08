package io.github.comch4j.core;

import io.github.comch4j.internal.call.ContextCalls;
import io.github.comch4j.internal.call.DeviceCalls;
import io.github.comch4j.internal.call.MmapCalls;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/** Questions to a {@code doca_devinfo} that some devices or releases do not answer. */
record DeviceQuery(MemorySegment info) {

    DeviceProperties properties() {
        return new DeviceProperties(
                DeviceCalls.ipv4Address(info).map(DeviceQuery::address),
                DeviceCalls.ipv6Address(info).map(DeviceQuery::address),
                DeviceCalls.macAddress(info).map(HexFormat.ofDelimiter(":")::formatHex),
                DeviceCalls.lid(info),
                DeviceCalls.activeRate(info),
                DeviceCalls.vhcaId(info),
                functionType(),
                DeviceCalls.scalableFunctionIndex(info),
                ContextCalls.completionVectors(info),
                DeviceCalls.managesHotplug(info),
                DeviceCalls.moderatesNotifications(info),
                DeviceCalls.reclaimsFast(info),
                MmapCalls.exportsPci(info),
                MmapCalls.importsPci(info),
                filters());
    }

    private Optional<PciFunctionType> functionType() {
        OptionalInt code = DeviceCalls.functionType(info);
        return code.isPresent() ? Optional.of(PciFunctionType.of(code.getAsInt())) : Optional.empty();
    }

    private Set<RepresentorFilter> filters() {
        Set<RepresentorFilter> supported = EnumSet.noneOf(RepresentorFilter.class);
        if (DeviceCalls.filtersAll(info)) {
            supported.add(RepresentorFilter.ALL);
        }
        if (DeviceCalls.filtersNet(info)) {
            supported.add(RepresentorFilter.NET);
        }
        if (DeviceCalls.filtersEmulated(info)) {
            supported.add(RepresentorFilter.EMULATED);
        }
        return supported;
    }

    private static InetAddress address(byte[] bytes) {
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new AssertionError(e); // 4 or 16 bytes
        }
    }
}
