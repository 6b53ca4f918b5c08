package io.github.comch4j.cli;

import io.github.comch4j.cli.fabric.Fabric;
import io.github.comch4j.cli.fabric.FabricProcess;
import io.github.comch4j.cli.fabric.FabricView;
import io.github.comch4j.cli.program.Json;
import io.github.comch4j.cli.program.ProgramException;
import io.github.comch4j.cli.program.Programs;
import io.github.comch4j.cli.program.TextTable;
import io.github.comch4j.emulator.EmulatedFaults;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code comch list}. */
@Command(
        name = "list",
        description = "List the servers and the clients that are connected to each: on the emulated machine, or"
                + " with an SDK as reported by DOCA's doca_comm_channel_admin.",
        footer = "  comch list --json | jq '.servers[].name'")
final class ListCommand extends ToolCommand implements UsesDevice, Callable<Integer> {
    private static final Duration FOR_EVER = Duration.ofDays(1000);
    private static final String TOOLS = "/opt/mellanox/doca/tools";
    private static final String ADMIN = "doca_comm_channel_admin";

    @Option(names = "--json", description = "print JSON; on the emulated machine only")
    private boolean json;

    @Option(
            names = "--fabric",
            paramLabel = "FOLDER",
            description = "the fabric folder of an emulated machine (that of DOCA_EMU_DIR)")
    private @Nullable Path folder;

    @Override
    public Integer call() {
        if (folder == null && !EmulatedFaults.available()) {
            return admin();
        }
        FabricView view = look(folder);
        if (json) {
            System.out.print(Json.of(map(view)));
        } else {
            print(view);
        }
        return 0;
    }

    static FabricView look(@Nullable Path folder) {
        Path place = folder != null ? folder : Fabric.usual(System.getenv());
        try {
            return FabricView.of(place);
        } catch (NoSuchFileException e) {
            if (folder == null) {
                return FabricView.none(place);
            }
            throw new ProgramException("there is no fabric folder " + place + ": nothing has run on this machine", e);
        } catch (IOException e) {
            throw new ProgramException(
                    "the fabric folder " + place + " cannot be read: " + ProgramException.reason(e), e);
        }
    }

    private int admin() {
        if (json) {
            throw new ProgramException(
                    "--json is of an emulated machine: " + ADMIN + ", which tells it here, has none");
        }
        Path program = Programs.find(ADMIN, TOOLS)
                .orElseThrow(() -> new ProgramException("only DOCA's " + ADMIN
                        + " can tell, and it is not installed here, neither on the PATH nor in " + TOOLS));
        try {
            ProcessBuilder command = new ProcessBuilder(program.toString()).inheritIO();
            return Programs.run(command, FOR_EVER).orElse(1) == 0 ? 0 : 1;
        } catch (IOException e) {
            throw new ProgramException(program + " cannot be run: " + e.getMessage(), e);
        }
    }

    private static long count(FabricView view, FabricView.Server server) {
        return view.connections.stream()
                .filter(each -> each.server().equals(server.name())
                        && each.function().equals(server.function())
                        && server.process().equals(each.serving()))
                .count();
    }

    private static void print(FabricView view) {
        TextTable servers = new TextTable("SERVER", "FUNCTION", "PID", "PROGRAM", "CONNECTIONS");
        for (FabricView.Server server : view.servers) {
            servers.row(
                    server.name(),
                    server.function(),
                    Long.toString(server.process().pid()),
                    server.process().command(),
                    Long.toString(count(view, server)));
        }
        servers.print(System.out);
        if (!view.connections.isEmpty()) {
            System.out.println();
            TextTable connections = new TextTable("CLIENT", "PROGRAM", "SERVER", "FUNCTION", "SERVER'S PID");
            for (FabricView.Connection each : view.connections) {
                connections.row(
                        each.client() == null
                                ? "?"
                                : Long.toString(each.client().pid()),
                        each.client() == null ? "?" : each.client().command(),
                        each.server(),
                        each.function(),
                        Long.toString(each.serving().pid()));
            }
            connections.print(System.out);
        }
    }

    static Map<String, Object> map(FabricView view) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("fabric", view.folder);
        List<Map<String, Object>> servers = view.servers.stream()
                .map(server -> {
                    Map<String, Object> each = new LinkedHashMap<>();
                    each.put("name", server.name());
                    each.put("function", server.function());
                    each.put("process", map(server.process()));
                    each.put("connections", count(view, server));
                    return each;
                })
                .toList();
        map.put("servers", servers);
        map.put("connections", view.connections.stream().map(ListCommand::map).toList());
        return map;
    }

    private static Map<String, Object> map(@Nullable FabricProcess process) {
        Map<String, Object> map = new LinkedHashMap<>();
        if (process != null) {
            map.put("pid", process.pid());
            map.put("program", process.command());
            map.put("state", Character.toString(process.state()));
        }
        return map;
    }

    static Map<String, Object> map(FabricView.Connection connection) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("id", connection.inode());
        map.put("server", connection.server());
        map.put("function", connection.function());
        map.put("serverProcess", map(connection.serving()));
        map.put("clientProcess", map(connection.client()));
        return map;
    }
}
