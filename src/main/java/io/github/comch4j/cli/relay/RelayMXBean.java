package io.github.comch4j.cli.relay;

/** The streams of a relay, as {@code comch top --pid} and other programs for JMX show them. */
public interface RelayMXBean {
    /** How many there are now. */
    long getOpenStreams();

    /** How many there have been, with those that there are. */
    long getStreams();

    /** How many of them have ended with a reset. */
    long getResetStreams();

    /** How many could not be opened: refused by either side, or without a connection over Comch in time. */
    long getRefusedStreams();

    /** Of streams that have ended, bytes that went to the other side. */
    long getBytesSent();

    /** Of streams that have ended, bytes that came from the other side. */
    long getBytesReceived();
}
