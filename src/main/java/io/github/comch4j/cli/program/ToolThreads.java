package io.github.comch4j.cli.program;

/** Threads of the tool's, none of which keeps it from ending. */
public final class ToolThreads {
    private ToolThreads() {}

    public static Thread start(String name, Runnable work) {
        return Thread.ofPlatform().name(name).daemon().start(work);
    }

    /** Lets a moment pass between two looks at something. */
    public static void pause() {
        try {
            Thread.sleep(10);
        } catch (InterruptedException e) {
            throw new IllegalStateException("interrupted", e); // nobody interrupts the main thread
        }
    }
}
