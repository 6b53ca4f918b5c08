package io.github.comch4j;

import io.github.comch4j.internal.access.Internals;
import io.github.comch4j.internal.access.LibraryExceptionParts;
import java.util.function.Function;

/**
 * The DOCA release in use does not export a function that was called. Everything that does not need the function works.
 */
public final class MissingFunctionException extends NativeLibraryException {
    static {
        Internals.openMaker(
                MissingFunctionException.class,
                (Function<LibraryExceptionParts<Reason>, MissingFunctionException>) MissingFunctionException::new);
    }

    private static final long serialVersionUID = 1L;

    /** The function's C name. */
    private final String function;

    private MissingFunctionException(LibraryExceptionParts<Reason> unusable) {
        super(unusable);
        this.function = unusable.function();
    }

    /**
     * The function that is missing.
     *
     * @return its C name
     */
    public String function() {
        return function;
    }
}
