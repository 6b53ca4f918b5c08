package io.github.comch4j.comch;

import io.github.comch4j.internal.call.FastPathCalls;
import io.github.comch4j.internal.life.BufferState;
import io.github.comch4j.internal.life.Engine;
import io.github.comch4j.internal.life.Resource;
import io.github.comch4j.internal.life.TaskContext;
import io.github.comch4j.internal.life.Teardown;
import java.lang.foreign.MemorySegment;
import java.util.function.BooleanSupplier;

/** The native object of a producer or consumer, and its life. */
final class FastPathContext extends TaskContext {
    private final FastPathEndpoint endpoint;
    private final FastPathCalls calls;
    private volatile boolean ended;

    FastPathContext(FastPathEndpoint endpoint, FastPathCalls calls, String name, Engine engine, Resource... owners) {
        super(Rank.FAST_PATH, name, engine, endpoint.connection().controlEngine(), owners);
        this.endpoint = endpoint;
        this.calls = calls;
    }

    /** Takes over a new native object. */
    void bind(MemorySegment created) {
        bind(created, calls.asContext(created));
    }

    /** Closes it in the middle of closing something else. Returns whether it is closed. */
    boolean closeNow(Teardown teardown) {
        return closeTree(teardown);
    }

    /** It has become idle by itself, as its connection has ended: is closed when no callback of its engine runs. */
    void endWithConnection() {
        engine().afterCallbacks(() -> {
            if (!isClosed() && endpoint.mayEnd()) {
                ended = true;
                close();
            }
        });
    }

    @Override
    protected void checkMemory(BufferState buffer) {
        endpoint.checkMemory(buffer);
    }

    /** Whether it was closed because its connection had ended. */
    boolean hasEnded() {
        return ended;
    }

    /** Nothing for one that has ended with its connection: the exception tells of that. */
    @Override
    public void checkUsable() {
        if (!ended) {
            super.checkUsable();
        }
    }

    /** Closes it when no callback of its engine runs, on its thread. Any thread. */
    void closeSoon() {
        engine().afterCallbacks(this::close);
    }

    @Override
    public void failed(Throwable thrown) {
        if (isEnding()) {
            super.failed(thrown); // who closes it hears of it
            return;
        }
        ComchConnection connection = endpoint.connection();
        connection.endpoint().failed(connection, thrown, engine());
    }

    /** Progresses until {@code done} or the engine's timeout. */
    boolean progressUntil(BooleanSupplier done, Teardown teardown) {
        return super.awaitTasks(done, teardown);
    }

    @Override
    public boolean awaitTasks(BooleanSupplier done, Teardown teardown) {
        return endpoint.awaitTasks(done, teardown);
    }

    @Override
    protected void destroy(MemorySegment nativeObject, String action) {
        calls.destroy(nativeObject, action);
    }

    @Override
    protected TransferTasks tasks() {
        return endpoint.transfers();
    }

    @Override
    protected void afterStateChange(int previous, int next) {
        endpoint.stateChanged(previous, next);
    }

    @Override
    protected void release(Teardown teardown) {
        super.release(teardown);
        endpoint.released(teardown);
    }
}
