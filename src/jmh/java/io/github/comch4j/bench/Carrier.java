package io.github.comch4j.bench;

/** Something that carries messages: makes the two ends. Each end is made, used and closed by one thread. */
interface Carrier {
    /** The receiving end; need not wait for the other one. */
    Inlet inlet(Options options, Arrivals arrivals);

    /** The sending end; waits for the other one. */
    Outlet outlet(Options options);

    /** The answering side of a ping-pong. */
    Table answering(Options options);

    /** The asking side of a ping-pong; waits for the other one. */
    Table asking(Options options);

    /** By the work's name, without {@code -rtt}. */
    static Carrier of(String name) {
        return switch (name) {
            case "fast" -> new FastCarrier();
            case "flat", "flat-last" -> new FlatCarrier();
            case "packed" -> new PackedCarrier();
            case "control" -> new ControlCarrier();
            case "aeron" -> new AeronCarrier();
            case "unix" -> new UnixCarrier();
            default -> throw new IllegalArgumentException("no such work: " + name);
        };
    }
}
