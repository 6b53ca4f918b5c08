package io.github.comch4j.management;

/**
 * A {@link io.github.comch4j.comch.ComchConnection}, registered as
 * {@code io.github.comch4j:type=Connection,endpoint="…",id=…}.
 */
public interface ConnectionMXBean {

    /**
     * Returns the server or client that the connection belongs to.
     *
     * @return the kind and the name
     */
    String getEndpoint();

    /**
     * Returns the state of the connection.
     *
     * @return the name of a {@link io.github.comch4j.comch.ConnectionState}
     */
    String getState();

    /**
     * Returns the number of messages that were accepted for sending.
     *
     * @return the count since the connection began
     */
    long getSent();

    /**
     * Returns the total length of the messages that were accepted for sending.
     *
     * @return bytes
     */
    long getSentBytes();

    /**
     * Returns the number of received messages.
     *
     * @return the count since the connection began
     */
    long getReceived();

    /**
     * Returns the total length of the received messages.
     *
     * @return bytes
     */
    long getReceivedBytes();

    /**
     * Returns the number of messages that were accepted but could not be delivered.
     *
     * @return the count since the connection began
     */
    long getFailed();

    /**
     * Returns how many times a message was not accepted because there was no room.
     *
     * @return the count since the connection began
     */
    long getRefused();

    /**
     * Returns the number of episodes of back-pressure. An episode lasts from a first refusal to the next accepted send.
     *
     * @return the count since the connection began
     */
    long getBackPressures();

    /**
     * Returns how many times the peer has stopped reading.
     *
     * @return the number of episodes since the connection began
     */
    long getStalls();

    /**
     * Returns the number of messages in flight on all connections of the server together.
     *
     * @return the messages that are accepted and neither delivered nor failed
     */
    int getInFlightOfEndpoint();
}
