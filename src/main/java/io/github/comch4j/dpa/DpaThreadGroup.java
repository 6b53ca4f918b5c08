package io.github.comch4j.dpa;

import io.github.comch4j.internal.call.DpaThreadCalls;
import java.util.List;

/**
 * A group of threads that know their ranks ({@code doca_dpa_tg}), from {@code doca_dpa_dev_thread_rank}.
 * {@link Dpa#group} creates it.
 */
public final class DpaThreadGroup extends DpaStartedObject {
    private static final DpaHandle.Kind KIND =
            new DpaHandle.Kind(DpaThreadCalls::stopGroup, DpaThreadCalls::destroyGroup);

    private final List<DpaThread> threads;

    DpaThreadGroup(Dpa dpa, List<DpaThread> threads) {
        super(dpa, make(dpa, threads));
        this.threads = threads;
    }

    private static DpaHandle make(Dpa dpa, List<DpaThread> threads) {
        if (threads.isEmpty()) {
            throw new IllegalArgumentException("a group needs at least one thread");
        }
        DpaHandle[] owners = threads.stream().map(DpaObject::resource).toArray(DpaHandle[]::new);
        DpaHandle made = dpa.make(
                KIND,
                "group of " + owners.length + " threads",
                (owner, action) -> DpaThreadCalls.createGroup(owner, owners.length, action),
                owners);
        made.start((group, action) -> {
            for (int rank = 0; rank < owners.length; rank++) {
                DpaThreadCalls.setThread(group, owners[rank].handle(), rank, action);
            }
            DpaThreadCalls.startGroup(group, action);
        });
        return made;
    }

    /**
     * Returns the threads of this group.
     *
     * @return the threads, in the order of their ranks
     */
    public List<DpaThread> threads() {
        return threads;
    }
}
