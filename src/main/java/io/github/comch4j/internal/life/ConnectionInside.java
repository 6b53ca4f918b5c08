package io.github.comch4j.internal.life;

/** The internal object of a connection: what channels and sockets need of it and programs do not. */
public interface ConnectionInside {

    /** The engine that serves the connection. */
    Engine engine();

    /** The exception for a connection that has ended. */
    RuntimeException ended(String function, String action);
}
