package io.github.comch4j.internal.observe;

/**
 * The sends of one connection or producer for which there was no room, in episodes: one begins with the first refusal,
 * and ends with the next send that is accepted, or with what sends. One thread at a time; the counts may be read by
 * any.
 */
public final class BackPressure {
    private final Counter refusals = new Counter();
    private final Counter episodes = new Counter();
    private Object of; // null: no episode
    private String reason;
    private long before;
    private Object event; // of the recorder; null: no recording

    /**
     * A send was refused for want of room.
     *
     * @param sender the connection or producer, named when the episode ends
     * @param why what there was none of
     * @return why, for the caller to return
     */
    public <R extends Enum<R>> R refuse(Object sender, R why) {
        if (of == null) {
            of = sender;
            reason = why.name();
            before = refusals.get();
            episodes.increment();
            event = Events.backPressure();
        }
        refusals.increment();
        return why;
    }

    /** A send was accepted. On the hot path. */
    public void relieve() {
        if (of != null) {
            end(true);
        }
    }

    /** The connection or producer has ended. */
    public void close() {
        if (of != null) {
            end(false);
        }
    }

    private void end(boolean room) {
        if (event != null) {
            Events.ended(event, of, reason, refusals.get() - before, room);
            event = null;
        }
        of = null;
    }

    /** How many sends were refused. */
    public long refusals() {
        return refusals.get();
    }

    /** In how many episodes. */
    public long episodes() {
        return episodes.get();
    }
}
