package io.github.comch4j.samples;

/** Ends a transfer. The message is one sentence for the user, without its full stop. */
final class TransferException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    TransferException(String message) {
        super(message);
    }

    TransferException(String message, Throwable cause) {
        super(message, cause);
    }
}
