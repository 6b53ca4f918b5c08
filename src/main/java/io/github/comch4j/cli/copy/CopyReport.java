package io.github.comch4j.cli.copy;

import java.util.concurrent.atomic.AtomicLong;

/** Counts what an end of {@code comch cp} does. Names and reasons may come from the other end. */
class CopyReport {
    final AtomicLong bytes = new AtomicLong(); // the interrupted command's last line reads it
    final AtomicLong were = new AtomicLong(); // there before
    long files;
    String verb = ""; // of a server's client

    /** It is the turn of a file's bytes. */
    void begin(String name) {}

    /** So many bytes of it are done with. */
    void moved(long more) {
        bytes.addAndGet(more);
    }

    /** So many need not be moved: they were there already. */
    void there(long more) {
        were.addAndGet(more);
    }

    /** A file is there, as a whole. */
    void done() {
        files++;
    }

    /** Something cannot be copied, for which one of the ends has a reason. */
    void failed(String name, String why) {}
}
