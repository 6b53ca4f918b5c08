package io.github.comch4j.dpa;

import io.github.comch4j.internal.call.FastPathCalls;
import io.github.comch4j.internal.life.Engine;
import io.github.comch4j.transfer.TransferContext;
import java.lang.foreign.MemorySegment;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/** The context of a queue's end on the CPU. */
final class QueueContext extends TransferContext {
    private final FastPathCalls calls;
    private final DpaHandle queue;

    private QueueContext(FastPathCalls calls, String name, Engine engine, DpaHandle queue) {
        super(calls, name, null, engine, null, queue);
        this.calls = calls;
        this.queue = queue;
    }

    /** Makes an end of a queue, which does not run yet. */
    static QueueContext make(
            FastPathCalls calls,
            String kind,
            Engine engine,
            DpaHandle queue,
            BiFunction<MemorySegment, String, MemorySegment> maker) {
        String name = kind + " of " + queue.name();
        QueueContext context = new QueueContext(calls, name, engine, queue);
        MemorySegment created = queue.alone(() -> maker.apply(queue.handle(), "creating " + name));
        return context.closingUnless(() -> {
            context.bind(created);
            return context;
        });
    }

    /** Does what is left of its making; if that fails, it is closed. */
    <T> T closingUnless(Supplier<T> made) {
        try {
            return made.get();
        } catch (RuntimeException | Error e) {
            closeAfter(e);
            throw e;
        }
    }

    /** Its id, which DOCA gives. */
    int id() {
        return calls.id(object(), "asking " + name() + " for its id");
    }

    @Override
    public RuntimeException ended(String function, String action) {
        return new IllegalStateException(name() + " has stopped");
    }

    @Override
    protected void destroy(MemorySegment nativeObject, String action) {
        queue.alone(() -> {
            super.destroy(nativeObject, action);
            return null;
        });
    }
}
