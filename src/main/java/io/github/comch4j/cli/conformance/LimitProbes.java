package io.github.comch4j.cli.conformance;

import io.github.comch4j.LibraryInfo.Generation;
import io.github.comch4j.comch.Capabilities;
import io.github.comch4j.comch.Capabilities.FastPath;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchServer;
import io.github.comch4j.comch.ControlPathEndpoint;
import io.github.comch4j.core.DeviceProperties;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;

/** Limits, defaults, and what the device says of itself. */
final class LimitProbes {
    private LimitProbes() {}

    static List<Probe> of(Generation generation) {
        return List.of(
                control(generation),
                fastPath(generation),
                defaults(generation != Generation.COMCH),
                refused(),
                device());
    }

    private static Probe control(Generation generation) {
        return Probe.of("limits.control", "What a server or client takes at most")
                .ask("bytes of a name", limit(Capabilities::maxNameLength), "119")
                .ask("bytes of a message", limit(Capabilities::maxMessageSize), "4080")
                .ask("messages of a receive queue", limit(Capabilities::maxReceiveQueueSize), "8192")
                .ask(
                        "send tasks",
                        limit(Capabilities::maxSendTasks),
                        generation == Generation.CC_2_5 ? "8192" : "65536")
                .ask(KitSide.DPU, "clients of a server", limit(Capabilities::maxClients), "512");
    }

    private static Function<Stage, Object> limit(ToLongFunction<Capabilities> limit) {
        return stage -> limit.applyAsLong(Capabilities.of(stage.device));
    }

    private static Probe fastPath(Generation generation) {
        String many = generation == Generation.CC_2_5 ? "4294967295" : "64";
        return Probe.of("limits.fast-path", "What producers and consumers take at most")
                .ask("producers", producer(FastPath::maxPerConnection), many)
                .ask("tasks of a producer", producer(FastPath::maxTasks), "8192")
                .ask("bytes to send", producer(FastPath::maxBufferSize), "1073741824")
                .ask("buffers of a list to send", producer(FastPath::maxBufferListLength), "1")
                .ask("consumers", consumer(FastPath::maxPerConnection), many)
                .ask("tasks of a consumer", consumer(FastPath::maxTasks), "8192")
                .ask("bytes to receive", consumer(FastPath::maxBufferSize), "1073741824")
                .ask("buffers of a list to receive", consumer(FastPath::maxBufferListLength), "1")
                .ask(
                        "bytes of immediate data",
                        limit(Capabilities::maxImmediateLength),
                        generation == Generation.COMCH ? "32" : "0");
    }

    private static Function<Stage, Object> producer(Function<FastPath, Object> limit) {
        return stage -> Capabilities.of(stage.device).producer().map(limit).orElse("none");
    }

    private static Function<Stage, Object> consumer(Function<FastPath, Object> limit) {
        return stage -> Capabilities.of(stage.device).consumer().map(limit).orElse("none");
    }

    private static Probe defaults(boolean cc) {
        return Probe.of("limits.defaults", "Sizes of a server or client when nothing is set")
                .ask("bytes of a message", usual(ControlPathEndpoint::maxMessageSize), cc ? "2048" : "4080")
                .ask("messages of a receive queue", usual(ControlPathEndpoint::receiveQueueSize), cc ? "128" : "64");
    }

    private static Function<Stage, Object> usual(ToIntFunction<ControlPathEndpoint> size) {
        return stage -> {
            try (ControlPathEndpoint endpoint = started(stage, settings -> {})) {
                return size.applyAsInt(endpoint);
            }
        };
    }

    private static ControlPathEndpoint started(Stage stage, Consumer<ControlPathEndpoint.Builder<?>> set) {
        if (stage.isHost()) {
            ComchClient.Builder settings = stage.client();
            set.accept(settings);
            return settings.start();
        }
        ComchServer.Builder settings = stage.server();
        set.accept(settings);
        return settings.start();
    }

    private static Function<Stage, Object> beyond(
            ToLongFunction<Capabilities> limit, BiConsumer<ControlPathEndpoint.Builder<?>, Integer> set) {
        return stage -> {
            int size = Math.toIntExact(limit.applyAsLong(Capabilities.of(stage.device))) + 1;
            return CallOutcome.of(
                    () -> started(stage, settings -> set.accept(settings, size)).close());
        };
    }

    private static Probe refused() {
        return Probe.of("limits.refused", "Settings of one more than the limit")
                .ask(
                        "message size",
                        beyond(Capabilities::maxMessageSize, ControlPathEndpoint.Builder::maxMessageSize),
                        "INVALID_VALUE")
                .ask(
                        "receive queue",
                        beyond(Capabilities::maxReceiveQueueSize, ControlPathEndpoint.Builder::receiveQueueSize),
                        "INVALID_VALUE")
                .ask(
                        "send tasks",
                        beyond(Capabilities::maxSendTasks, ControlPathEndpoint.Builder::sendTasks),
                        "INVALID_VALUE");
    }

    private static Probe device() {
        return Probe.of("device.properties", "What DOCA says of the device")
                .ask("IPv4 address", property(device -> told(device.ipv4())), "none")
                .ask("IPv6 address", property(device -> told(device.ipv6())), "one")
                .ask("rate, Gbit/s", property(LimitProbes::rate), "200", "not told")
                .ask("completion vectors", property(LimitProbes::vectors), "1", "not told")
                .ask("hotplug manager", property(DeviceProperties::hotplugManager), "false")
                .ask("exports memory", property(DeviceProperties::exportsMemory), "true")
                .ask("imports memory", property(DeviceProperties::importsMemory), "true");
    }

    private static Function<Stage, Object> property(Function<DeviceProperties, Object> property) {
        return stage -> property.apply(stage.device.properties());
    }

    private static Object rate(DeviceProperties device) {
        return device.activeRate().isPresent() ? device.activeRate().getAsLong() / 1_000_000_000 : "not told";
    }

    private static Object vectors(DeviceProperties device) {
        return device.completionVectors().isPresent()
                ? device.completionVectors().getAsInt()
                : "not told";
    }

    private static String told(Optional<?> address) {
        return address.isPresent() ? "one" : "none";
    }
}
