package io.github.comch4j.emulator;

import io.github.comch4j.core.EventLoop;
import io.github.comch4j.internal.life.Engine;
import io.github.comch4j.internal.life.LoopThread;
import io.github.comch4j.internal.life.Resource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArraySet;
import org.jspecify.annotations.Nullable;

/**
 * What the threads of a test have made that nothing else closes: engines, devices and inventories. Their dependents are
 * closed with them, but for what was lent to the test, whose dependents are the test's to close.
 */
final class UnclosedObjects {
    private final ConcurrentLinkedQueue<Made> made = new ConcurrentLinkedQueue<>();
    private final Set<Resource> lent = new CopyOnWriteArraySet<>();

    private record Made(Resource resource, Throwable where) {}

    /** Something that is open, what it is called and what closes it, and where it was made, if that is known. */
    record Leak(
            Resource resource,
            String name,
            Runnable closing,
            @Nullable Throwable where) {
        static Leak of(Resource resource, @Nullable Throwable where) {
            // without its engine a loop would go on, and fail at each turn
            LoopThread thread = resource instanceof Engine engine ? engine.loopThread() : null;
            if (thread != null && thread.loop() instanceof EventLoop loop) {
                return new Leak(resource, loop.toString(), loop::close, where);
            }
            return new Leak(resource, resource.name(), resource::close, where);
        }
    }

    /** By the thread that makes it. */
    void made(Object resource) {
        made.add(new Made((Resource) resource, new Throwable("created here, by " + Thread.currentThread())));
    }

    /** The test does not close this, but what depends on it. */
    void lend(Resource resource) {
        lent.add(resource);
    }

    /** What is open and should not be. */
    List<Leak> leaks() {
        List<Leak> leaks = new ArrayList<>();
        for (Made each : made) {
            if (!each.resource.isClosed() && !lent.contains(each.resource)) {
                leaks.add(Leak.of(each.resource, each.where));
            }
        }
        for (Resource resource : lent) {
            for (Resource dependent : resource.openDependents()) {
                boolean known = lent.contains(dependent) || leaks.stream().anyMatch(leak -> leak.resource == dependent);
                if (!known) {
                    leaks.add(Leak.of(dependent, null));
                }
            }
        }
        return leaks;
    }
}
