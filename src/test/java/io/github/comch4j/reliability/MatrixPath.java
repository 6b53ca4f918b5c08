package io.github.comch4j.reliability;

import java.util.List;

/**
 * A way to send that the {@linkplain MatrixIT matrix} tries: items, which have numbers and bytes that follow from them,
 * go from a writer in one process to a reader in another one.
 */
interface MatrixPath {
    /** What {@link Reader#read} returns at a good end. */
    int END = -1;

    /** As in the name of a cell. */
    String name();

    /** Whether a reader sees by itself that something is missing in front of what comes. */
    default boolean seesGaps() {
        return true;
    }

    /** Whether a handler of the program hears of receives that fail, whatever they have lost. */
    default boolean tellsFailedReceives() {
        return false;
    }

    /** Whether the writer can be told of what this end has received and lost. */
    default boolean tellsLosses(Matrix.Side side) {
        return true;
    }

    /** Whether the libraries in use have it. */
    default boolean exists() {
        return true;
    }

    /** The public types whose methods that send it uses. */
    List<Class<?>> types();

    /** Connects, as a host does. */
    Writer writer(MatrixScene scene, String name) throws Exception;

    /** Waits for the writer, as a DPU does. */
    Reader reader(MatrixScene scene, String name) throws Exception;

    /** One of the two. Not {@link AutoCloseable}: whether closing works is what a cell looks at. */
    interface End {
        void close() throws Exception;
    }

    /** Who writes. What it hears of losses, it throws, at the latest when it is closed. */
    interface Writer extends End {
        /** Sends the item with this number. */
        void write(int item) throws Exception;

        /** That was all: when this returns, the reader is believed to have it. */
        void end() throws Exception;
    }

    /** Who reads. */
    interface Reader extends End {
        /** The number of the next item, or {@link #END}. */
        int read() throws Exception;
    }
}
