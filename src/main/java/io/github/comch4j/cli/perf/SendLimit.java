package io.github.comch4j.cli.perf;

/** Until when an end sends: so many messages, or so long, after the warm-up. For one thread. */
final class SendLimit {
    /** Beyond the time that the receiver measures, which begins with the first arrival. */
    private static final long SLACK = 100_000_000;

    private final Plan plan;
    private long limit; // messages
    private long warm; // when the warm-up is over; 0: nothing was sent yet

    SendLimit(Plan plan) {
        this.plan = plan;
        limit = plan.count() > 0 && plan.warmup() == 0 ? plan.count() : Long.MAX_VALUE;
    }

    /** How many more can be sent, as far as is known. */
    long left(long sent) {
        return limit - sent;
    }

    /** Looks at the clock; whether to send more than so many. */
    boolean hasMore(long sent) {
        long now = System.nanoTime();
        if (warm == 0 && sent > 0) {
            warm = now + plan.warmup();
        }
        if (plan.count() == 0) {
            return warm == 0 || now - warm < plan.length() + SLACK;
        }
        if (limit == Long.MAX_VALUE && warm != 0 && now - warm >= 0) {
            limit = sent + plan.count();
        }
        return sent < limit;
    }
}
