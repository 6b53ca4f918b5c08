package io.github.comch4j.cli.conformance;

import io.github.comch4j.DocaError;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.ComchProducer;
import io.github.comch4j.comch.ComchServer;
import io.github.comch4j.core.ContextState;
import io.github.comch4j.core.MemoryMap;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/** Peers that are killed: what the other one sees of it, and how soon. */
final class DeathProbes {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private DeathProbes() {}

    static List<Probe> of() {
        return List.of(ofClient(), ofServer(), nameAgain(), ofExporter());
    }

    private static Probe ofClient() {
        return Probe.of("death.client", "The host's process is killed, with a connection, producers and consumers")
                .expect("disconnect event", "LOST")
                .measure("after ms")
                .expect("posted receives", "IO_FAILED x4")
                .expect("a send to its consumer", "NOT_CONNECTED")
                .expect("a message", "NOT_CONNECTED")
                .expect("the server", "RUNNING")
                .host((stage, connection) -> {
                    ConsumerProbes.consumer(stage, connection, 1, new ArrayList<>());
                    stage.consumers(connection, 1);
                    stage.hear("ready");
                    stage.die();
                })
                .dpu(stage -> {
                    PeerSight sight = new PeerSight();
                    ComchServer server = stage.serve(sight.of(stage.server()));
                    ComchConnection connection = stage.accept(server);
                    List<DocaError> failed = new ArrayList<>();
                    ConsumerProbes.consumer(stage, connection, 4, failed);
                    int id = stage.consumers(connection, 1)[0];
                    MemoryMap memory = stage.memory(1024);
                    ComchProducer producer = stage.producer(connection);
                    var buffer = producer.acquire(memory, 0, 1024);
                    stage.tell("ready");
                    stage.hear("dead");
                    sight.answerEnd(stage, PATIENCE);
                    stage.await(() -> failed.size() == 4, Duration.ofSeconds(5));
                    stage.answer("posted receives", ConnectionProbes.counted(failed));
                    stage.attempt("a send to its consumer", () -> producer.trySend(buffer, id));
                    stage.attempt("a message", () -> connection.trySend(new byte[] {1}));
                    stage.answer("the server", server.state());
                });
    }

    private static Probe ofServer() {
        return Probe.of("death.server", "The DPU's process is killed, with a connection, producers and consumers")
                .expect("disconnect event", "CLOSED")
                .measure("after ms")
                .expect("states of the client", "STARTING RUNNING STOPPING IDLE")
                .expect("posted receives", "IO_FAILED x4")
                .expect("a message", "NOT_CONNECTED")
                .host(stage -> {
                    PeerSight sight = new PeerSight();
                    ComchClient client = stage.connect(
                            sight.of(ComchClient.builder(stage.engine, stage.device, stage.name("death"))));
                    List<DocaError> failed = new ArrayList<>();
                    ConsumerProbes.consumer(stage, client.connection(), 4, failed);
                    stage.consumers(client.connection(), 1);
                    stage.tell("ready");
                    stage.hear("dead");
                    sight.answerEnd(stage, PATIENCE);
                    stage.await(() -> failed.size() == 4 && client.state() == ContextState.IDLE, Duration.ofSeconds(5));
                    stage.answer("states of the client", ConnectionProbes.text(sight.states));
                    stage.answer("posted receives", ConnectionProbes.counted(failed));
                    stage.attempt("a message", () -> client.connection().trySend(new byte[] {1}));
                })
                .dpu(stage -> {
                    ComchServer server = stage.serve(stage.server(stage.name("death")));
                    ConsumerProbes.consumer(stage, stage.accept(server), 1, new ArrayList<>());
                    stage.hear("ready");
                    stage.die();
                });
    }

    private static Probe nameAgain() {
        return Probe.of("death.name-again", "A server of the name that a killed one had, and a client of it")
                .expect("start", "SUCCESS")
                .expect("connect", "SUCCESS")
                .host(stage -> {
                    stage.hear("up");
                    stage.attempt(
                            "connect",
                            () -> ComchClient.builder(stage.engine, stage.device, stage.name("death"))
                                    .connect(Duration.ofSeconds(10))
                                    .close());
                })
                .dpu(stage -> {
                    String start = CallOutcome.of(
                            () -> stage.server(stage.name("death")).start());
                    stage.answer("start", start);
                    stage.tell("up");
                });
    }

    /** Between containers the emulated device cannot tell that the exporter has gone. */
    private static Probe ofExporter() {
        return Probe.of("death.exporter", "Memory that the host has exported, imported before and after it is killed")
                .expect("import before", "SUCCESS")
                .expect("import after", "DRIVER", "SUCCESS")
                .host(stage -> {
                    MemoryMap memory = stage.memory(4096);
                    stage.tell(Base64.getEncoder().encodeToString(memory.exportPci(stage.device)));
                    stage.hear("imported");
                    stage.die();
                })
                .dpu(stage -> {
                    byte[] descriptor = Base64.getDecoder().decode(stage.hear());
                    stage.answer("import before", imported(stage, descriptor));
                    stage.tell("imported");
                    stage.hear("dead");
                    stage.settle(200);
                    stage.answer("import after", imported(stage, descriptor));
                });
    }

    private static String imported(Stage stage, byte[] descriptor) {
        return CallOutcome.of(
                () -> MemoryMap.importFrom(stage.device, descriptor).close());
    }
}
