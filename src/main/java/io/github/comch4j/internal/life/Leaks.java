package io.github.comch4j.internal.life;

import io.github.comch4j.internal.call.ChosenFabric;
import io.github.comch4j.internal.load.LibrarySettings;
import io.github.comch4j.internal.observe.Log;
import java.lang.ref.Cleaner;

/**
 * Notices what a program has forgotten to close. It logs a warning and closes nothing: only the program knows on which
 * thread, and when.
 *
 * <p>Engines, devices and inventories are watched, as nothing else would close them. Their dependents are closed with
 * them.
 */
public final class Leaks {
    private static final boolean TRACED = LibrarySettings.debug();
    private static final Cleaner CLEANER = Cleaner.create(); // a daemon thread of its own

    private Leaks() {}

    /**
     * Warns if {@code face} becomes unreachable while {@code resource} is open; {@code resource} must not lead to
     * {@code face}.
     */
    public static void watch(Object face, Resource resource) {
        ChosenFabric.made(resource);
        CLEANER.register(face, new Warning(resource, TRACED ? new Throwable("it was created here") : null));
    }

    private record Warning(Resource resource, Throwable made) implements Runnable {
        @Override
        public void run() {
            if (resource.isClosed() || resource.hasDependents()) {
                return; // what depends on it may be in use, and close it
            }
            String text = resource.name() + " was never closed"
                    + (made == null
                            ? " (-D" + LibrarySettings.DEBUG_PROPERTY + "=true shows where it was created)"
                            : "");
            Log.logger().log(System.Logger.Level.WARNING, text, made);
        }
    }
}
