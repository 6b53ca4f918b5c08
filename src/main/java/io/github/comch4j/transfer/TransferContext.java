package io.github.comch4j.transfer;

import io.github.comch4j.DocaError;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.MemoryMap;
import io.github.comch4j.internal.call.Calls;
import io.github.comch4j.internal.call.TaskCalls;
import io.github.comch4j.internal.call.TransferCalls;
import io.github.comch4j.internal.failure.Failures;
import io.github.comch4j.internal.life.Context;
import io.github.comch4j.internal.life.Engine;
import io.github.comch4j.internal.life.Resource;
import io.github.comch4j.internal.life.Teardown;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** The native object of a producer, a consumer or a DMA context, and its life. */
public abstract class TransferContext extends Context {
    private final TransferCalls calls;
    private final @Nullable Device device; // that the memory of its tasks is mapped for; null: they have no memory
    private @Nullable TaskSlots tasks; // null before they are made

    /** See {@link Context}. */
    protected TransferContext(
            TransferCalls calls,
            String name,
            @Nullable Device device,
            Engine engine,
            @Nullable Engine companion,
            Resource... owners) {
        super(Rank.FAST_PATH, name, engine, companion, owners);
        this.calls = calls;
        this.device = device;
    }

    /** Takes over a new native object. */
    public final void bind(MemorySegment created) {
        bind(created, calls.asContext(created));
    }

    /** Its tasks are made; once. */
    final void give(TaskSlots made) {
        tasks = made;
    }

    /** Tells DOCA how its tasks end, and how many there are at most. */
    public final void configureTasks(int count) {
        calls.configureTasks(
                object(),
                tasks.queue.completedCallback(),
                tasks.queue.failedCallback(),
                count,
                "configuring " + name());
    }

    /** Whether DOCA refuses with this error because what tasks go to has ended. */
    public boolean isEnd(DocaError error) {
        return false;
    }

    /** For a program that uses this although what tasks go to has ended. */
    public abstract RuntimeException ended(String function, String action);

    /** For a program that uses this although it does not run. */
    public RuntimeException notRunning(String action) {
        checkUsable();
        return ended(TaskCalls.SUBMIT_NAME, action);
    }

    /** What is worth saying about memory for which DOCA has refused a task; empty: nothing. */
    final String hintAbout(MemoryMap memory) {
        return device == null ? "" : hintAbout(memory, device);
    }

    /** As {@link #hintAbout(MemoryMap)}, of a context that is to use this device. */
    public static String hintAbout(MemoryMap memory, Device device) {
        boolean known =
                memory.devices().stream().anyMatch(each -> each.address().equals(device.address()));
        return known ? "" : ": " + memory + " is mapped for " + memory.devices() + ", not for " + device;
    }

    @Override
    public final void taskEnded(long task, long userData, boolean success) {
        if (tasks != null) {
            try {
                tasks.slotEnded((int) userData, success ? Calls.SUCCESS : TaskCalls.status(task));
            } catch (Throwable t) {
                tasks.failed(t);
            }
        }
    }

    @Override
    protected final void stopping() {
        if (tasks != null) {
            tasks.queue.flush();
        }
    }

    @Override
    protected final void freeIdleTasks() {
        if (tasks != null) {
            tasks.freeIdle();
        }
    }

    @Override
    protected void destroy(MemorySegment nativeObject, String action) {
        calls.destroy(nativeObject, action);
    }

    @Override
    protected void release(Teardown teardown) {
        super.release(teardown);
        if (tasks != null) {
            tasks.close();
        }
    }

    /** What the program gets when DOCA has refused. */
    public final RuntimeException refused(int code, String function, String action) {
        return isEnd(DocaError.of(code)) ? ended(function, action) : Failures.refused(code, function, action);
    }
}
