package io.github.comch4j.cli;

import io.github.comch4j.internal.support.program.Json;
import io.github.comch4j.internal.support.program.ProgressBar;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code comch top}. */
@Command(
        name = "top",
        description = "The emulated machine as it is now: servers, connections, producers and consumers, rates, posted"
                + " buffers, and who is stuck. It only reads, and disturbs nobody. Ctrl-C ends it.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  comch top                 a screen that is drawn again each second",
            "  comch top --once --json   once, for programs",
            "  comch top --pid 4711      of a JVM: what its beans tell"
        })
final class TopCommand implements Runnable {
    private static final double MEGA = 1e6;
    private static final int LONGEST_NAME = 24;

    @Option(
            names = {"-i", "--interval"},
            paramLabel = "SECONDS",
            defaultValue = "1",
            converter = Words.Seconds.class,
            description = "from one look to the next; rates are over that time (${DEFAULT-VALUE})")
    private Duration interval;

    @Option(names = "--once", description = "two looks, then the end")
    private boolean once;

    @Option(names = "--json", description = "with --once: for programs")
    private boolean json;

    @Option(
            names = "--fabric",
            paramLabel = "FOLDER",
            description = "the folder of an emulated machine (that of DOCA_EMU_DIR)")
    private @Nullable Path folder;

    @Option(
            names = "--pid",
            paramLabel = "PID",
            description = "not the machine but this JVM, by the beans that its program has registered (JMX)")
    private long pid;

    @Mixin
    Common common;

    @Spec
    private CommandSpec spec;

    /** One direction of a connection, over the time between two looks. */
    private record Flow(
            FabricView.Connection connection,
            boolean toServer,
            FabricView.Direction now,
            double messages,
            double bytes,
            double payloads,
            String stuck) {}

    @Override
    public void run() {
        if (json && !once) {
            throw Words.wrong(spec, "--json: is for --once");
        }
        Words.within(spec, "--interval (ms)", interval.toMillis(), 1, Integer.MAX_VALUE);
        boolean terminal = !once && ProgressBar.isTerminal(1);
        if (pid != 0) {
            jvm(terminal);
            return;
        }
        try (Interrupt interrupt = new Interrupt()) {
            FabricView before = ListCommand.look(folder);
            do {
                if (!pause(interrupt)) {
                    break;
                }
                FabricView now = ListCommand.look(folder);
                List<Flow> flows = flows(before, now);
                if (json) {
                    System.out.print(Json.of(map(now, flows)));
                } else {
                    if (terminal) {
                        System.out.print("\033[H\033[2J");
                    }
                    print(now, flows);
                    System.out.flush();
                }
                before = now;
            } while (!once && !interrupt.stopped());
        }
    }

    private void jvm(boolean terminal) {
        try (JvmView jvm = new JvmView(pid);
                Interrupt interrupt = new Interrupt()) {
            Map<String, Map<String, Object>> before = jvm.beans();
            long since = System.nanoTime();
            while (pause(interrupt)) {
                Map<String, Map<String, Object>> now = jvm.beans();
                double seconds = (System.nanoTime() - since) / 1e9;
                since = System.nanoTime();
                if (json) {
                    System.out.print(Json.of(now));
                } else {
                    System.out.print(terminal ? "\033[H\033[2J" : "");
                    print(before, now, seconds);
                    System.out.flush();
                }
                before = now;
                if (once) {
                    return;
                }
            }
        }
    }

    private void print(Map<String, Map<String, Object>> before, Map<String, Map<String, Object>> now, double seconds) {
        System.out.println(
                pid + ": " + now.size() + " beans" + (now.isEmpty() ? ": its program has registered none" : ""));
        now.forEach((bean, attributes) -> {
            System.out.println();
            System.out.println(bean);
            Table table = new Table("", "", "PER SECOND");
            attributes.forEach((name, value) -> {
                Object last = before.getOrDefault(bean, Map.of()).get(name);
                boolean counts = value instanceof Long && last instanceof Long;
                table.row(
                        name,
                        String.valueOf(value),
                        counts ? "%.0f".formatted(((Long) value - (Long) last) / seconds) : "");
            });
            table.print(System.out);
        });
    }

    private boolean pause(Interrupt interrupt) {
        long until = System.nanoTime() + interval.toNanos();
        while (System.nanoTime() - until < 0) {
            if (interrupt.stopped()) {
                return false;
            }
            Streams.pause();
        }
        return true;
    }

    private static List<Flow> flows(FabricView before, FabricView now) {
        double seconds = (now.nanos - before.nanos) / 1e9;
        List<Flow> flows = new ArrayList<>();
        for (FabricView.Connection connection : now.connections) {
            FabricView.Connection last = before.connections.stream()
                    .filter(each -> each.inode() == connection.inode())
                    .findFirst()
                    .orElse(null);
            flows.add(flow(connection, true, last == null ? null : last.toServer(), connection.toServer(), seconds));
            flows.add(flow(connection, false, last == null ? null : last.toClient(), connection.toClient(), seconds));
        }
        return flows;
    }

    private static Flow flow(
            FabricView.Connection connection,
            boolean toServer,
            FabricView.@Nullable Direction before,
            FabricView.Direction now,
            double seconds) {
        Holder receiver = toServer ? connection.serving() : connection.client();
        Holder sender = toServer ? connection.client() : connection.serving();
        if (before == null) {
            return new Flow(connection, toServer, now, 0, 0, 0, stuck(receiver, sender, null, now));
        }
        return new Flow(
                connection,
                toServer,
                now,
                Math.max(0, now.messages() - before.messages()) / seconds,
                Math.max(0, now.bytes() - before.bytes()) / seconds,
                Math.max(0, taken(now) - taken(before)) / seconds,
                stuck(receiver, sender, before, now));
    }

    private static long taken(FabricView.Direction direction) {
        return direction.consumers().stream()
                .mapToLong(FabricView.Consumer::taken)
                .sum();
    }

    /** Why something does not go on; empty if nothing is known of that. */
    private static String stuck(
            @Nullable Holder receiver,
            @Nullable Holder sender,
            FabricView.@Nullable Direction before,
            FabricView.Direction now) {
        if (receiver == null) {
            return "the receiver has gone";
        }
        if (receiver.isStopped()) {
            return receiver.pid() + " is stopped";
        }
        if (sender != null && sender.isStopped()) {
            return sender.pid() + " is stopped";
        }
        if (before != null && now.waiting() > 0 && before.waiting() > 0 && before.messages() == now.messages()) {
            return receiver.pid() + " does not receive";
        }
        boolean empty = now.producers() > 0
                && now.consumers().stream().anyMatch(each -> each.state().equals("running") && each.free() == 0);
        return empty && before != null && taken(now) == taken(before) ? receiver.pid() + " posts no buffers" : "";
    }

    private static void print(FabricView view, List<Flow> flows) {
        System.out.println(view.folder + ": " + view.servers.size() + " servers, " + view.connections.size()
                + " connections" + (view.unread > 0 ? ", " + view.unread + " that cannot be read" : ""));
        System.out.println();
        Table table = new Table(
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
        for (Flow flow : flows) {
            FabricView.Connection connection = flow.connection;
            Holder client = connection.client();
            String host = client == null ? "?" : Long.toString(client.pid());
            String dpu = Long.toString(connection.serving().pid());
            FabricView.Direction now = flow.now;
            table.row(
                    shortened(connection.server()),
                    connection.function(),
                    flow.toServer ? host : dpu,
                    flow.toServer ? dpu : host,
                    "%.0f".formatted(flow.messages),
                    "%.1f".formatted(flow.bytes / MEGA),
                    Long.toString(now.waiting()),
                    Long.toString(now.producers()),
                    Integer.toString(now.consumers().size()),
                    Long.toString(now.consumers().stream()
                            .mapToLong(FabricView.Consumer::free)
                            .sum()),
                    "%.0f".formatted(flow.payloads),
                    flow.stuck);
        }
        for (FabricView.Server server : view.servers) {
            if (flows.stream().noneMatch(flow -> flow.connection.server().equals(server.name()))) {
                String pid = Long.toString(server.process().pid());
                table.row(
                        shortened(server.name()),
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
        table.print(System.out);
    }

    private static String shortened(String name) {
        return name.length() <= LONGEST_NAME ? name : name.substring(0, LONGEST_NAME - 1) + "…";
    }

    private static Map<String, Object> map(FabricView view, List<Flow> flows) {
        Map<String, Object> map = ListCommand.map(view);
        map.put("unread", view.unread);
        List<Object> connections = new ArrayList<>();
        for (int i = 0; i < flows.size(); i += 2) {
            Map<String, Object> each = ListCommand.map(flows.get(i).connection);
            each.put("toServer", map(flows.get(i)));
            each.put("toClient", map(flows.get(i + 1)));
            connections.add(each);
        }
        map.put("connections", connections);
        return map;
    }

    private static Map<String, Object> map(Flow flow) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("messages", flow.now.messages());
        map.put("bytes", flow.now.bytes());
        map.put("waitingBytes", flow.now.waiting());
        map.put("messagesPerSecond", Math.round(flow.messages));
        map.put("bytesPerSecond", Math.round(flow.bytes));
        map.put("producers", flow.now.producers());
        map.put("payloadsPerSecond", Math.round(flow.payloads));
        List<Object> consumers = new ArrayList<>();
        for (FabricView.Consumer consumer : flow.now.consumers()) {
            Map<String, Object> each = new LinkedHashMap<>();
            each.put("id", consumer.id());
            each.put("state", consumer.state());
            each.put("capacity", consumer.capacity());
            each.put("posted", consumer.free());
            each.put("received", consumer.taken());
            consumers.add(each);
        }
        map.put("consumers", consumers);
        map.put("stuck", flow.stuck);
        return map;
    }
}
