package io.github.comch4j.internal.life;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.github.comch4j.DocaError;
import io.github.comch4j.internal.call.Descriptors;
import io.github.comch4j.internal.failure.Failures;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A descriptor for {@code poll} and {@code epoll}: readable while another one is, unless it
 * {@linkplain #lookAway() looks away} from that, and from {@link #fire()} to {@link #calm()}. One thread at a time.
 *
 * <p>It is an epoll instance with the other descriptor and a timer in it.
 */
public final class Wakeup {
    private static final long VALUE = 16; // of struct itimerspec, after the interval
    private static final long SECOND = 1_000_000_000;

    private final int source;
    private final int handle;
    private final int timer;
    private final MemorySegment event = Arena.ofAuto().allocate(16, 8); // struct epoll_event
    private final MemorySegment time = Arena.ofAuto().allocate(32, 8);
    private boolean looks;
    private boolean calm = true;

    /** One that is readable while {@code source} is. */
    public Wakeup(int source) {
        this.source = source;
        handle = Descriptors.epoll();
        timer = Descriptors.timer();
        event.set(JAVA_INT, 0, Descriptors.READABLE);
        if (handle < 0 || timer < 0 || !Descriptors.add(handle, timer, event.address()) || !look()) {
            close();
            throw Failures.refused(DocaError.OPERATING_SYSTEM, "epoll_create1", "creating a descriptor to wait on");
        }
    }

    /** The descriptor; nobody reads from it. */
    public int descriptor() {
        return handle;
    }

    /** It is readable while the other descriptor is. Returns false if that is not possible. */
    boolean look() {
        if (!looks) {
            looks = Descriptors.add(handle, source, event.address());
        }
        return looks;
    }

    /** What the other descriptor does makes no difference any more. */
    void lookAway() {
        if (looks) {
            Descriptors.remove(handle, source);
            looks = false;
        }
    }

    /** Whether nothing is set, fired or not. */
    boolean isCalm() {
        return calm;
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
