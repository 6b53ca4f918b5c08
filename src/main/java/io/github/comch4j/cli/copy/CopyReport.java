package io.github.comch4j.cli.copy;

/** What an end of {@code comch cp} tells while it goes on. Names and reasons may come from the other end. */
interface CopyReport {
    /** It is the turn of a file's bytes. */
    void begin(String name);

    /** So many bytes of it are done with. */
    void moved(long bytes);

    /** So many need not be moved: they were there already. */
    void there(long bytes);

    /** A file is there, as a whole. */
    void done();

    /** Something cannot be copied, for which one of the ends has a reason. */
    void failed(String name, String why);
}
