package io.github.comch4j.internal.program;

/** Ends a transfer. The message is one sentence for the user, without its full stop. */
public final class ProgramException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public ProgramException(String message) {
        super(message);
    }

    public ProgramException(String message, Throwable cause) {
        super(message, cause);
    }
}
