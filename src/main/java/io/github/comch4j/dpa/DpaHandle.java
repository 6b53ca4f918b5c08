package io.github.comch4j.dpa;

import io.github.comch4j.DocaError;
import io.github.comch4j.internal.failure.Failures;
import io.github.comch4j.internal.life.Handle;
import io.github.comch4j.internal.life.Resource;
import io.github.comch4j.internal.life.Teardown;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A native object of a DPA or a queue, from its creation to its end.
 *
 * <p>Any thread may use it. Those that use it share a lock, so that none finds it gone; who makes, starts, stops or
 * ends one has the lock alone. All objects of a dpa, and what is made of them, have the same lock.
 */
final class DpaHandle extends Handle {
    private final ReadWriteLock lock;
    private final Kind kind;
    private final MemorySegment object;
    private boolean started; // guarded by the lock
    private boolean stopped; // was started before; guarded by the lock

    /** A call of DOCA with an object; {@code action} continues "while …". */
    interface Call {
        void with(MemorySegment object, String action);
    }

    /**
     * How objects of one type end.
     *
     * @param stop undoes the start; called for started objects only
     * @param destroy ends a stopped object
     * @param runs whether kernels run for it: then it is stopped before anything is closed that they may use
     */
    record Kind(Call stop, Call destroy, boolean runs) {
        Kind(Call stop, Call destroy) {
            this(stop, destroy, false);
        }

        /** Of objects that are neither started nor stopped. */
        static Kind of(Call destroy) {
            return new Kind((object, action) -> {}, destroy);
        }
    }

    private DpaHandle(ReadWriteLock lock, Rank rank, Kind kind, String name, MemorySegment object, Resource... owners) {
        super(rank, name, owners);
        this.lock = lock;
        this.kind = kind;
        this.object = object;
    }

    /** Makes an object with the lock held, and makes it known to its owners. */
    static DpaHandle make(
            ReadWriteLock lock,
            Rank rank,
            Kind kind,
            String name,
            Function<String, MemorySegment> maker,
            Resource... owners) {
        return alone(lock, () -> {
            DpaHandle made = new DpaHandle(lock, rank, kind, name, maker.apply("creating " + name), owners);
            try {
                made.attach();
            } catch (RuntimeException | Error e) {
                made.discard(e);
                throw e;
            }
            return made;
        });
    }

    private void discard(Throwable failure) {
        try {
            kind.destroy.with(object, "closing " + name());
        } catch (RuntimeException e) {
            failure.addSuppressed(e);
        }
    }

    /** The lock of this and of what is made of it. */
    ReadWriteLock lock() {
        return lock;
    }

    /** Configures and starts it; if that fails, it is closed. */
    void start(Call starter) {
        try {
            alone(lock, () -> {
                starter.with(handle(), "starting " + name());
                started = true;
                return null;
            });
        } catch (RuntimeException | Error e) {
            closeAfter(e);
            throw e;
        }
    }

    /** Stops it, if it is started. */
    void stop() {
        alone(lock, () -> {
            checkOpen();
            stopStarted("stopping " + name());
            return null;
        });
    }

    private void stopStarted(String action) {
        if (started) {
            kind.stop.with(object, action);
            started = false;
            stopped = true;
        }
    }

    /** Whether it is started. */
    boolean isStarted() {
        return locked(lock.readLock(), () -> started);
    }

    /** Does something with the object, which stays meanwhile. */
    void use(String action, Call call) {
        ask(action, (object, doing) -> {
            call.with(object, doing);
            return null;
        });
    }

    /** As {@link #use}, with an answer. */
    <T> T ask(String action, BiFunction<MemorySegment, String, T> question) {
        return locked(lock.readLock(), () -> question.apply(handle(), action));
    }

    /** As {@link #ask}, for what is possible until it is stopped, which DOCA need not check. */
    <T> T askUnstopped(String function, String action, BiFunction<MemorySegment, String, T> question) {
        return ask(action, (object, doing) -> {
            if (stopped) {
                throw Failures.refused(DocaError.BAD_STATE, function, doing + ": it is stopped");
            }
            return question.apply(object, doing);
        });
    }

    /** Does something while nobody else uses this, nor what has the same lock. */
    <T> T alone(Supplier<T> work) {
        return alone(lock, work);
    }

    private static <T> T alone(ReadWriteLock lock, Supplier<T> work) {
        return locked(lock.writeLock(), work);
    }

    private static <T> T locked(Lock held, Supplier<T> work) {
        held.lock();
        try {
            return work.get();
        } finally {
            held.unlock();
        }
    }

    /** Nothing is closed under a kernel that does not end. */
    @Override
    protected void checkClosable() {
        if (kind.runs) {
            alone(() -> {
                stopStarted("closing " + name());
                return null;
            });
        }
    }

    @Override
    protected MemorySegment pointer() {
        return object;
    }

    @Override
    protected void release(Teardown teardown) {
        String action = "closing " + name();
        alone(lock, () -> {
            stopStarted(action);
            kind.destroy.with(object, action);
            return null;
        });
    }
}
