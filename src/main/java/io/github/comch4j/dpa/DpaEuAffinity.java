package io.github.comch4j.dpa;

import io.github.comch4j.internal.call.DpaThreadCalls;

/** Binds threads to an execution unit ({@code doca_dpa_eu_affinity}). {@link Dpa#affinity} creates it. */
public final class DpaEuAffinity extends DpaObject {
    private static final DpaHandle.Kind KIND = DpaHandle.Kind.of(DpaThreadCalls::destroyAffinity);

    DpaEuAffinity(Dpa dpa, int unit) {
        super(dpa, make(dpa, unit));
    }

    private static DpaHandle make(Dpa dpa, int unit) {
        DpaHandle made = dpa.make(KIND, "affinity to unit " + unit, DpaThreadCalls::createAffinity);
        made.start((affinity, action) -> DpaThreadCalls.setUnit(affinity, unit, action));
        return made;
    }

    /**
     * Returns the execution unit ({@code doca_dpa_eu_affinity_get}).
     *
     * @return the number of the execution unit
     * @throws IllegalStateException if this affinity is closed
     */
    public int unit() {
        return resource().ask("asking " + this, DpaThreadCalls::unit);
    }
}
