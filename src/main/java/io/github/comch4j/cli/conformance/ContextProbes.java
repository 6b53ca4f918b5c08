package io.github.comch4j.cli.conformance;

import io.github.comch4j.LibraryInfo.Generation;
import io.github.comch4j.core.MemoryMap;
import io.github.comch4j.internal.access.Internals;
import io.github.comch4j.internal.call.ClientCalls;
import io.github.comch4j.internal.call.ConsumerCalls;
import io.github.comch4j.internal.call.ContextCalls;
import io.github.comch4j.internal.call.EndpointCalls;
import io.github.comch4j.internal.call.TaskCalls;
import io.github.comch4j.internal.life.Handle;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Function;

/** States of contexts and tasks, by DOCA's calls: what answers a call that comes too early, too late or twice. */
final class ContextProbes {
    private static final Function<MemoryMap, Handle> MEMORY_MAP = Internals.of(MemoryMap.class);
    private static final String ACTION = "probing";

    private ContextProbes() {}

    static List<Probe> of(Generation generation) {
        return List.of(states(generation != Generation.COMCH), restart(), children(), lengths(), notRunning(), twice());
    }

    /** A server for the host's client. */
    private static void serve(Stage stage) {
        stage.serve(stage.server().onMessage((from, message) -> {}));
    }

    /** What the host's half asks of a client that is configured and has not been started. */
    private static Probe.Part configured(BiConsumer<Stage, RawClient> asks) {
        return stage -> {
            stage.hear("up");
            try (RawClient raw = new RawClient(stage, stage.name()).configure().connectToEngine()) {
                asks.accept(stage, raw);
                raw.end();
            }
        };
    }

    /** The same, of one that runs. */
    private static Probe.Part running(BiConsumer<Stage, RawClient> asks) {
        return configured((stage, raw) -> {
            String _ = raw.start();
            raw.awaitRunning();
            asks.accept(stage, raw);
        });
    }

    private static Probe states(boolean cc) {
        return Probe.of("context.states", "Calls in each state of a client's context")
                .expect("start, unconfigured", cc ? "BAD_STATE" : "INVALID_VALUE")
                .expect("stop, idle, without an engine", "NOT_CONNECTED")
                .expect("stop, idle", "SUCCESS")
                .expect("start", "IN_PROGRESS")
                .expect("start, starting", "BAD_STATE")
                .expect("destroy, starting", "IN_USE")
                .expect("start, running", "BAD_STATE")
                .expect("destroy, running", "IN_USE")
                .expect("stop, running", "IN_PROGRESS", "SUCCESS")
                .expect("stop, stopping", "IN_PROGRESS", "SUCCESS")
                .expect("destroy, idle", "SUCCESS")
                .host(stage -> {
                    stage.hear("up");
                    try (RawClient raw = new RawClient(stage, stage.name())) {
                        stage.answer("stop, idle, without an engine", raw.stop());
                        raw.connectToEngine();
                        stage.answer("start, unconfigured", raw.start());
                        raw.configure();
                        stage.answer("stop, idle", raw.stop());
                        stage.answer("start", raw.start());
                        if (raw.isIn(ContextCalls.STARTING)) {
                            stage.answer("start, starting", raw.start());
                            stage.answer("destroy, starting", raw.destroy());
                        }
                        raw.awaitRunning();
                        stage.answer("start, running", raw.start());
                        stage.answer("destroy, running", raw.destroy());
                        stage.answer("stop, running", raw.stop());
                        stage.answer("stop, stopping", raw.stop());
                        raw.await(() -> raw.isIn(ContextCalls.IDLE));
                        stage.answer("destroy, idle", raw.destroy());
                    }
                })
                .dpu(ContextProbes::serve);
    }

    private static Probe restart() {
        return Probe.of("context.restart", "A client's context that runs, is stopped, and is started again")
                .expect("runs again", "RUNNING")
                .expect("the third time", "RUNNING")
                .host(configured((stage, raw) -> {
                    for (String question : new String[] {"", "runs again", "the third time"}) {
                        String start = raw.start();
                        raw.await(() -> !raw.isIn(ContextCalls.STARTING));
                        if (!question.isEmpty()) {
                            stage.answer(question, raw.isIn(ContextCalls.RUNNING) ? "RUNNING" : start);
                        }
                        String _ = raw.stop();
                        raw.await(() -> raw.isIn(ContextCalls.IDLE));
                    }
                }))
                .dpu(ContextProbes::serve);
    }

    private static Probe children() {
        return Probe.of(
                        "context.children",
                        "A client that is stopped, and a consumer destroyed, while the consumer runs")
                .expect("stop of the client", "IN_USE")
                .expect("destroy of the consumer", "IN_USE")
                .expect("both, once the consumer is stopped", "IDLE")
                .host(running((stage, raw) -> {
                    ConsumerCalls calls = ConsumerCalls.get();
                    MemorySegment map = MEMORY_MAP.apply(stage.memory(4096)).handle();
                    MemorySegment consumer = ConsumerCalls.create(raw.connection(), map, ACTION);
                    MemorySegment context = calls.asContext(consumer);
                    calls.configureTasks(consumer, raw.callback, raw.callback, RawClient.TASKS, ACTION);
                    ContextCalls.connect(raw.engine, context, ACTION);
                    int _ = ContextCalls.start(context);
                    raw.await(() -> ContextCalls.state(context) == ContextCalls.RUNNING);
                    stage.answer("stop of the client", raw.stop());
                    stage.attempt("destroy of the consumer", () -> calls.destroy(consumer, ACTION));
                    int _ = ContextCalls.stop(context);
                    raw.await(() -> ContextCalls.state(context) == ContextCalls.IDLE);
                    calls.destroy(consumer, ACTION);
                    String _ = raw.stop();
                    raw.await(() -> raw.isIn(ContextCalls.IDLE));
                    stage.answer("both, once the consumer is stopped", "IDLE");
                }))
                .dpu(ContextProbes::serve);
    }

    private static Probe lengths() {
        return Probe.of("task.length", "Tasks of an empty message, and of one that is a byte too long")
                .expect("alloc_init of 0 bytes", "INVALID_VALUE")
                .expect("alloc_init of too many", "INVALID_VALUE")
                .host(running((stage, raw) -> {
                    int most = ClientCalls.get().maxMessageSize(raw.client, ACTION);
                    MemorySegment out = raw.cell();
                    for (int length : new int[] {most + 1, 0}) {
                        String outcome = raw.allocate(raw.connection(), length, out);
                        stage.answer("alloc_init of " + (length == 0 ? "0 bytes" : "too many"), outcome);
                        if (outcome.equals(CallOutcome.SUCCESS)) {
                            TaskCalls.free(EndpointCalls.asTask(out.get(ValueLayout.JAVA_LONG, 0)));
                        }
                    }
                }))
                .dpu(ContextProbes::serve);
    }

    private static Probe notRunning() {
        return Probe.of("task.not-running", "A task of a message when its client has been stopped")
                .expect("alloc_init", "BAD_STATE", "INVALID_VALUE")
                .host(running((stage, raw) -> {
                    long connection = raw.connection();
                    String _ = raw.stop();
                    stage.answer("alloc_init", raw.allocate(connection, 1, raw.cell()));
                }))
                .dpu(ContextProbes::serve);
    }

    private static Probe twice() {
        return Probe.of("task.twice", "A task that is submitted while it is in flight")
                .expect("submit", "SUCCESS")
                .expect("submit again", "BAD_STATE")
                .host(running((stage, raw) -> {
                    MemorySegment out = raw.cell();
                    if (raw.allocate(raw.connection(), 1, out).equals(CallOutcome.SUCCESS)) {
                        long task = EndpointCalls.asTask(out.get(ValueLayout.JAVA_LONG, 0));
                        stage.answer("submit", CallOutcome.name(TaskCalls.submit(task)));
                        stage.answer("submit again", CallOutcome.name(TaskCalls.submit(task)));
                        long soon = System.nanoTime() + 100_000_000;
                        raw.await(() -> System.nanoTime() - soon > 0);
                        TaskCalls.free(task);
                    }
                }))
                .dpu(ContextProbes::serve);
    }
}
