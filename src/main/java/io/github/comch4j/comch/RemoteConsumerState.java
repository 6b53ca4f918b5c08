package io.github.comch4j.comch;

/** What happened to a consumer of the other side. */
public enum RemoteConsumerState {
    /** It runs: producers of this side may send to it. */
    NEW,
    /** It was stopped: sending to it fails. Not reported for consumers that end with their connection. */
    EXPIRED
}
