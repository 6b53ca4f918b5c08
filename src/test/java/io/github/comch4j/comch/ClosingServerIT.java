package io.github.comch4j.comch;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.Child;
import io.github.comch4j.Feature;
import io.github.comch4j.Machine;
import io.github.comch4j.Needs;
import io.github.comch4j.Signals;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.core.ProgressEngine;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A server that is closed with messages queued for everybody, of whom one stands still. */
@Timeout(120)
@Needs(Feature.DISCONNECT)
class ClosingServerIT {
    private static final int HEALTHY = 3;
    private static final int MESSAGES = 500;
    private static final Logger LOGGER = Logger.getLogger("io.github.comch4j");

    /** What happens, in order: the ends of the healthy clients, and warnings. */
    private final List<String> story = Collections.synchronizedList(new ArrayList<>());

    private final Handler listener = new Handler() {
        @Override
        public void publish(LogRecord line) {
            if (line.getMessage().contains("closing")) {
                story.add(line.getMessage());
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    @Test
    void theOthersGetAllAndEndBeforeTheOneThatStandsStillIsGivenUpAndNamed() throws Exception {
        LOGGER.addHandler(listener);
        AtomicInteger got = new AtomicInteger();
        boolean[] filled = {false};
        try (Machine machine = new Machine();
                EventLoop loop = EventLoop.start("host")) {
            ComchServer server = machine.server()
                    .onMessage((connection, message) -> {
                        connection.endpoint().liveConnections().forEach(ClosingServerIT::fill);
                        filled[0] = true;
                    })
                    .start();
            try (Child child = Child.start(Frozen.class, List.of(), Map.of("DOCA_EMU_SIDE", "host"), machine.name)) {
                connected(machine, server, 1);
                ComchConnection frozen = server.connections().iterator().next();
                Signals.stop(Long.parseLong(child.line()));
                List<ComchClient> clients = new ArrayList<>();
                for (int i = 0; i < HEALTHY; i++) {
                    loop.execute(() -> clients.add(client(machine, loop, got)));
                    connected(machine, server, 2 + i);
                }
                loop.execute(() -> clients.getFirst().connection().send(new byte[1]));
                machine.until("full queues", () -> filled[0]);
                assertThat(server.connections())
                        .allMatch(connection -> connection.life().isQueueing());
                server.close();
                assertThat(got).as("messages of the healthy ones").hasValue(HEALTHY * MESSAGES);
                assertThat(story).hasSize(HEALTHY + 1).startsWith("end", "end", "end");
                assertThat(story.getLast()).endsWith(": " + frozen);
            }
        } finally {
            LOGGER.removeHandler(listener);
        }
    }

    private static void connected(Machine machine, ComchServer server, int number) {
        machine.until("connection " + number, () -> server.connections().size() == number);
    }

    /** On its own loop. */
    private ComchClient client(Machine machine, EventLoop loop, AtomicInteger got) {
        return ComchClient.builder(loop.engine(), machine.host, machine.name)
                .onMessage((connection, message) -> got.incrementAndGet())
                .onDisconnected(connection -> story.add("end"))
                .connect(Machine.PATIENCE);
    }

    /** In a handler, where what has no room is queued. */
    private static void fill(ComchConnection connection) {
        for (int i = 0; i < MESSAGES; i++) {
            connection.enqueue(new byte[100]);
        }
    }

    /** A client's process that tells its process id, and takes nothing. */
    static final class Frozen {
        private Frozen() {}

        /** The server's name. */
        public static void main(String[] arguments) throws Exception {
            Machine.useEmulation();
            try (ProgressEngine engine = ProgressEngine.create();
                    var host = Device.openHost(Machine.HOST);
                    var client = ComchClient.builder(engine, host, arguments[0]).connect(Machine.PATIENCE)) {
                System.out.println(ProcessHandle.current().pid());
                Machine.until("its end", () -> !client.isConnected(), engine);
            }
        }
    }
}
