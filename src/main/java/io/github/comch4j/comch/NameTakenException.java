package io.github.comch4j.comch;

import io.github.comch4j.DocaException;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when another server has the requested name on this host function, in this process or another one
 * ({@code doca_ctx_start} with {@link io.github.comch4j.DocaError#INITIALIZATION}).
 * {@link ComchServer.Builder#start(java.time.Duration)} waits until that server has ended.
 *
 * <p>The emulated BlueField distinguishes this case from other failures of a start. An SDK does not: there, a start
 * throws a {@link DocaException} whose message names this as the probable cause.
 */
public final class NameTakenException extends DocaException {
    private static final long serialVersionUID = 1L;

    /** The words of the emulated device (fabric.c). */
    private static final Pattern TAKEN =
            Pattern.compile("there is a server \".*\" on \\S+ already(?:, in process (\\d+))?.*", Pattern.DOTALL);

    /** The process; 0: not known. */
    private final long holder;

    private NameTakenException(DocaException refusal, long holder) {
        super(refusal);
        this.holder = holder;
    }

    /** What DOCA's refusal to start a server means; null: something else. */
    static @Nullable NameTakenException of(DocaException refusal) {
        Matcher taken = TAKEN.matcher(refusal.reason());
        if (!taken.matches()) {
            return null;
        }
        String process = taken.group(1);
        NameTakenException told = new NameTakenException(refusal, process == null ? 0 : Long.parseLong(process));
        told.initCause(refusal);
        return told;
    }

    /**
     * Returns the process that has the server of this name.
     *
     * @return the id of the process; empty if it is not known, for example for a process in another container
     */
    public OptionalLong holder() {
        return holder == 0 ? OptionalLong.empty() : OptionalLong.of(holder);
    }
}
