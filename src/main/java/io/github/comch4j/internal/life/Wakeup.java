package io.github.comch4j.internal.life;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.github.comch4j.DocaError;
import io.github.comch4j.internal.call.Descriptors;
import io.github.comch4j.internal.failure.Failures;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A descriptor for {@code poll} and {@code epoll} of the program's own: readable while another one is, and from
 * {@link #fire()} to {@link #calm()}. One thread at a time.
 *
 * <p>It is an epoll instance with the other descriptor and a timer in it.
 */
public final class Wakeup {
    private static final long VALUE = 16; // of struct itimerspec, after the interval
    private static final long SECOND = 1_000_000_000;

    private final int handle;
    private final int timer;
    private final MemorySegment time = Arena.ofAuto().allocate(32, 8);
    private boolean calm = true;

    /** One that is readable while {@code source} is. */
    public Wakeup(int source) {
        handle = Descriptors.epoll();
        timer = Descriptors.timer();
        MemorySegment event = Arena.ofAuto().allocate(16, 8); // struct epoll_event
        event.set(JAVA_INT, 0, Descriptors.READABLE);
        if (handle < 0
                || timer < 0
                || !Descriptors.add(handle, source, event.address())
                || !Descriptors.add(handle, timer, event.address())) {
            close();
            throw Failures.refused(DocaError.OPERATING_SYSTEM, "epoll_create1", "making a descriptor to wait on");
        }
    }

    /** The descriptor; nobody reads from it. */
    public int descriptor() {
        return handle;
    }

    /** It is readable now. */
    public void fire() {
        fireIn(1);
    }

    /** It becomes readable after so many nanoseconds, at least one. */
    public void fireIn(long nanos) {
        calm = false;
        set(nanos);
    }

    /** It is readable only if the other descriptor is. */
    public void calm() {
        if (!calm) {
            calm = true;
            set(0);
        }
    }

    private void set(long nanos) {
        time.set(JAVA_LONG, VALUE, nanos / SECOND);
        time.set(JAVA_LONG, VALUE + 8, nanos % SECOND);
        Descriptors.setTimer(timer, time.address());
    }

    /** Gives the descriptors back. */
    public void close() {
        if (handle >= 0) {
            Descriptors.close(handle);
        }
        if (timer >= 0) {
            Descriptors.close(timer);
        }
    }
}
