package io.github.comch4j.cli.conformance;

import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.ComchServer;
import io.github.comch4j.internal.call.Descriptors;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/** Engines that are slept on. NVIDIA's guides say that Comch has no events: the emulated device has them. */
final class NotificationProbes {
    private static final int ROUNDS = 200;

    private NotificationProbes() {}

    static List<Probe> of() {
        return List.of(handle(), roundTrips());
    }

    private static Probe handle() {
        return Probe.of("notification.handle", "The descriptor of an engine: armed, cleared, and in an epoll instance")
                .expect("a message comes, not armed", "not readable")
                .expect("armed, with a message to receive", "readable")
                .expect("in an epoll instance", "readable")
                .expect("cleared", "not readable")
                .expect("armed, a message comes", "readable")
                .expect("armed, nothing comes for a second", "readable")
                .host(stage -> {
                    int[] messages = {0};
                    ComchClient client =
                            stage.connect(stage.client().onMessage((connection, message) -> messages[0]++));
                    int handle = stage.engine.notificationHandle();
                    int epoll = Descriptors.epoll();
                    stage.own(() -> Descriptors.close(epoll));
                    boolean added = Descriptors.add(epoll, handle, event(stage));
                    stage.settle(100);

                    client.connection().send(new byte[] {1}); // asks for one
                    stage.settle(0);
                    stage.hearStill();
                    stage.answer("a message comes, not armed", said(Descriptors.isReadable(handle, 100)));
                    stage.engine.requestNotification();
                    stage.answer("armed, with a message to receive", said(Descriptors.isReadable(handle, 1000)));
                    stage.answer(
                            "in an epoll instance", added ? said(Descriptors.isReadable(epoll, 0)) : "not possible");
                    stage.engine.clearNotification();
                    stage.answer("cleared", said(Descriptors.isReadable(handle, 100)));
                    stage.await(() -> messages[0] == 1);

                    stage.tell("soon");
                    stage.settle(100);
                    stage.engine.requestNotification();
                    boolean woken = Descriptors.isReadable(handle, 5000);
                    stage.engine.clearNotification();
                    stage.answer("armed, a message comes", said(woken));
                    stage.await(() -> messages[0] == 2);

                    stage.settle(200);
                    stage.engine.requestNotification();
                    stage.answer("armed, nothing comes for a second", said(Descriptors.isReadable(handle, 1000)));
                    stage.engine.clearNotification();
                })
                .dpu(stage -> {
                    boolean[] asked = {false};
                    ComchServer server =
                            stage.serve(stage.server().onMessage((connection, message) -> asked[0] = true));
                    ComchConnection connection = stage.accept(server);
                    stage.await(() -> asked[0]);
                    connection.send(new byte[] {1});
                    stage.settle(100);
                    stage.tell("sent");
                    stage.hear("soon");
                    stage.settle(300);
                    connection.send(new byte[] {2});
                });
    }

    /** A {@code struct epoll_event} that asks for what can be read. */
    private static long event(Stage stage) {
        Arena arena = stage.own(Arena.ofConfined());
        MemorySegment event = arena.allocate(12, 4);
        event.set(ValueLayout.JAVA_INT, 0, Descriptors.READABLE);
        return event.address();
    }

    private static String said(boolean readable) {
        return readable ? "readable" : "not readable";
    }

    private static Probe roundTrips() {
        return Probe.of("notification.round-trip", "Messages of 64 bytes there and back, both ends asleep between them")
                .expect("rounds", Integer.toString(ROUNDS))
                .measure("median us")
                .measure("slowest us")
                .host(stage -> {
                    boolean[] came = {false};
                    ComchClient client =
                            stage.connect(stage.client().onMessage((connection, message) -> came[0] = true));
                    long[] nanos = new long[ROUNDS];
                    byte[] message = new byte[64];
                    int rounds = 0;
                    while (rounds < ROUNDS) {
                        came[0] = false;
                        long began = System.nanoTime();
                        client.connection().send(message);
                        while (!came[0]) {
                            sleep(stage);
                        }
                        nanos[rounds++] = System.nanoTime() - began;
                    }
                    Arrays.sort(nanos);
                    stage.answer("rounds", rounds);
                    stage.answer("median us", nanos[ROUNDS / 2] / 1000);
                    stage.answer("slowest us", nanos[ROUNDS - 1] / 1000);
                    client.close();
                })
                .dpu(stage -> {
                    boolean[] gone = {false};
                    stage.serve(stage.server()
                            .onMessage((connection, message) -> connection.enqueue(message))
                            .onDisconnected(connection -> gone[0] = true));
                    while (!gone[0]) {
                        sleep(stage);
                    }
                });
    }

    private static void sleep(Stage stage) {
        if (!stage.engine.progress()) {
            stage.engine.awaitEvent(Duration.ofMillis(100));
            stage.await(() -> true); // looks at the clock
        }
    }
}
