package io.github.comch4j.cli.conformance;

import io.github.comch4j.LibraryInfo.Generation;
import java.util.ArrayList;
import java.util.List;

/** All probes, in the order in which they run. */
final class Probes {
    private Probes() {}

    /** What is asked of a release, with the answers of the emulated device of that release. */
    static List<Probe> of(Generation generation) {
        List<Probe> all = new ArrayList<>();
        all.addAll(LimitProbes.of(generation));
        all.addAll(ConnectionProbes.of(generation));
        all.addAll(MessageProbes.of());
        all.addAll(ConsumerProbes.of());
        all.addAll(TransferProbes.of(generation));
        all.addAll(ContextProbes.of(generation));
        all.addAll(NotificationProbes.of());
        all.addAll(EndpointProbes.of());
        all.addAll(DpaProbes.of(generation));
        all.addAll(DeathProbes.of());
        all.addAll(SpeedProbes.of());
        return all;
    }
}
