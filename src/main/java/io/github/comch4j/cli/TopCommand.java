package io.github.comch4j.cli;

import io.github.comch4j.cli.fabric.FabricProcess;
import io.github.comch4j.cli.fabric.FabricView;
import io.github.comch4j.cli.fabric.Flow;
import io.github.comch4j.cli.fabric.JvmView;
import io.github.comch4j.cli.program.Json;
import io.github.comch4j.cli.program.TextTable;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code comch top}. */
@Command(
        name = "top",
        description = "Show the emulated machine as it is now: servers, connections, producers and consumers,"
                + " rates, posted buffers, and stuck processes. It only reads, and disturbs no process. To end it,"
                + " press q or Ctrl-C.",
        footer = {
            "  comch top                   redrawn each second, until q; s: next sort order",
            "  comch top --sort waiting    most waiting bytes first",
            "  comch top --once --json     once, as JSON",
            "  comch top --pid 4711        the beans of a JVM"
        })
final class TopCommand extends ToolCommand implements Runnable {
    private static final double MEGA = 1e6;
    private static final int LONGEST_NAME = 24;
    private static final int SHORTENED_NAME = 12; // on a narrow terminal
    /** Columns that a narrow terminal has not, in this order; the server and who is stuck it always has. */
    private static final String[] LEAST_IMPORTANT = {
        "POSTED", "CONS", "PROD", "FUNCTION", "BUF/S", "WAITING", "FROM", "TO", "MB/S", "MSG/S"
    };

    @Option(
            names = {"-i", "--interval"},
            paramLabel = "SECONDS",
            defaultValue = "1",
            description = "time from one look to the next, over which rates are computed (${DEFAULT-VALUE})")
    private Duration interval;

    @Option(
            names = "--sort",
            paramLabel = "BY",
            defaultValue = "busy",
            description = "the sort order: ${COMPLETION-CANDIDATES} (${DEFAULT-VALUE})")
    private Flow.Order order;

    @Option(names = "--once", description = "take two looks, then end")
    private boolean once;

    @Option(names = "--json", description = "with --once: print JSON")
    private boolean json;

    @Option(
            names = "--fabric",
            paramLabel = "FOLDER",
            description = "the fabric folder of an emulated machine (that of DOCA_EMU_DIR)")
    private @Nullable Path folder;

    @Option(
            names = "--pid",
            paramLabel = "PID",
            description = "show this JVM instead of the machine, from the beans that its program has registered (JMX)")
    private long pid;

    @Override
    public void run() {
        if (json && !once) {
            throw wrong("--json: is for --once");
        }
        within("--interval (ms)", interval.toMillis(), 1, Integer.MAX_VALUE);
        try (Screen screen = new Screen(!once)) {
            if (pid != 0) {
                jvm(screen);
            } else {
                machine(screen);
            }
        }
    }

    private void machine(Screen screen) {
        FabricView shown = ListCommand.look(folder);
        List<Flow> flows = Flow.of(shown, shown);
        int key;
        while ((key = screen.key(interval)) != Screen.END) {
            if (key == 's') {
                order = order.next();
            } else if (key == Screen.NONE) {
                FabricView now = ListCommand.look(folder);
                flows = Flow.of(shown, now);
                shown = now;
            }
            if (json) {
                System.out.print(Json.of(map(shown, flows)));
            } else {
                screen.show(text(shown, flows, screen));
            }
            if (once) {
                return;
            }
        }
    }

    private void jvm(Screen screen) {
        try (JvmView jvm = new JvmView(pid)) {
            Map<String, Map<String, Object>> before = jvm.beans();
            long since = System.nanoTime();
            while (screen.key(interval) != Screen.END) {
                Map<String, Map<String, Object>> now = jvm.beans();
                double seconds = (System.nanoTime() - since) / 1e9;
                since = System.nanoTime();
                if (json) {
                    System.out.print(Json.of(now));
                } else {
                    screen.show(text(before, now, seconds));
                }
                if (once) {
                    return;
                }
                before = now;
            }
        }
    }

    private String text(Map<String, Map<String, Object>> before, Map<String, Map<String, Object>> now, double seconds) {
        StringBuilder text = new StringBuilder();
        text.append(pid).append(": ").append(now.size()).append(" beans");
        text.append(now.isEmpty() ? ": its program has registered none\n" : "\n");
        now.forEach((bean, attributes) -> {
            TextTable table = new TextTable("", "", "PER SECOND");
            attributes.forEach((name, value) -> {
                Object last = before.getOrDefault(bean, Map.of()).get(name);
                boolean counts = value instanceof Long && last instanceof Long;
                table.row(
                        name,
                        String.valueOf(value),
                        counts ? "%.0f".formatted(((Long) value - (Long) last) / seconds) : "");
            });
            text.append('\n').append(bean).append('\n').append(table);
        });
        return text.toString();
    }

    private TextTable table(FabricView view, List<Flow> flows, int longestName) {
        TextTable table = new TextTable(
                "SERVER",
                "FUNCTION",
                "FROM",
                "TO",
                "MSG/S",
                "MB/S",
                "WAITING",
                "PROD",
                "CONS",
                "POSTED",
                "BUF/S",
                "STUCK");
        for (Flow flow : flows.stream().sorted(order.comparator()).toList()) {
            FabricView.Connection connection = flow.connection();
            FabricProcess client = connection.client();
            String host = client == null ? "?" : Long.toString(client.pid());
            String dpu = Long.toString(connection.serving().pid());
            FabricView.FlowDirection now = flow.now();
            table.row(
                    shortened(connection.server(), longestName),
                    connection.function(),
                    flow.toServer() ? host : dpu,
                    flow.toServer() ? dpu : host,
                    "%.0f".formatted(flow.messages()),
                    "%.1f".formatted(flow.bytes() / MEGA),
                    Long.toString(now.waiting()),
                    Long.toString(now.producers()),
                    Integer.toString(now.consumers().size()),
                    Long.toString(now.consumers().stream()
                            .mapToLong(FabricView.Consumer::free)
                            .sum()),
                    "%.0f".formatted(flow.payloads()),
                    flow.stuck());
        }
        for (FabricView.Server server : view.servers) {
            if (flows.stream().noneMatch(flow -> flow.connection().server().equals(server.name()))) {
                String pid = Long.toString(server.process().pid());
                table.row(
                        shortened(server.name(), longestName),
                        server.function(),
                        "-",
                        pid,
                        "",
                        "",
                        "",
                        "",
                        "",
                        "",
                        "",
                        server.process().isStopped() ? pid + " is stopped" : "");
            }
        }
        return table;
    }

    private String text(FabricView view, List<Flow> flows, Screen screen) {
        TextTable table = table(view, flows, LONGEST_NAME);
        if (!table.narrow(screen.columns(), LEAST_IMPORTANT)) {
            table = table(view, flows, SHORTENED_NAME);
            table.narrow(screen.columns(), LEAST_IMPORTANT);
        }
        return view.folder + ": " + counted(view.servers.size(), "server") + ", "
                + counted(view.connections.size(), "connection")
                + (view.unread > 0 ? ", " + view.unread + " that cannot be read" : "")
                + (screen.hasKeys() ? " (q: end, s: sort by " + order.next() + ")" : "") + "\n\n" + table;
    }

    private static String counted(int number, String what) {
        return number + " " + what + (number == 1 ? "" : "s");
    }

    private static String shortened(String name, int longest) {
        return name.length() <= longest ? name : name.substring(0, longest - 1) + "…";
    }

    private static Map<String, Object> map(FabricView view, List<Flow> flows) {
        Map<String, Object> map = ListCommand.map(view);
        map.put("unread", view.unread);
        List<Object> connections = new ArrayList<>();
        for (int i = 0; i < flows.size(); i += 2) {
            Map<String, Object> each = ListCommand.map(flows.get(i).connection());
            each.put("toServer", map(flows.get(i)));
            each.put("toClient", map(flows.get(i + 1)));
            connections.add(each);
        }
        map.put("connections", connections);
        return map;
    }

    private static Map<String, Object> map(Flow flow) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("messages", flow.now().messages());
        map.put("bytes", flow.now().bytes());
        map.put("waitingBytes", flow.now().waiting());
        map.put("messagesPerSecond", Math.round(flow.messages()));
        map.put("bytesPerSecond", Math.round(flow.bytes()));
        map.put("producers", flow.now().producers());
        map.put("payloadsPerSecond", Math.round(flow.payloads()));
        List<Object> consumers = new ArrayList<>();
        for (FabricView.Consumer consumer : flow.now().consumers()) {
            Map<String, Object> each = new LinkedHashMap<>();
            each.put("id", consumer.id());
            each.put("state", consumer.state());
            each.put("capacity", consumer.capacity());
            each.put("posted", consumer.free());
            each.put("received", consumer.taken());
            consumers.add(each);
        }
        map.put("consumers", consumers);
        map.put("stuck", flow.stuck());
        return map;
    }
}
