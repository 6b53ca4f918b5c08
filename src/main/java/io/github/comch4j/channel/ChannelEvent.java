package io.github.comch4j.channel;

import java.util.List;

/** What an event channel tells of. */
enum ChannelEvent {
    /** There is room to send again. */
    SEND(0, "room to send"),
    /** There is something to receive. */
    RECEIVE(1, "something to receive"),
    /** A client of a service has come or gone. */
    SERVICE(2, "a client that comes or goes");

    static final List<ChannelEvent> ALL = List.of(values());

    /** Continues "waiting for". */
    final String what;

    /** Its place among all. */
    final int index;

    ChannelEvent(int index, String what) {
        this.index = index;
        this.what = what;
    }

    /** As a set of one. */
    int bit() {
        return 1 << index;
    }
}
