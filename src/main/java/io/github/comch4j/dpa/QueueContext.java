package io.github.comch4j.dpa;

import io.github.comch4j.internal.call.FastPathCalls;
import io.github.comch4j.internal.life.Engine;
import io.github.comch4j.internal.life.TaskContext;
import io.github.comch4j.internal.life.Teardown;
import java.lang.foreign.MemorySegment;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The native object of a queue's end on the CPU, and its life. */
final class QueueContext extends TaskContext {
    private final FastPathCalls calls;
    private final DpaHandle queue;
    private @Nullable QueueTasks tasks;

    private QueueContext(FastPathCalls calls, String name, Engine engine, DpaHandle queue) {
        super(Rank.FAST_PATH, name, engine, null, queue);
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
            context.bind(created, calls.asContext(created));
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

    /** Tells DOCA how its tasks end, and starts it. */
    void start(QueueTasks with) {
        tasks = with;
        calls.configureTasks(
                object(),
                with.queue.completedCallback(),
                with.queue.failedCallback(),
                with.count(),
                "configuring " + name());
        start();
    }

    /** Its id in the queue. */
    int id() {
        return calls.id(object(), "asking " + name() + " for its id");
    }

    @Override
    protected void destroy(MemorySegment nativeObject, String action) {
        queue.alone(() -> {
            calls.destroy(nativeObject, action);
            return null;
        });
    }

    @Override
    protected @Nullable QueueTasks tasks() {
        return tasks;
    }

    @Override
    protected void release(Teardown teardown) {
        super.release(teardown);
        if (tasks != null) {
            tasks.close();
        }
    }
}
