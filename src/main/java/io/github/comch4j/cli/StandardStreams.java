package io.github.comch4j.cli;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.OutputStream;

/** Standard streams as bytes, and threads that do not keep the program from ending. */
final class StandardStreams {
    private StandardStreams() {}

    /** To be flushed; one for all threads, which lock it. */
    static OutputStream stdout() {
        return new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), 1 << 16);
    }

    static Thread start(String name, Runnable work) {
        return Thread.ofPlatform().name(name).daemon().start(work);
    }

    static void pause() {
        try {
            Thread.sleep(10);
        } catch (InterruptedException e) {
            throw new IllegalStateException("interrupted", e); // nobody interrupts the main thread
        }
    }
}
