package io.github.comch4j.reliability;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * What a victim is to do and what it has done so far, in a file that both processes have mapped: it survives its
 * writer, and tells the driver at once how far the victim is.
 */
@SuppressWarnings("EnumOrdinal") // the place of an entry in the file, and the number of a kind in an entry
final class Ledger {
    /** The entries. Those that the driver writes come first. */
    enum Entry {
        COMMAND,
        ROLE,
        SEED,
        ID,
        PHASE,
        CONTROL_ACCEPTED,
        CONTROL_COMPLETED,
        CONTROL_RECEIVED,
        FAST_SUBMITTED,
        FAST_COMPLETED,
        FAST_RECEIVED,
        ERRORS,
        LOST_AT,
        FINISHED,
        BYTES_RECEIVED,
        /** See {@link #sending}. */
        SENDS,
        /**
         * KiB of private memory, and how often there was no room to send: what a process of {@link LoadClients} tells
         * now and then.
         */
        PRIVATE_KIB,
        REFUSED_MESSAGES,
        REFUSED_PAYLOADS
    }

    /** Commands, in the order in which they may come. */
    static final long WAIT = 0;

    static final long GO = 1;
    /** End in good order: send everything, tell the totals, close. */
    static final long FINISH = 2;
    /** Close at once, in whatever order. */
    static final long CLOSE = 3;

    static final long CLIENT = 0;
    static final long SERVER = 1;

    /** Phases of a victim. */
    static final long BOOT = 1;

    static final long CONNECTING = 2;
    static final long CONTROL = 3;
    static final long FAST = 4;
    static final long CLOSING = 5;
    static final long DONE = 6;

    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

    private final MemorySegment memory;

    private Ledger(MemorySegment memory) {
        this.memory = memory;
    }

    /**
     * A folder for ledgers: within the fabric folder, which is all that containers share with this machine, where there
     * is one.
     */
    static Path folder(Path fabric, Path otherwise) throws IOException {
        return fabric == null ? otherwise : Files.createTempDirectory(fabric, "ledgers");
    }

    static Ledger open(Path file) {
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE)) {
            return new Ledger(channel.map(
                    FileChannel.MapMode.READ_WRITE, 0, (long) Entry.values().length * Long.BYTES, Arena.ofAuto()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** One that nobody else sees. */
    static Ledger ofOwn() {
        return new Ledger(Arena.ofAuto().allocate((long) Entry.values().length * Long.BYTES, Long.BYTES));
    }

    long get(Entry entry) {
        return (long) LONG.getAcquire(memory, (long) entry.ordinal() * Long.BYTES);
    }

    void set(Entry entry, long value) {
        LONG.setRelease(memory, (long) entry.ordinal() * Long.BYTES, value);
    }

    void setSending(Outgoing.Kind kind) {
        set(Entry.SENDS, kind.ordinal() + 1L);
    }

    /** How it sends payloads, in words. */
    String sending() {
        int kind = (int) get(Entry.SENDS);
        return kind == 0 ? "sends no payloads" : "sends " + Outgoing.Kind.values()[kind - 1];
    }

    void increment(Entry entry) {
        set(entry, get(entry) + 1);
    }
}
