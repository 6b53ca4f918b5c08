package io.github.comch4j.cli.program;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.core.PciAddress;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Ends a transfer. The message is one sentence for the user, without its full stop. */
public final class ProgramException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public ProgramException(String message) {
        super(message);
    }

    public ProgramException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /**
     * For a client that no server has accepted.
     *
     * @param server the server's name
     * @param device the client's
     * @param refusal of the last attempt; null if there is none
     * @param advice what to say if that has no reason, or none but that there is no such server
     */
    public static ProgramException refused(
            String server, PciAddress device, @Nullable DocaException refusal, String advice) {
        String reason = refusal == null ? "" : refusal.reason();
        return new ProgramException(
                "no server \"" + server + "\" accepts clients of " + device + ": "
                        + (reason.isEmpty() ? advice : reason)
                        + (reason.contains("finds no server") ? "; " + advice : ""),
                refusal);
    }

    /** What {@code connect} returns; if no server has accepted it, as {@link #refused} says. */
    public static <T> T connecting(String server, PciAddress device, String advice, Supplier<T> connect) {
        try {
            return connect.get();
        } catch (DocaException e) {
            boolean alone = e.error() == DocaError.CONNECTION_ABORTED || e.error() == DocaError.TIME_OUT;
            throw alone ? refused(server, device, e, advice) : e;
        }
    }

    /** For who has waited so long. */
    public static ProgramException inVain(Duration waited, String what) {
        return new ProgramException("waited " + waited.toSeconds() + " s in vain for " + what);
    }

    /** What {@code start} returns; a server that cannot be, as its name is taken, is told as such. */
    public static <T> T serving(String server, PciAddress function, Supplier<T> start) {
        try {
            return start.get();
        } catch (DocaException e) {
            throw e.error() == DocaError.INITIALIZATION
                    ? new ProgramException(
                            "\"" + server + "\" cannot be served at " + function + ": " + e.getMessage(), e)
                    : e;
        }
    }

    /** A failure of files in a few words. */
    public static String reason(Exception e) {
        return switch (e) {
            case NoSuchFileException missing -> "is not there";
            case AccessDeniedException denied -> "permission denied";
            case NotDirectoryException link -> "is no folder, or a link";
            case FileSystemException other when other.getReason() != null -> other.getReason();
            default -> String.valueOf(e.getMessage());
        };
    }
}
