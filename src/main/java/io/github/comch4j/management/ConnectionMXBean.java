package io.github.comch4j.management;

/** A {@link io.github.comch4j.comch.ComchConnection}: {@code io.github.comch4j:type=Connection,endpoint="…",id=…}. */
public interface ConnectionMXBean {

    /**
     * The server or client that it is a connection of.
     *
     * @return what it is and its name
     */
    String getEndpoint();

    /**
     * Its state.
     *
     * @return the name of a {@link io.github.comch4j.comch.ConnectionState}
     */
    String getState();

    /**
     * How many messages were accepted to be sent.
     *
     * @return since it began
     */
    long getSent();

    /**
     * How long these messages were together.
     *
     * @return bytes
     */
    long getSentBytes();

    /**
     * How many messages were received.
     *
     * @return since it began
     */
    long getReceived();

    /**
     * How long these messages were together.
     *
     * @return bytes
     */
    long getReceivedBytes();

    /**
     * How many messages were accepted and could not be delivered.
     *
     * @return since it began
     */
    long getFailed();

    /**
     * How many times a message was not accepted because there was no room.
     *
     * @return since it began
     */
    long getRefused();

    /**
     * How many episodes of back-pressure there were: from a first refusal to the next send that was accepted.
     *
     * @return since it began
     */
    long getBackPressures();

    /**
     * How many times its peer has stopped reading.
     *
     * @return episodes since it began
     */
    long getStalls();

    /**
     * How many messages are on their way to be sent now, of all connections of the server together.
     *
     * @return accepted, and neither delivered nor failed
     */
    int getInFlightOfEndpoint();
}
