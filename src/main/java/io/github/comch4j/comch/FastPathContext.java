package io.github.comch4j.comch;

import io.github.comch4j.internal.call.FastPathCalls;
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
