package io.github.comch4j.cli.conformance;

import io.github.comch4j.SubmitResult;
import io.github.comch4j.channel.Carrier;
import io.github.comch4j.channel.ChannelClient;
import io.github.comch4j.channel.ChannelEndpoint;
import io.github.comch4j.channel.ChannelPeer;
import io.github.comch4j.channel.ChannelPeerState;
import io.github.comch4j.channel.ChannelService;
import io.github.comch4j.internal.call.ChannelCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToIntFunction;

/** The endpoint API, in releases that have it: elsewhere each answer is that it is not there. */
final class EndpointProbes {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final MemorySegment MESSAGE = MemorySegment.ofArray(new byte[16]);

    private EndpointProbes() {}

    static List<Probe> of() {
        return List.of(defaults(), refused(), gone(), comch());
    }

    private static ChannelClient client(Stage stage) {
        return stage.own(ChannelEndpoint.builder(stage.device).client());
    }

    private static ChannelService service(Stage stage) {
        return stage.own(ChannelEndpoint.builder(stage.device).listen(stage.function(), stage.name()));
    }

    private static ChannelPeer received(Stage stage, ChannelService service, MemorySegment room) {
        ChannelPeer[] peer = {null};
        stage.await(() -> (peer[0] = service.tryReceive(room)) != null);
        return peer[0];
    }

    private static Probe defaults() {
        return Probe.of("endpoint.defaults", "Sizes of an endpoint when nothing is set")
                .needing(ChannelCalls::areThere)
                .ask("bytes of a message", usual(ChannelEndpoint::maxMessageSize), "1500", CallOutcome.LACKS)
                .ask("send queue", usual(ChannelEndpoint::sendQueueSize), "128", CallOutcome.LACKS)
                .ask("receive queue", usual(ChannelEndpoint::receiveQueueSize), "128", CallOutcome.LACKS);
    }

    private static Function<Stage, Object> usual(ToIntFunction<ChannelEndpoint> size) {
        return stage -> {
            try (ChannelEndpoint endpoint = stage.isHost() ? client(stage) : service(stage)) {
                return size.applyAsInt(endpoint);
            }
        };
    }

    private static Probe refused() {
        return Probe.of("endpoint.refused", "A client without a service, and a service whose name is taken")
                .needing(ChannelCalls::areThere)
                .expect("connect", "CONNECTION_ABORTED", CallOutcome.LACKS)
                .expect("listen", "CONNECTION_ABORTED", CallOutcome.LACKS)
                .host(stage -> {
                    ChannelClient client = client(stage);
                    stage.attempt("connect", () -> client.connect(stage.name("nobody"), Duration.ofSeconds(1)));
                })
                .dpu(stage -> {
                    service(stage);
                    stage.attempt("listen", () -> service(stage));
                });
    }

    /** Disconnection is one-sided: a service learns of it by a send that is refused. */
    private static Probe gone() {
        return Probe.of("endpoint.peer-gone", "A client that disconnects, as its service sees it")
                .needing(ChannelCalls::areThere)
                .expect("connect", "CONNECTED", CallOutcome.LACKS)
                .expect("a receive after it", "nothing", CallOutcome.LACKS)
                .expect("a send after it", "CONNECTION_RESET", CallOutcome.LACKS)
                .host(stage -> {
                    stage.hear("up");
                    ChannelClient client = client(stage);
                    ChannelPeer peer = client.connect(stage.name());
                    stage.await(() -> peer.update() != ChannelPeerState.IN_PROGRESS, PATIENCE);
                    stage.answer("connect", peer.state());
                    client.send(peer, MESSAGE, PATIENCE);
                    stage.hear("received");
                    peer.disconnect();
                    stage.tell("gone");
                })
                .dpu(stage -> {
                    ChannelService service = service(stage);
                    stage.tell("up");
                    MemorySegment room = stage.own(Arena.ofConfined()).allocate(service.maxMessageSize());
                    ChannelPeer peer = received(stage, service, room);
                    stage.tell("received");
                    stage.hear("gone");
                    String received = CallOutcome.of(() -> {
                        if (service.tryReceive(room) != null) {
                            throw new IllegalStateException("a message that nobody has sent");
                        }
                    });
                    stage.answer("a receive after it", received.equals(CallOutcome.SUCCESS) ? "nothing" : received);
                    stage.answer("a send after it", stage.outcomeAfter(CallOutcome.SUCCESS, PATIENCE, () -> {
                        SubmitResult _ = service.trySend(peer, MESSAGE);
                        return null;
                    }));
                });
    }

    /** The host's half needs no endpoint API for it: only that of the DPU does. */
    private static Probe comch() {
        return Probe.of("endpoint.comch", "A client of Comch at a service of the endpoint API")
                .expect("the service's answer", "the same")
                .expect("a server of Comch under its name", "INITIALIZATION", CallOutcome.LACKS)
                .host(stage -> {
                    stage.hear("up");
                    ChannelClient client = stage.own(ChannelEndpoint.builder(stage.device)
                            .carrier(Carrier.COMCH)
                            .client());
                    MemorySegment room = stage.own(Arena.ofConfined()).allocate(client.maxMessageSize());
                    ChannelPeer peer = client.connect(stage.name(), PATIENCE);
                    client.send(peer, MESSAGE, PATIENCE);
                    boolean came = client.receive(room, PATIENCE) != null
                            && room.asSlice(0, client.receivedLength()).mismatch(MESSAGE) < 0;
                    stage.answer("the service's answer", came ? "the same" : "nothing");
                })
                .dpu(stage -> {
                    ChannelService service = service(stage);
                    MemorySegment room = stage.own(Arena.ofConfined()).allocate(service.maxMessageSize());
                    stage.tell("up");
                    service.send(received(stage, service, room), room.asSlice(0, service.receivedLength()), PATIENCE);
                    stage.answer(
                            "a server of Comch under its name",
                            ChannelCalls.areThere()
                                    ? CallOutcome.of(() -> stage.own(ChannelEndpoint.builder(stage.device)
                                            .carrier(Carrier.COMCH)
                                            .listen(stage.function(), stage.name())))
                                    : CallOutcome.LACKS);
                });
    }
}
