package io.github.comch4j.internal.life;

/** The internal object of a connection: what channels and sockets need of it and programs do not. */
public interface ConnectionInside {

    /** The engine that serves the connection. */
    Engine engine();

    /** The exception for a connection that has ended. */
    RuntimeException ended(String function, String action);

    /** While a program hears that a message was not sent: which one, counted from 0 on this connection. */
    long failedMessage();
}
