package io.github.comch4j;

/**
 * The DOCA release in use does not export a function that was called. Everything that does not need the function works.
 */
public final class MissingFunctionException extends NativeLibraryException {
    private static final long serialVersionUID = 1L;

    /** The function's C name. */
    private final String function;

    /**
     * Made by this library.
     *
     * @param function the function's C name
     * @param message the sentence for the user
     */
    public MissingFunctionException(String function, String message) {
        super(Reason.MISSING_FUNCTION, message, null);
        this.function = function;
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
