package io.github.comch4j.internal.life;

import io.github.comch4j.internal.call.Calls;
import io.github.comch4j.internal.call.TaskCalls;
import org.jspecify.annotations.Nullable;

/** A context with tasks: of a producer or consumer. */
public abstract class TaskContext extends Context {
    /** See {@link Context}. */
    protected TaskContext(Rank rank, String name, Engine engine, @Nullable Engine companion, Resource... owners) {
        super(rank, name, engine, companion, owners);
    }

    /** Its tasks; null before they are made. */
    protected abstract @Nullable TaskSlots tasks();

    @Override
    public void taskEnded(long task, long userData, boolean success) {
        TaskSlots tasks = tasks();
        if (tasks != null) {
            try {
                tasks.slotEnded((int) userData, success ? Calls.SUCCESS : TaskCalls.status(task));
            } catch (Throwable t) {
                tasks.failed(t);
            }
        }
    }

    @Override
    protected void stopping() {
        TaskSlots tasks = tasks();
        if (tasks != null) {
            tasks.queue.flush();
        }
    }

    @Override
    protected void freeIdleTasks() {
        TaskSlots tasks = tasks();
        if (tasks != null) {
            tasks.freeIdle();
        }
    }
}
