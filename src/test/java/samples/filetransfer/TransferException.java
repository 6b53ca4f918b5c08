package samples.filetransfer;

/** What the user of one of the programs should read instead of a stack trace. */
final class TransferException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    TransferException(String message) {
        super(message);
    }

    TransferException(String message, Throwable cause) {
        super(message, cause);
    }
}
