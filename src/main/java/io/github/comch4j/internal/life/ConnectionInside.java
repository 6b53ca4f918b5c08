package io.github.comch4j.internal.life;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;

/** The internal object of a connection: what channels and sockets need of it and programs do not. */
public interface ConnectionInside {

    /** The engine that serves the connection. */
    Engine engine();

    /** The exception for a connection that has ended. */
    RuntimeException ended(String function, String action);

    /** While a program hears that a message was not sent: which one, counted from 0 on this connection. */
    long failedMessage();

    /**
     * What the peer has said of the stream to its consumer, as its {@link #say} was given it; from now on this process
     * listens. Any thread.
     *
     * @return 0 as long as it has said nothing; another number than the peer's if the consumer has ended without a word
     */
    AtomicLong heard(int consumerId);

    /**
     * Has the peer hear something of the stream at this process's consumer, when the connection's engine has made
     * progress; not if the connection ends, or the message fails. Any thread.
     */
    void say(int consumerId, long word);

    /**
     * As {@code ComchConnection.trySend}, of one message: eight bytes, the number in little-endian order, and then
     * {@code message}, which may be empty. Returns whether it was accepted.
     */
    boolean trySend(long header, byte[] message);

    /** As {@link #trySend(long, byte[])}, for the bytes between position and limit; the position is left alone. */
    boolean trySend(long header, ByteBuffer message);

    /**
     * How many of the messages that were accepted the peer's device has taken, so far or until the connection ended. On
     * the engine's thread.
     */
    long taken();
}
