package io.github.comch4j.cli.conformance;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One thing that a probe asks.
 *
 * @param text what is asked; unlike the others of its probe
 * @param expected the answers of the emulated device; none if any will do, because it is a measurement
 */
record Question(String text, List<String> expected) {
    AnswerVerdict verdict(@Nullable String seen) {
        if (seen == null) {
            return AnswerVerdict.NOT_ANSWERED;
        }
        if (expected.isEmpty()) {
            return AnswerVerdict.MEASURED;
        }
        return expected.contains(seen) ? AnswerVerdict.AS_EXPECTED : AnswerVerdict.DIFFERS;
    }
}
