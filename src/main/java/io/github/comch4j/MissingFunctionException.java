package io.github.comch4j;

import io.github.comch4j.internal.access.Internals;
import io.github.comch4j.internal.access.LibraryExceptionParts;
import java.util.function.Function;

/**
 * Thrown when the program calls a function that the DOCA release in use does not export. Everything that does not need
 * the function works.
 */
public final class MissingFunctionException extends NativeLibraryException {
    static {
        Internals.openMaker(MissingFunctionException.class, (Function<LibraryExceptionParts, MissingFunctionException>)
                MissingFunctionException::new);
    }

    private static final long serialVersionUID = 1L;

    /** The function's C name. */
    private final String function;

    private MissingFunctionException(LibraryExceptionParts unusable) {
        super(unusable);
        this.function = unusable.function();
    }

    /**
     * Returns the missing function.
     *
     * @return its C name
     */
    public String function() {
        return function;
    }
}
