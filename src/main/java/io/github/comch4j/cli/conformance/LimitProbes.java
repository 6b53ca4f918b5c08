package io.github.comch4j.cli.conformance;

import io.github.comch4j.LibraryInfo.Generation;
import io.github.comch4j.comch.Capabilities;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchServer;
import io.github.comch4j.comch.ControlPathEndpoint;
import io.github.comch4j.core.DeviceProperties;
import java.util.List;
import java.util.Optional;

/** Limits, defaults, and what the device says of itself. */
final class LimitProbes {
    private LimitProbes() {}

    static List<Probe> of(Generation generation) {
        boolean cc = generation != Generation.COMCH;
        return List.of(control(generation), fastPath(generation), defaults(cc), refused(), device());
    }

    private static Probe control(Generation generation) {
        Probe probe = Probe.of("limits.control", "What a server or client takes at most");
        for (KitSide side : KitSide.values()) {
            probe.expect(side + ": bytes of a name", "119")
                    .expect(side + ": bytes of a message", "4080")
                    .expect(side + ": messages of a receive queue", "8192")
                    .expect(side + ": send tasks", generation == Generation.CC_2_5 ? "8192" : "65536");
        }
        return probe.expect("dpu: clients of a server", "512").both(stage -> {
            Capabilities most = Capabilities.of(stage.device);
            stage.answerHere("bytes of a name", most.maxNameLength());
            stage.answerHere("bytes of a message", most.maxMessageSize());
            stage.answerHere("messages of a receive queue", most.maxReceiveQueueSize());
            stage.answerHere("send tasks", most.maxSendTasks());
            if (!stage.isHost()) {
                stage.answerHere("clients of a server", most.maxClients());
            }
        });
    }

    private static Probe fastPath(Generation generation) {
        String many = generation == Generation.CC_2_5 ? "4294967295" : "64";
        Probe probe = Probe.of("limits.fast-path", "What producers and consumers take at most");
        for (KitSide side : KitSide.values()) {
            probe.expect(side + ": producers", many)
                    .expect(side + ": tasks of a producer", "8192")
                    .expect(side + ": bytes to send", "1073741824")
                    .expect(side + ": buffers of a list to send", "1")
                    .expect(side + ": consumers", many)
                    .expect(side + ": tasks of a consumer", "8192")
                    .expect(side + ": bytes to receive", "1073741824")
                    .expect(side + ": buffers of a list to receive", "1")
                    .expect(side + ": bytes of immediate data", generation == Generation.COMCH ? "32" : "0");
        }
        return probe.both(stage -> {
            Capabilities most = Capabilities.of(stage.device);
            most.producer().ifPresent(producer -> {
                stage.answerHere("producers", producer.maxPerConnection());
                stage.answerHere("tasks of a producer", producer.maxTasks());
                stage.answerHere("bytes to send", producer.maxBufferSize());
                stage.answerHere("buffers of a list to send", producer.maxBufferListLength());
            });
            most.consumer().ifPresent(consumer -> {
                stage.answerHere("consumers", consumer.maxPerConnection());
                stage.answerHere("tasks of a consumer", consumer.maxTasks());
                stage.answerHere("bytes to receive", consumer.maxBufferSize());
                stage.answerHere("buffers of a list to receive", consumer.maxBufferListLength());
                stage.answerHere("bytes of immediate data", most.maxImmediateLength());
            });
        });
    }

    private static Probe defaults(boolean cc) {
        Probe probe = Probe.of("limits.defaults", "Sizes of a server or client when nothing is set");
        for (KitSide side : KitSide.values()) {
            probe.expect(side + ": bytes of a message", cc ? "2048" : "4080")
                    .expect(side + ": messages of a receive queue", cc ? "128" : "64");
        }
        return probe.both(stage -> {
            try (ControlPathEndpoint endpoint =
                    stage.isHost() ? stage.client().start() : stage.server().start()) {
                stage.answerHere("bytes of a message", endpoint.maxMessageSize());
                stage.answerHere("messages of a receive queue", endpoint.receiveQueueSize());
            }
        });
    }

    private static Probe refused() {
        Probe probe = Probe.of("limits.refused", "Settings of one more than the limit");
        for (KitSide side : KitSide.values()) {
            probe.expect(side + ": message size", "INVALID_VALUE")
                    .expect(side + ": receive queue", "INVALID_VALUE")
                    .expect(side + ": send tasks", "INVALID_VALUE");
        }
        return probe.both(stage -> {
            Capabilities most = Capabilities.of(stage.device);
            int message = Math.toIntExact(most.maxMessageSize()) + 1;
            int queue = Math.toIntExact(most.maxReceiveQueueSize()) + 1;
            int tasks = Math.toIntExact(most.maxSendTasks()) + 1;
            if (stage.isHost()) {
                stage.answerHere("message size", started(stage.client().maxMessageSize(message)));
                stage.answerHere("receive queue", started(stage.client().receiveQueueSize(queue)));
                stage.answerHere("send tasks", started(stage.client().sendTasks(tasks)));
            } else {
                stage.answerHere("message size", started(stage.server().maxMessageSize(message)));
                stage.answerHere("receive queue", started(stage.server().receiveQueueSize(queue)));
                stage.answerHere("send tasks", started(stage.server().sendTasks(tasks)));
            }
        });
    }

    private static String started(ComchClient.Builder settings) {
        return CallOutcome.of(() -> settings.start().close());
    }

    private static String started(ComchServer.Builder settings) {
        return CallOutcome.of(() -> settings.start().close());
    }

    /** Releases before 2.6 do not tell the rate, and those before 3.0 no vectors. */
    private static Probe device() {
        Probe probe = Probe.of("device.properties", "What DOCA says of the device");
        for (KitSide side : KitSide.values()) {
            probe.expect(side + ": IPv4 address", "none")
                    .expect(side + ": IPv6 address", "one")
                    .expect(side + ": rate, Gbit/s", "200", "not told")
                    .expect(side + ": completion vectors", "1", "not told")
                    .expect(side + ": hotplug manager", "false")
                    .expect(side + ": exports memory", "true")
                    .expect(side + ": imports memory", "true");
        }
        return probe.both(stage -> {
            DeviceProperties properties = stage.device.properties();
            stage.answerHere("IPv4 address", told(properties.ipv4()));
            stage.answerHere("IPv6 address", told(properties.ipv6()));
            stage.answerHere(
                    "rate, Gbit/s",
                    properties.activeRate().isPresent()
                            ? properties.activeRate().getAsLong() / 1_000_000_000
                            : "not told");
            stage.answerHere(
                    "completion vectors",
                    properties.completionVectors().isPresent()
                            ? properties.completionVectors().getAsInt()
                            : "not told");
            stage.answerHere("hotplug manager", properties.hotplugManager());
            stage.answerHere("exports memory", properties.exportsMemory());
            stage.answerHere("imports memory", properties.importsMemory());
        });
    }

    /** Whether there is an address, and not which. */
    private static String told(Optional<?> address) {
        return address.isPresent() ? "one" : "none";
    }
}
