package io.github.comch4j.internal.call;

import java.util.concurrent.ForkJoinWorkerThread;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The emulated machine that a thread means: whose devices it lists, and whose faults it sets. A thread that has chosen
 * none means the environment's. Threads that it starts inherit the choice, except those of a {@code ForkJoinPool},
 * which run what others hand them.
 */
public final class ChosenFabric {
    private static volatile boolean any;

    private final String folder;
    private final String side;
    private final Consumer<Object> made;
    private final Thread chooser = Thread.currentThread();
    private volatile boolean over;

    private ChosenFabric(String folder, String side, Consumer<Object> made) {
        this.folder = folder;
        this.side = side;
        this.made = made;
    }

    /** Made when a thread first chooses: no program but a test does. */
    private static final class Choices {
        static final InheritableThreadLocal<ChosenFabric> CHOSEN = new InheritableThreadLocal<>();

        private Choices() {}
    }

    /** Undoes a choice, in the thread that made it. */
    @FunctionalInterface
    public interface Undo extends AutoCloseable {
        @Override
        void close();
    }

    /**
     * Chooses for the calling thread, and those that it starts from now on, until the result is closed.
     *
     * @param folder the fabric folder, absolute
     * @param side what {@code DOCA_EMU_SIDE} takes
     * @param made is told what these threads make that nothing else closes; in those threads
     */
    public static Undo choose(String folder, String side, Consumer<Object> made) {
        any = true;
        ChosenFabric before = Choices.CHOSEN.get();
        ChosenFabric chosen = new ChosenFabric(folder, side, made);
        Choices.CHOSEN.set(chosen);
        return () -> {
            chosen.over = true;
            Choices.CHOSEN.set(before);
        };
    }

    /** The calling thread's choice; null: the environment's. */
    static @Nullable ChosenFabric current() {
        if (!any) {
            return null;
        }
        ChosenFabric chosen = Choices.CHOSEN.get();
        boolean inherited = chosen != null && chosen.chooser != Thread.currentThread();
        if (chosen == null || chosen.over || (inherited && Thread.currentThread() instanceof ForkJoinWorkerThread)) {
            return null;
        }
        return chosen;
    }

    /** The calling thread has made something that nothing else closes. */
    public static void made(Object resource) {
        ChosenFabric chosen = current();
        if (chosen != null) {
            chosen.made.accept(resource);
        }
    }

    String folder() {
        return folder;
    }

    String side() {
        return side;
    }
}
