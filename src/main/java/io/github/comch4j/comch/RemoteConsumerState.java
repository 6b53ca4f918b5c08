package io.github.comch4j.comch;

/** What happened to a consumer of the peer. */
public enum RemoteConsumerState {
    /** It runs: producers of this process may send to it. */
    NEW,
    /** It was stopped: sending to it fails. Not reported for consumers that end with their connection. */
    EXPIRED
}
