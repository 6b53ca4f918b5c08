package io.github.comch4j.cli.conformance;

import io.github.comch4j.core.Device;
import io.github.comch4j.internal.access.Internals;
import io.github.comch4j.internal.call.ClientCalls;
import io.github.comch4j.internal.call.ContextCalls;
import io.github.comch4j.internal.call.PeCalls;
import io.github.comch4j.internal.life.Handle;
import io.github.comch4j.internal.load.Symbols;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/** A client by DOCA's calls alone: what the public API does not let a program do. */
final class RawClient implements AutoCloseable {
    static final int TASKS = 16;

    private static final Function<Device, Handle> DEVICE = Internals.of(Device.class);
    private static final String ACTION = "probing";
    /** Of one argument, as other callbacks are, too: images of GraalVM know that shape. */
    private static final FunctionDescriptor NOTHING = FunctionDescriptor.ofVoid(ValueLayout.JAVA_LONG);

    final MemorySegment engine = PeCalls.create();
    final MemorySegment client;
    final MemorySegment context;
    private final Stage stage;
    private final Arena arena = Arena.ofConfined();
    /** A callback that does nothing, whatever its arguments: it looks at none. */
    final MemorySegment callback = Symbols.upcall(MethodHandles.empty(NOTHING.toMethodType()), NOTHING, arena);

    private final ClientCalls calls = ClientCalls.get();

    /** Created and not configured. */
    RawClient(Stage stage, String name) {
        this.stage = stage;
        client = ClientCalls.create(DEVICE.apply(stage.device).handle(), name, ACTION);
        context = calls.asContext(client);
    }

    RawClient connectToEngine() {
        ContextCalls.connect(engine, context, ACTION);
        return this;
    }

    RawClient configure() {
        calls.configureSend(client, callback, callback, TASKS, ACTION);
        calls.registerMessages(client, callback, ACTION);
        return this;
    }

    String start() {
        return CallOutcome.name(ContextCalls.start(context));
    }

    String stop() {
        return CallOutcome.name(ContextCalls.stop(context));
    }

    String destroy() {
        return CallOutcome.of(() -> calls.destroy(client, ACTION));
    }

    boolean isIn(int state) {
        return ContextCalls.state(context) == state;
    }

    /** Progresses until it is so. */
    RawClient await(BooleanSupplier condition) {
        stage.await(() -> {
            PeCalls.progress(engine.address());
            return condition.getAsBoolean();
        });
        return this;
    }

    RawClient awaitRunning() {
        return await(() -> isIn(ContextCalls.RUNNING));
    }

    long connection() {
        return ClientCalls.connection(client, ACTION);
    }

    /** A message's task; its answer, and the task at {@code out}. */
    String allocate(long connection, int length, MemorySegment out) {
        MemorySegment message = arena.allocate(Math.max(1, length));
        return CallOutcome.name(calls.allocateSend(client.address(), connection, message, length, out.address()));
    }

    MemorySegment cell() {
        return arena.allocate(ValueLayout.JAVA_LONG);
    }

    /** Whatever state it is in. */
    void end() {
        if (!isIn(ContextCalls.IDLE)) {
            int _ = ContextCalls.stop(context);
            await(() -> isIn(ContextCalls.IDLE));
        }
        String _ = destroy();
    }

    @Override
    public void close() {
        PeCalls.destroy(engine);
        arena.close();
    }
}
