package io.github.comch4j.cli;

import io.github.comch4j.DocaException;
import io.github.comch4j.cli.program.Json;
import io.github.comch4j.cli.program.Sizes;
import io.github.comch4j.cli.program.TextTable;
import io.github.comch4j.comch.Capabilities;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.DeviceInfo;
import io.github.comch4j.core.RepresentorInfo;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code comch devices}: a block of lines for each device, or JSON. */
@Command(
        name = "devices",
        description = "List the devices of this side, and on the DPU the host's functions behind them.",
        footer = "  comch devices --json --limits | jq '.[].limits.maxMessageSize'")
final class DevicesCommand extends ToolCommand implements Runnable, UsesDevice {
    @Option(names = "--limits", description = "also show the limits of each device")
    private boolean limits;

    @Option(names = "--json", description = "print JSON")
    private boolean json;

    /** A device, and why it cannot be opened, or what there is to tell of it. */
    private record Found(
            DeviceInfo info,
            String failure,
            String mac,
            List<RepresentorInfo> functions,
            @Nullable Capabilities limits) {}

    @Override
    public void run() {
        List<Found> found = new ArrayList<>();
        for (DeviceInfo info : DeviceChoice.devicesHere()) {
            found.add(look(info));
        }
        if (json) {
            System.out.print(Json.of(found.stream().map(DevicesCommand::map).toList()));
        } else {
            print(found);
        }
    }

    private Found look(DeviceInfo info) {
        try (Device device = Device.open(info.address())) {
            List<RepresentorInfo> functions =
                    device.properties().representorFilters().isEmpty() ? List.of() : device.representors();
            boolean comch = device.supportsServers() || device.supportsClients();
            return new Found(
                    info,
                    "",
                    device.properties().mac().map(Object::toString).orElse(""),
                    functions,
                    limits && comch ? Capabilities.of(device) : null);
        } catch (DocaException e) {
            return new Found(info, e.getMessage(), "", List.of(), null);
        }
    }

    private static void print(List<Found> all) {
        TextTable table = new TextTable("DEVICE", "IB", "INTERFACE", "MAC", "CAN BE");
        for (Found found : all) {
            DeviceInfo info = found.info;
            table.row(info.address().toString(), info.ibDeviceName(), info.interfaceName(), found.mac, role(info));
            if (!found.failure.isEmpty()) {
                table.below("cannot be opened: " + found.failure);
            }
            for (RepresentorInfo function : found.functions) {
                table.below("represents " + function.address() + "  " + function.type() + "  "
                        + function.interfaceName() + "  " + function.vuid());
            }
            if (found.limits != null) {
                limits(found.limits).forEach(table::below);
            }
        }
        table.print(System.out);
    }

    private static String role(DeviceInfo info) {
        return info.server() && info.client()
                ? "server and client"
                : info.server() ? "server: a DPU's device" : info.client() ? "client: a host's function" : "no Comch";
    }

    private static List<String> limits(Capabilities most) {
        return List.of(
                "control path: names of " + most.maxNameLength() + " bytes, messages of " + most.maxMessageSize()
                        + " bytes, receive queues of " + most.maxReceiveQueueSize() + ", " + most.maxSendTasks()
                        + " send tasks, " + most.maxClients() + " clients",
                most.producer()
                        .map(producer -> "producers: " + producer.maxPerConnection() + ", with " + producer.maxTasks()
                                + " tasks and buffers of " + Sizes.format(producer.maxBufferSize()))
                        .orElse("no producers"),
                most.consumer()
                        .map(consumer -> "consumers: " + consumer.maxPerConnection() + ", with " + consumer.maxTasks()
                                + " tasks, buffers of " + Sizes.format(consumer.maxBufferSize()) + " and "
                                + most.maxImmediateLength() + " bytes of immediate data")
                        .orElse("no consumers"));
    }

    private static Map<String, Object> map(Found found) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("address", found.info.address());
        map.put("ibDevice", found.info.ibDeviceName());
        map.put("interface", found.info.interfaceName());
        map.put("server", found.info.server());
        map.put("client", found.info.client());
        if (!found.failure.isEmpty()) {
            map.put("failure", found.failure);
        }
        if (!found.mac.isEmpty()) {
            map.put("mac", found.mac);
        }
        List<Map<String, Object>> functions = new ArrayList<>();
        for (RepresentorInfo function : found.functions) {
            Map<String, Object> each = new LinkedHashMap<>();
            each.put("address", function.address());
            each.put("type", function.type());
            each.put("interface", function.interfaceName());
            each.put("vuid", function.vuid());
            functions.add(each);
        }
        map.put("represents", functions);
        if (found.limits != null) {
            map.put("limits", map(found.limits));
        }
        return map;
    }

    private static Map<String, Object> map(Capabilities most) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("maxNameLength", most.maxNameLength());
        map.put("maxMessageSize", most.maxMessageSize());
        map.put("maxReceiveQueueSize", most.maxReceiveQueueSize());
        map.put("maxSendTasks", most.maxSendTasks());
        map.put("maxClients", most.maxClients());
        most.producer().ifPresent(producer -> {
            map.put("maxProducers", producer.maxPerConnection());
            map.put("maxProducerTasks", producer.maxTasks());
            map.put("maxProducerBufferSize", producer.maxBufferSize());
        });
        most.consumer().ifPresent(consumer -> {
            map.put("maxConsumers", consumer.maxPerConnection());
            map.put("maxConsumerTasks", consumer.maxTasks());
            map.put("maxConsumerBufferSize", consumer.maxBufferSize());
            map.put("maxImmediateLength", most.maxImmediateLength());
        });
        return map;
    }
}
