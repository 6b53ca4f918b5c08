package io.github.comch4j.bench;

/** One side of a ping-pong. Belongs to one thread. */
interface Table extends AutoCloseable {
    /** Begins a round: sends. */
    void serve(long number);

    /** One turn; returns how many answers have arrived so far. */
    long turn();

    /** On the answering side: whether the other one has finished; looked at now and then. */
    boolean isOver();

    @Override
    void close();
}
