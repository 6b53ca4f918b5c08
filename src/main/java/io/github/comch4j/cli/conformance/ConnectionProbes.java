package io.github.comch4j.cli.conformance;

import io.github.comch4j.DocaException;
import io.github.comch4j.LibraryInfo.Generation;
import io.github.comch4j.comch.Capabilities;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.ComchConsumer;
import io.github.comch4j.comch.ComchServer;
import io.github.comch4j.core.ContextState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Connections that begin, do not begin, and end in good order. */
final class ConnectionProbes {
    private ConnectionProbes() {}

    static List<Probe> of(Generation generation) {
        List<Probe> probes = new ArrayList<>(List.of(
                noServer(), duplicateName(), events(), laterServer(), serverAgain(), endOfClient(), endOfServer()));
        if (generation == Generation.COMCH) {
            probes.add(disconnect());
        }
        probes.add(fullServer());
        return probes;
    }

    static String text(List<?> things) {
        return things.isEmpty() ? "none" : things.stream().map(String::valueOf).collect(Collectors.joining(" "));
    }

    /** With how often each is there: {@code IO_FAILED x4}. */
    static String counted(List<?> things) {
        return things.isEmpty()
                ? "none"
                : things.stream()
                        .map(String::valueOf)
                        .collect(Collectors.groupingBy(name -> name, TreeMap::new, Collectors.counting()))
                        .entrySet()
                        .stream()
                        .map(entry -> entry.getKey() + " x" + entry.getValue())
                        .collect(Collectors.joining(", "));
    }

    private static Probe noServer() {
        return Probe.of("connect.no-server", "A client whose server does not run")
                .expect("start", "SUCCESS")
                .expect("states", "STARTING IDLE")
                .measure("refused after ms")
                .host(stage -> {
                    PeerSight sight = new PeerSight();
                    long began = System.nanoTime();
                    ComchClient client;
                    try {
                        client = sight.of(stage.client()).start();
                    } catch (DocaException e) {
                        stage.answer("start", CallOutcome.name(e.code()));
                        return;
                    }
                    stage.answer("start", CallOutcome.SUCCESS);
                    boolean ended = stage.await(() -> client.state() == ContextState.IDLE, Duration.ofSeconds(20));
                    stage.answer("states", text(sight.states));
                    stage.answer("refused after ms", ended ? (System.nanoTime() - began) / 1_000_000 : "not in 20000");
                });
    }

    private static Probe duplicateName() {
        return Probe.of("connect.duplicate-name", "A second server of one name on one function")
                .expect("the second one's start", "INITIALIZATION")
                .expect("the first one's state", "RUNNING")
                .dpu(stage -> {
                    ComchServer first = stage.server().start();
                    stage.attempt(
                            "the second one's start",
                            () -> stage.server().start().close());
                    stage.answer("the first one's state", first.state());
                });
    }

    private static Probe events() {
        return Probe.of(
                        "connect.events",
                        "The order of events on the server, of a client that does one thing after" + " another")
                .expect("events", "connected consumer message expired message disconnected")
                .host(stage -> {
                    ComchClient client = stage.connect(stage.client());
                    ComchConsumer consumer = stage.running(stage.consumer(client.connection(), stage.memory(4096))
                            .buffers(1, 4096)
                            .start());
                    client.connection().send(new byte[] {1});
                    consumer.close();
                    client.connection().send(new byte[] {2});
                    client.close();
                })
                .dpu(stage -> {
                    List<String> events = new ArrayList<>();
                    stage.serve(stage.server()
                            .onConnected(connection -> events.add("connected"))
                            .onConsumer((connection, id) -> events.add("consumer"))
                            .onConsumerExpired((connection, id) -> events.add("expired"))
                            .onMessage((connection, message) -> events.add("message"))
                            .onDisconnected(connection -> events.add("disconnected")));
                    stage.await(() -> events.contains("disconnected"), Duration.ofSeconds(10));
                    stage.settle(100);
                    stage.answer("events", text(events));
                });
    }

    private static Probe laterServer() {
        return Probe.of("connect.restart", "A client that is refused, and is started again until its server is there")
                .expect("the first attempt", "refused")
                .expect("in the end", "RUNNING")
                .host(stage -> {
                    List<ContextState> states = new ArrayList<>();
                    ComchClient client = stage.client()
                            .onStateChanged((self, next) -> {
                                if (next == ContextState.IDLE && !states.contains(next)) {
                                    stage.tell("refused");
                                }
                                states.add(next);
                            })
                            .connect(Duration.ofSeconds(15));
                    stage.answer("the first attempt", states.contains(ContextState.IDLE) ? "refused" : text(states));
                    stage.answer("in the end", client.state());
                })
                .dpu(stage -> {
                    stage.hear(Duration.ofSeconds(5)); // or the client waits for its server
                    stage.server().start();
                });
    }

    private static Probe serverAgain() {
        return Probe.of("connect.server-again", "A server that is closed, and made again under its name, three times")
                .expect("starts", "SUCCESS x3")
                .expect("messages of clients", "3")
                .host(stage -> {
                    for (int i = 0; i < 3; i++) {
                        try (ComchClient client = stage.connect(stage.client())) {
                            client.connection().send(new byte[] {1});
                        }
                        stage.tell("gone");
                    }
                })
                .dpu(stage -> {
                    List<String> starts = new ArrayList<>();
                    PeerSight sight = new PeerSight();
                    for (int i = 0; i < 3; i++) {
                        int before = sight.messages;
                        ComchServer server = stage.serve(sight.of(stage.server()));
                        starts.add(CallOutcome.SUCCESS);
                        stage.hear("gone");
                        stage.await(() -> sight.messages > before, Duration.ofSeconds(5));
                        server.close();
                    }
                    stage.answer("starts", counted(starts));
                    stage.answer("messages of clients", sight.messages);
                });
    }

    private static Probe endOfClient() {
        return Probe.of("disconnect.by-client", "A client that is stopped, as its server sees it")
                .expect("messages of before", "100")
                .expect("disconnect event", "CLOSED")
                .expect("a send after it", "NOT_CONNECTED")
                .measure("after ms")
                .host(stage -> {
                    ComchClient client = stage.connect(stage.client());
                    for (int i = 0; i < 100; i++) {
                        client.connection().send(new byte[] {(byte) i});
                    }
                    stage.hear("accepted");
                    stage.tell("closing");
                    client.close();
                })
                .dpu(stage -> {
                    PeerSight sight = new PeerSight();
                    ComchConnection connection = stage.accept(stage.serve(sight.of(stage.server())));
                    stage.tell("accepted");
                    stage.hear("closing");
                    sight.answerEnd(stage, Duration.ofSeconds(10));
                    stage.answer("messages of before", sight.messages);
                    stage.attempt("a send after it", () -> connection.trySend(new byte[] {1}));
                });
    }

    private static Probe endOfServer() {
        return Probe.of("disconnect.by-server-stop", "A server that is stopped, as its client sees it")
                .expect("messages of before", "100")
                .expect("disconnect event", "CLOSED")
                .expect("states", "STARTING RUNNING STOPPING IDLE")
                .expect("a send after it", "NOT_CONNECTED")
                .expect("disconnect events on the server", "0")
                .measure("after ms")
                .host(stage -> {
                    PeerSight sight = new PeerSight();
                    ComchClient client = stage.connect(sight.of(stage.client()));
                    stage.tell("here");
                    stage.hear("closing");
                    sight.answerEnd(stage, Duration.ofSeconds(10));
                    stage.await(() -> client.state() == ContextState.IDLE, Duration.ofSeconds(10));
                    stage.answer("messages of before", sight.messages);
                    stage.answer("states", text(sight.states));
                    stage.attempt("a send after it", () -> client.connection().trySend(new byte[] {1}));
                })
                .dpu(stage -> {
                    int[] events = {0};
                    ComchServer server = stage.serve(stage.server().onDisconnected(connection -> events[0]++));
                    ComchConnection connection = stage.accept(server);
                    stage.hear("here");
                    for (int i = 0; i < 100; i++) {
                        connection.send(new byte[] {(byte) i});
                    }
                    stage.tell("closing");
                    server.close();
                    stage.answer("disconnect events on the server", events[0]);
                });
    }

    private static Probe disconnect() {
        return Probe.of("disconnect.by-server", "One of two connections that the server ends")
                .expect("states of its client", "STARTING RUNNING STOPPING IDLE")
                .expect("the other client", "RUNNING")
                .expect("an event of it on the server", "none")
                .host(stage -> {
                    PeerSight sight = new PeerSight();
                    ComchClient first = stage.connect(sight.of(stage.client()));
                    stage.tell("first");
                    stage.hear("first");
                    ComchClient second = stage.client().connect(Duration.ofSeconds(10));
                    stage.tell("second");
                    stage.hear("ended");
                    stage.await(() -> first.state() == ContextState.IDLE, Duration.ofSeconds(10));
                    stage.answer("states of its client", text(sight.states));
                    stage.answer("the other client", second.state());
                    stage.tell("seen");
                })
                .dpu(stage -> {
                    List<ComchConnection> events = new ArrayList<>();
                    ComchServer server = stage.serve(stage.server().onDisconnected(events::add));
                    ComchConnection connection = stage.accept(server);
                    stage.hear("first");
                    stage.tell("first");
                    stage.hear("second");
                    stage.await(() -> server.connections().size() == 2);
                    connection.disconnect();
                    stage.tell("ended");
                    stage.hear("seen");
                    stage.answer("an event of it on the server", events.contains(connection) ? "yes" : "none");
                });
    }

    private static Probe fullServer() {
        return Probe.of("connect.full-server", "Clients of one process and one server, as many as it takes")
                .expect("clients", "512")
                .expect("the next one", "refused")
                .host(stage -> {
                    stage.hear("up");
                    long limit = Long.parseLong(stage.hear());
                    int connected = 0;
                    String last = "connected";
                    while (connected <= limit && last.equals("connected")) {
                        ComchClient client = stage.client().start();
                        stage.await(() -> client.state() != ContextState.STARTING);
                        last = client.isConnected() ? "connected" : "refused";
                        connected += client.isConnected() ? 1 : 0;
                    }
                    stage.answer("clients", connected);
                    stage.answer("the next one", last);
                })
                .dpu(stage -> {
                    stage.serve(stage.server());
                    stage.tell(Integer.toString(
                            Math.toIntExact(Capabilities.of(stage.device).maxClients())));
                })
                .slow(60);
    }
}
