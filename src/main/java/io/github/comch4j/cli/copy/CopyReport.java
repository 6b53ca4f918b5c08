package io.github.comch4j.cli.copy;

/** What an end of {@code comch cp} tells while it goes on. Names and reasons may come from the other end. */
interface CopyReport {
    /** A file is next. */
    void begin(String name, long size);

    /** So many bytes of it are done with. */
    void moved(long bytes);

    /** So many need not be moved: they were there already. */
    void there(long bytes);

    /** It is there, as a whole. */
    void done();

    /** This end cannot copy something. */
    void failed(String name, String why);

    /** The other end cannot. */
    void refused(String name, String why);
}
