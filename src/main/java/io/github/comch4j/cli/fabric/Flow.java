package io.github.comch4j.cli.fabric;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One direction of a connection, over the time between two looks. */
public record Flow(
        FabricView.Connection connection,
        boolean toServer,
        FabricView.FlowDirection now,
        double messages,
        double bytes,
        double payloads,
        String stuck) {

    /** By what flows are sorted; what is most comes first. */
    public enum Order {
        BUSY,
        SERVER,
        MESSAGES,
        BYTES,
        WAITING,
        BUFFERS,
        STUCK;

        public Comparator<Flow> comparator() {
            return switch (this) {
                case BUSY -> Comparator.comparingDouble(flow -> -flow.messages - flow.payloads);
                case SERVER -> Comparator.comparing(flow -> flow.connection.server());
                case MESSAGES -> Comparator.comparingDouble(flow -> -flow.messages);
                case BYTES -> Comparator.comparingDouble(flow -> -flow.bytes);
                case WAITING -> Comparator.comparingLong(flow -> -flow.now.waiting());
                case BUFFERS -> Comparator.comparingDouble(flow -> -flow.payloads);
                case STUCK -> Comparator.comparing(flow -> flow.stuck.isEmpty());
            };
        }

        public Order next() {
            List<Order> all = List.of(values());
            return all.get((all.indexOf(this) + 1) % all.size());
        }

        /** As on the command line. */
        @Override
        public String toString() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }
    }

    /** Of both directions of each connection, one after the other. */
    public static List<Flow> of(FabricView before, FabricView now) {
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
            FabricView.@Nullable FlowDirection before,
            FabricView.FlowDirection now,
            double seconds) {
        FabricProcess receiver = toServer ? connection.serving() : connection.client();
        FabricProcess sender = toServer ? connection.client() : connection.serving();
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

    private static long taken(FabricView.FlowDirection direction) {
        return direction.consumers().stream()
                .mapToLong(FabricView.Consumer::taken)
                .sum();
    }

    /** Why something does not go on; empty if nothing is known of that. */
    private static String stuck(
            @Nullable FabricProcess receiver,
            @Nullable FabricProcess sender,
            FabricView.@Nullable FlowDirection before,
            FabricView.FlowDirection now) {
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
}
