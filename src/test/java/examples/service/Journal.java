package examples.service;

import io.micrometer.core.instrument.Timer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.function.BooleanSupplier;
import java.util.zip.CRC32;

/** Totals by key, each change in a file before anybody hears of it. One thread owns file and totals. */
class Journal implements Runnable {
    static final int RECORD = 48; // sequence number, session, its number, key, amount, check sum
    static final byte SNAPSHOT = 0; // sequence number, then key and total of each
    static final byte CHANGES = 1; // sequence number, key and new total of each
    private static final int WINDOW = 10_000; // so many changes are kept for subscribers that come back

    private interface Task {}
    private static class Answer extends CompletableFuture<byte[]> {}
    private record Add(long session, long number, long key, long amount, Answer answer) implements Task {}
    private record Read(long after, BooleanSupplier patient, Answer answer) implements Task {}
    private record Last(long number, long sequence) {}
    private record Change(long sequence, long key, long total) {}

    private final FileChannel file;
    private final Timer fsync;
    private final BlockingQueue<Task> tasks = new LinkedBlockingQueue<>(); // bounded by the server's maxInFlight
    private final Map<Long, Long> totals = new HashMap<>();
    private final Map<Long, Last> sessions = new HashMap<>();
    private final ArrayDeque<Change> window = new ArrayDeque<>();
    private final List<Read> waiting = new ArrayList<>();
    private volatile long sequence;
    private volatile long alive = System.nanoTime();
    private volatile boolean draining;
    Journal(Path path, Timer fsync) throws IOException {
        this.fsync = fsync;
        file = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        file.lock(); // waits until the predecessor has ended: two writers would spoil the file
        ByteBuffer record = ByteBuffer.allocate(RECORD);
        while (file.read(record.clear(), sequence * RECORD) == RECORD && check(record) == record.getLong(40)) {
            apply(record.getLong(8), record.getLong(16), record.getLong(24), record.getLong(32));
        }
        file.truncate(sequence * RECORD).position(sequence * RECORD); // what a crash has left half written
        file.force(true); // and what it has left unsynced, before anybody hears of it
        try (FileChannel folder = FileChannel.open(path.toAbsolutePath().getParent())) {
            folder.force(true); // the new file's name
        }
    }

    private static long check(ByteBuffer record) {
        CRC32 sum = new CRC32();
        sum.update(record.slice(0, RECORD - 8));
        return sum.getValue() + 1; // zeros are no record
    }

    /** Completed with the sequence number once the change is on the disk. */
    CompletableFuture<byte[]> add(long session, long number, long key, long amount) {
        var answer = new Answer();
        tasks.add(new Add(session, number, key, amount, answer));
        return answer;
    }

    /** Completed when there is something after this number, or with nothing when the reader is not patient any more. */
    CompletableFuture<byte[]> read(long after, BooleanSupplier patient) {
        var answer = new Answer();
        tasks.add(new Read(after, patient, answer));
        return answer;
    }

    long sequence() { return sequence; }
    boolean isHealthy() { return System.nanoTime() - alive < TimeUnit.SECONDS.toNanos(5); }

    /** Readers do not wait from now on. */
    void drain() { draining = true; }

    @Override
    public void run() {
        try {
            List<Task> batch = new ArrayList<>();
            while (true) {
                alive = System.nanoTime();
                Task first = tasks.poll(100, TimeUnit.MILLISECONDS);
                if (first != null) {
                    batch.add(first);
                    tasks.drainTo(batch, 1000);
                    commit(batch);
                    batch.clear();
                }
                waiting.removeIf(this::answer);
            }
        } catch (Throwable e) {
            e.printStackTrace(); // after a failed write or fsync nobody knows what the disk has: the next start looks
            Runtime.getRuntime().halt(1);
        }
    }

    /** Group commit: one write and one fsync for all that came during the one before. */
    private void commit(List<Task> batch) throws IOException {
        ByteBuffer records = ByteBuffer.allocate(batch.size() * RECORD);
        List<Runnable> answers = new ArrayList<>();
        for (Task task : batch) {
            if (task instanceof Read read) {
                waiting.add(read);
            } else if (task instanceof Add add) {
                Last last = sessions.getOrDefault(add.session, new Last(0, 0));
                if (add.number == last.number + 1) {
                    write(records, add);
                    apply(add.session, add.number, add.key, add.amount);
                    last = sessions.get(add.session);
                }
                Last done = last; // a call that is repeated gets the answer that the first one got
                answers.add(() -> {
                    if (add.number == done.number) {
                        add.answer.complete(ByteBuffer.allocate(8).putLong(done.sequence).array());
                    } else {
                        add.answer.completeExceptionally(new IllegalArgumentException("not the next: " + add.number));
                    }
                });
            }
        }
        if (records.flip().hasRemaining()) {
            long begin = System.nanoTime();
            while (records.hasRemaining()) {
                file.write(records);
            }
            file.force(false);
            fsync.record(System.nanoTime() - begin, TimeUnit.NANOSECONDS);
        }
        answers.forEach(Runnable::run); // written means acknowledged, and only then
    }

    private void write(ByteBuffer records, Add add) {
        ByteBuffer record = records.slice(records.position(), RECORD);
        record.putLong(sequence + 1).putLong(add.session).putLong(add.number).putLong(add.key).putLong(add.amount);
        record.putLong(check(record));
        records.position(records.position() + RECORD);
    }

    private void apply(long session, long number, long key, long amount) {
        long next = sequence + 1;
        sequence = next;
        sessions.put(session, new Last(number, next));
        window.add(new Change(next, key, totals.merge(key, amount, Long::sum)));
        if (window.size() > WINDOW) {
            window.remove();
        }
    }

    /** Returns whether this reader waits no more. */
    private boolean answer(Read read) {
        long behind = sequence - read.after;
        ByteBuffer answer;
        if (read.after < 0 || behind < 0 || behind > window.size()) {
            answer = ByteBuffer.allocate(9 + totals.size() * 16).put(SNAPSHOT).putLong(sequence);
            totals.forEach((key, total) -> answer.putLong(key).putLong(total));
        } else if (behind > 0 || draining || !read.patient.getAsBoolean()) {
            answer = ByteBuffer.allocate(1 + (int) behind * 24).put(CHANGES);
            window.stream().skip(window.size() - behind).forEach(change ->
                    answer.putLong(change.sequence).putLong(change.key).putLong(change.total));
        } else {
            return false;
        }
        read.answer.complete(answer.array());
        return true;
    }
}
