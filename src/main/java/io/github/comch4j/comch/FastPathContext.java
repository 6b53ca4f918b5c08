package io.github.comch4j.comch;

import io.github.comch4j.DocaError;
import io.github.comch4j.internal.call.FastPathCalls;
import io.github.comch4j.internal.life.Engine;
import io.github.comch4j.internal.life.Resource;
import io.github.comch4j.internal.life.Teardown;
import io.github.comch4j.internal.transport.TaskQueue;
import io.github.comch4j.transfer.TransferContext;
import java.util.function.BooleanSupplier;

/** The context of a producer or consumer of a connection. */
final class FastPathContext extends TransferContext {
    private final FastPathEndpoint endpoint;
    private boolean hasRun;
    private volatile boolean ended;

    FastPathContext(FastPathEndpoint endpoint, FastPathCalls calls, String name, Engine engine, Resource... owners) {
        super(
                calls,
                name,
                endpoint.connection().device(),
                engine,
                endpoint.connection().controlEngine(),
                owners);
        this.endpoint = endpoint;
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

    @Override
    public boolean isEnd(DocaError error) {
        return ConnectionClosedException.isMeantBy(error);
    }

    @Override
    public RuntimeException ended(String function, String action) {
        return new ConnectionClosedException(function, action, endpoint.connection());
    }

    @Override
    public RuntimeException notRunning(String action) {
        RuntimeException end = super.notRunning(action);
        return hasRun || ended
                ? end
                : new IllegalStateException(
                        name() + " is not running yet: call progress() of its engine and of its connection's engine");
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

    @Override
    public boolean awaitTasks(BooleanSupplier done, Teardown teardown) {
        if (endpoint instanceof FastPathConsumer) {
            // a posted buffer comes back when something is received, perhaps never, or when the consumer ends
            return closeTree(teardown) && done.getAsBoolean();
        }
        TaskQueue queue = endpoint.transfers().queue; // sends in there may wait for a posted buffer for ever
        queue.flush();
        queue.cancel();
        return super.awaitTasks(done, teardown);
    }

    @Override
    protected void afterStateChange(int previous, int next) {
        hasRun |= next == RUNNING;
        endpoint.stateChanged(previous, next);
    }

    @Override
    protected void release(Teardown teardown) {
        super.release(teardown);
        endpoint.released(teardown);
    }
}
