package io.github.comch4j.streams;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@link SocketWaits}. */
@Timeout(60)
class SocketWaitsTest {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final AtomicBoolean arrived = new AtomicBoolean();

    private boolean await(long nanos) throws Exception {
        lock.lock();
        try {
            return SocketWaits.await(changed, nanos, arrived::get);
        } finally {
            lock.unlock();
        }
    }

    private boolean isWaiting() {
        lock.lock();
        try {
            return lock.hasWaiters(changed);
        } finally {
            lock.unlock();
        }
    }

    /** An interrupted thread has left the condition, so that no signal reaches it, and waits for the lock. */
    @ParameterizedTest
    @ValueSource(longs = {SocketWaits.FOR_EVER, 3_600_000_000_000L})
    void whatComesWithAnInterruptIsNotMissed(long nanos) throws Exception {
        CompletableFuture<Boolean> flag = new CompletableFuture<>();
        Thread waiter = Thread.ofPlatform().daemon().start(() -> {
            try {
                assertThat(await(nanos)).isTrue();
                flag.complete(Thread.currentThread().isInterrupted());
            } catch (Throwable e) {
                flag.completeExceptionally(e);
            }
        });
        while (!isWaiting()) {
            Thread.sleep(1);
        }
        lock.lock();
        try {
            waiter.interrupt();
            while (!lock.hasQueuedThread(waiter)) {
                Thread.sleep(1);
            }
            arrived.set(true);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        assertThat(flag.get(20, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void aLimitIsKept() throws Exception {
        assertThat(await(1)).isFalse();
        arrived.set(true);
        assertThat(await(1)).isTrue();
    }
}
