package io.github.comch4j.comch;

/** A change of a consumer of the peer. */
public enum RemoteConsumerState {
    /** The consumer runs: producers of this process may send to it. */
    NEW,
    /** The consumer was stopped: sends to it fail. Not reported for consumers that end with their connection. */
    EXPIRED
}
