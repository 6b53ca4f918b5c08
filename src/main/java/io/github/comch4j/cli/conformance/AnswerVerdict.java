package io.github.comch4j.cli.conformance;

import java.util.Locale;

/** How an answer compares with what is expected; of several, the greatest is that of their probe. */
enum AnswerVerdict {
    /** Nothing is expected: a number to know. */
    MEASURED,
    AS_EXPECTED,
    DIFFERS,
    NOT_ANSWERED;

    /** As in the report. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
