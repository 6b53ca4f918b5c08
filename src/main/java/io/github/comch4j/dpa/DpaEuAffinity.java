package io.github.comch4j.dpa;

import io.github.comch4j.internal.call.DpaThreadCalls;

/** Names an execution unit for threads ({@code doca_dpa_eu_affinity}); made by {@link Dpa#affinity}. */
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
     * The execution unit ({@code doca_dpa_eu_affinity_get}).
     *
     * @return its number
     * @throws IllegalStateException if this is closed
     */
    public int unit() {
        return resource().ask("asking " + this, DpaThreadCalls::unit);
    }
}
