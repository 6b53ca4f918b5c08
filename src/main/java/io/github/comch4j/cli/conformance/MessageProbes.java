package io.github.comch4j.cli.conformance;

import io.github.comch4j.SubmitResult;
import io.github.comch4j.comch.Capabilities;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchConnection;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/** Messages of the control path. */
final class MessageProbes {
    private static final int QUEUE = 16;
    private static final int TASKS = 64;
    /** Looks, and time, in which nothing happens: then nothing is going to. */
    private static final int QUIET = 1000;

    private static final long QUIET_NANOS = 300_000_000;

    private MessageProbes() {}

    static List<Probe> of() {
        return List.of(largest(), sizesDiffer(), fullQueue(), graceOfStop());
    }

    private static int number(MemorySegment message) {
        return message.get(ValueLayout.JAVA_INT_UNALIGNED, 0);
    }

    private static byte[] numbered(int number) {
        return ByteBuffer.allocate(4)
                .order(ByteOrder.nativeOrder())
                .putInt(number)
                .array();
    }

    private static Probe largest() {
        return Probe.of("message.largest", "Messages of 1 byte and of the most that the device takes, both ways")
                .expect("host: came back", "as sent")
                .host(stage -> {
                    byte[][] last = {null};
                    int most = Math.toIntExact(Capabilities.of(stage.device).maxMessageSize());
                    ComchClient client = stage.connect(stage.client()
                            .maxMessageSize(most)
                            .onMessage((from, message) -> last[0] = message.toArray(ValueLayout.JAVA_BYTE)));
                    String seen = "as sent";
                    for (int length : new int[] {1, most}) {
                        byte[] sent = new byte[length];
                        for (int i = 0; i < length; i++) {
                            sent[i] = (byte) (i * 31 + length);
                        }
                        last[0] = null;
                        client.connection().send(sent);
                        boolean came = stage.await(() -> last[0] != null, Duration.ofSeconds(5));
                        if (!came || !Arrays.equals(sent, last[0])) {
                            seen = came ? "changed, of " + length : "not at all, of " + length;
                        }
                    }
                    stage.answer("host: came back", seen);
                })
                .dpu(stage -> {
                    int most = Math.toIntExact(Capabilities.of(stage.device).maxMessageSize());
                    stage.serve(
                            stage.server().maxMessageSize(most).onMessage((from, message) -> from.enqueue(message)));
                });
    }

    private static Probe sizesDiffer() {
        return Probe.of("message.sizes-differ", "A server with messages of 2,000 bytes and a client with 1,000")
                .expect("connect", "SUCCESS")
                .expect("1,000 bytes to the client", "SUCCESS")
                .expect("1,001 bytes to the client", "INVALID_VALUE")
                .expect("arrived", "1000")
                .host(stage -> {
                    long[] arrived = {0};
                    stage.hear("up");
                    ComchClient[] client = {null};
                    stage.attempt("connect", () -> {
                        client[0] = stage.client()
                                .maxMessageSize(1000)
                                .onMessage((from, message) -> arrived[0] += message.byteSize())
                                .connect(Duration.ofSeconds(5));
                    });
                    stage.tell(client[0] == null ? "refused" : "connected");
                    if (client[0] != null) {
                        stage.hear("sent");
                        stage.await(() -> arrived[0] >= 1000, Duration.ofSeconds(5));
                        stage.settle(100);
                        stage.answer("arrived", arrived[0]);
                    }
                })
                .dpu(stage -> {
                    var server = stage.serve(stage.server().maxMessageSize(2000));
                    if (stage.hear().equals("connected")) {
                        ComchConnection connection = stage.accept(server);
                        stage.attempt("1,000 bytes to the client", () -> connection.trySend(new byte[1000]));
                        stage.attempt("1,001 bytes to the client", () -> connection.trySend(new byte[1001]));
                        stage.tell("sent");
                    }
                });
    }

    /** The emulated receive queue has room for one message more than was asked for. */
    private static Probe fullQueue() {
        return Probe.of(
                        "message.full-queue",
                        "A client with " + TASKS + " send tasks, and a server with a receive" + " queue of " + QUEUE
                                + " that stands still")
                .expect("refused in the end", "NO_TASK")
                .expect("sent while the server stands still", "16", "17")
                .expect("accepted", "80", "81")
                .expect("arrived in order", "all")
                .host(stage -> {
                    ComchClient client = stage.connect(stage.client().sendTasks(TASKS));
                    stage.tell("connected");
                    stage.hear("still");
                    int accepted = 0;
                    SubmitResult result = SubmitResult.ACCEPTED;
                    long quietSince = System.nanoTime();
                    int quiet = 0;
                    while (quiet < QUIET || System.nanoTime() - quietSince < QUIET_NANOS) {
                        result = client.connection().trySend(numbered(accepted));
                        if (result.accepted()) {
                            accepted++;
                        }
                        if (result.accepted() || stage.engine.progress()) {
                            quietSince = System.nanoTime();
                            quiet = 0;
                        } else {
                            quiet++;
                        }
                    }
                    stage.answer("refused in the end", result);
                    stage.answer("sent while the server stands still", accepted - client.inFlight());
                    stage.answer("accepted", accepted);
                    stage.tell(Integer.toString(accepted));
                })
                .dpu(stage -> {
                    int[] next = {0};
                    boolean[] wrong = {false};
                    var server =
                            stage.serve(stage.server().receiveQueueSize(QUEUE).onMessage((from, message) -> {
                                wrong[0] |= number(message) != next[0];
                                next[0]++;
                            }));
                    stage.accept(server);
                    stage.hear("connected");
                    stage.tell("still");
                    int accepted = Integer.parseInt(stage.hearStill());
                    stage.await(() -> next[0] >= accepted, Duration.ofSeconds(10));
                    stage.answer(
                            "arrived in order",
                            wrong[0] ? "in another order" : next[0] == accepted ? "all" : next[0] + " of " + accepted);
                });
    }

    private static Probe graceOfStop() {
        return Probe.of("message.stop-while-full", "A client that is stopped while its messages find no room")
                .measure("stopped after ms")
                .expect("arrived", "16", "17")
                .host(stage -> {
                    ComchClient client = stage.connect(stage.client().sendTasks(TASKS));
                    stage.tell("connected");
                    stage.hear("still");
                    int sent = 0;
                    while (sent < TASKS
                            && client.connection().trySend(numbered(sent)).accepted()) {
                        sent++;
                    }
                    long began = System.nanoTime();
                    client.close();
                    stage.answer("stopped after ms", (System.nanoTime() - began) / 1_000_000);
                    stage.tell("stopped");
                })
                .dpu(stage -> {
                    int[] arrived = {0};
                    var server = stage.serve(
                            stage.server().receiveQueueSize(QUEUE).onMessage((from, message) -> arrived[0]++));
                    stage.accept(server);
                    stage.hear("connected");
                    stage.tell("still");
                    stage.hearStill();
                    stage.settle(500);
                    stage.answer("arrived", arrived[0]);
                });
    }
}
