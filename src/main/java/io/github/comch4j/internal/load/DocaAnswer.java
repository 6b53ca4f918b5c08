package io.github.comch4j.internal.load;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.internal.failure.Failures;

/**
 * What a function of DOCA has returned.
 *
 * @param function its name, as it is called today; exceptions name it as the loaded release does
 * @param code {@code doca_error_t}
 */
public record DocaAnswer(String function, int code) {
    private static final int SUCCESS = DocaError.SUCCESS.code();

    /** Whether it is {@code DOCA_SUCCESS}. */
    public boolean isSuccess() {
        return code == SUCCESS;
    }

    /** Whether it is a certain error. */
    public boolean is(DocaError error) {
        return code == error.code();
    }

    /** Throws what is not {@code DOCA_SUCCESS}; {@code action} continues "while …". */
    public void check(String action) {
        if (!isSuccess()) {
            throw refused(action);
        }
    }

    /** The exception for a code that is not {@code DOCA_SUCCESS}; {@code action} continues "while …". */
    public DocaException refused(String action) {
        return Failures.refused(code, Symbols.nameOf(function), action);
    }
}
