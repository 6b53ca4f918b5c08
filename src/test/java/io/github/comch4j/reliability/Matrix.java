package io.github.comch4j.reliability;

import io.github.comch4j.Machine;
import io.github.comch4j.Signals;
import io.github.comch4j.internal.call.EmulatorCalls;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;

/**
 * Tries paths under faults, cell by cell, and says what is wrong. A transfer is right if all has come and both ends
 * know it; or if the reader has got a first part and then an exception, and the writer has been told.
 */
final class Matrix implements AutoCloseable {
    /** A fault that ends of connections meet. */
    enum Fault {
        FAIL_SEND("fail_send=%d:IO_FAILED"),
        FAIL_RECEIVE("fail_recv=%d:IO_FAILED"),
        LOSE_RECEIVE("lose_recv=%d:IO_FAILED"),
        BREAK_SEND("break_send=%d:IO_FAILED"),
        BREAK_RECEIVE("break_recv=%d:IO_FAILED"),
        AGAIN("again=%d"),
        DROP("drop=%d"),
        /** While connecting, as is every fault that an end has before it opens. */
        REFUSE("refuse=%d"),
        EARLY_FAIL_SEND("fail_send=%d:IO_FAILED"),
        EARLY_DROP("drop=%d"),
        /** SIGKILL after so many milliseconds. */
        KILL(""),
        /** SIGSTOP after so many milliseconds, for a while. */
        STOP("");

        private final String setting;

        Fault(String setting) {
            this.setting = setting;
        }

        String at(int place) {
            return String.format(Locale.ROOT, setting, place);
        }

        boolean isEarly() {
            return this == REFUSE || this == EARLY_FAIL_SEND || this == EARLY_DROP;
        }

        boolean isSignal() {
            return this == KILL || this == STOP;
        }

        /** Whether something is lost of which the connection does not end. */
        boolean isLone() {
            return this == FAIL_SEND || this == LOSE_RECEIVE || this == EARLY_FAIL_SEND;
        }

        /** Whether the emulated device of this build has it. */
        boolean exists() {
            if (isSignal()) {
                return true;
            }
            try {
                EmulatorCalls.setFaults(at(1));
                EmulatorCalls.setFaults("");
                return true;
            } catch (IllegalArgumentException e) {
                return false;
            }
        }
    }

    /** Which end has the fault. */
    enum Side {
        WRITER,
        READER,
        BOTH
    }

    /** One transfer under one fault. */
    record Cell(MatrixPath path, Fault fault, int place, Side side, boolean direct) {
        @Override
        public String toString() {
            return path.name() + "\t" + fault + "\t" + place + "\t" + side + "\t" + (direct ? "direct" : "indirect");
        }
    }

    private static final int ITEMS = 12;
    private static final int MANY_ITEMS = 200; // when an end is struck from outside
    private static final int MANY_LARGE_ITEMS = 60;
    private static final int LATE_SECONDS = 20;
    private static final int MILLIS_STOPPED = 3000;

    private final List<String> wrong;
    private final Map<String, Integer> tally;
    private MatrixProcess writer;
    private MatrixProcess reader;
    private boolean direct;

    private Matrix(List<String> wrong, Map<String, Integer> tally) {
        this.wrong = wrong;
        this.tally = tally;
    }

    /** Tries cells, in lanes beside each other: most of the time a cell waits. */
    static void run(List<Cell> cells, int lanes, List<String> wrong, Map<String, Integer> tally) {
        Queue<Cell> left = new ConcurrentLinkedQueue<>(cells);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < lanes; i++) {
            threads.add(Thread.ofPlatform().start(() -> {
                try (Matrix matrix = new Matrix(wrong, tally)) {
                    matrix.run(left);
                }
            }));
        }
        for (Thread thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
        if (!left.isEmpty()) {
            throw new AssertionError("cells were left out: a lane has failed");
        }
    }

    private void run(Queue<Cell> cells) {
        for (Cell cell = cells.poll(); cell != null; cell = cells.poll()) {
            if (writer == null || cell.direct != direct) {
                restart(cell.direct);
            }
            long began = System.nanoTime();
            String verdict = verdict(cell);
            long millis = (System.nanoTime() - began) / 1_000_000;
            if (!verdict.equals("whole") && !verdict.equals("cut")) {
                String line = cell + "\t" + verdict + "\t" + millis + " ms";
                wrong.add(line);
                System.out.println("wrong: " + line);
            }
            tally.merge(cell.path.name() + " " + verdict.split("[:;]")[0], 1, Integer::sum);
        }
    }

    private void restart(boolean directWrites) {
        close();
        direct = directWrites;
        writer = new MatrixProcess("writer", directWrites);
        reader = new MatrixProcess("reader", directWrites);
    }

    private String verdict(Cell cell) {
        long began = System.nanoTime();
        String verdict = transfer(cell);
        if (System.nanoTime() - began > LATE_SECONDS * 1_000_000_000L
                && (verdict.equals("whole") || verdict.equals("cut"))) {
            verdict = "late: " + verdict;
        }
        if (cell.fault == Fault.KILL || verdict.contains(MatrixProcess.SILENT) || verdict.contains("dead")) {
            restart(cell.direct);
        }
        if (!verdict.equals("whole")) {
            String next = transfer(new Cell(cell.path, Fault.AGAIN, 1, Side.WRITER, cell.direct));
            if (!next.equals("whole")) {
                restart(cell.direct);
                return verdict + "; the next transfer: " + next;
            }
        }
        return verdict;
    }

    private static String fault(Cell cell, Side side, boolean early) {
        boolean has = !cell.fault.isSignal() && (cell.side == side || cell.side == Side.BOTH);
        return has && cell.fault.isEarly() == early ? cell.fault.at(cell.place) : "-";
    }

    private static int items(Cell cell) {
        if (!cell.fault.isSignal()) {
            return ITEMS;
        }
        return cell.path.name().startsWith("large-") ? MANY_LARGE_ITEMS : MANY_ITEMS;
    }

    private String transfer(Cell cell) {
        String name = Machine.uniqueName();
        reader.tell("open " + cell.path.name() + " " + name + " " + fault(cell, Side.READER, true));
        writer.tell("open " + cell.path.name() + " " + name + " " + fault(cell, Side.WRITER, true));
        String opensWriter = writer.hear(LATE_SECONDS + 10);
        String opensReader = reader.hear(LATE_SECONDS + 10);
        boolean open = opensWriter.equals("opened") && opensReader.equals("opened");
        if (!open) {
            return abandoned(cell, opensWriter, opensReader);
        }
        int items = items(cell);
        reader.tell("go " + items + " " + fault(cell, Side.READER, false));
        writer.tell("go " + items + " " + fault(cell, Side.WRITER, false));
        if (cell.fault.isSignal()) {
            signal(cell);
        }
        String wrote = killed(cell, Side.WRITER) ? "killed" : writer.hear(LATE_SECONDS + 10);
        String read = killed(cell, Side.READER) ? "[] killed" : reader.hear(LATE_SECONDS + 10);
        if (Boolean.getBoolean("matrix.verbose")) {
            System.out.println(cell + "\twriter " + wrote + ", reader " + read);
        }
        return verdict(cell, wrote, read);
    }

    /** At most one end is open: it comes to its end, which is no good one. */
    private String abandoned(Cell cell, String opensWriter, String opensReader) {
        String wrote = opensWriter;
        if (opensWriter.equals("opened")) {
            writer.tell("go 1 -");
            wrote = writer.hear(LATE_SECONDS + 10);
        }
        String read = opensReader;
        if (opensReader.equals("opened")) {
            reader.tell("go 1 -");
            read = reader.hear(LATE_SECONDS + 10);
        }
        boolean told = !wrote.equals("-")
                && !wrote.equals(MatrixProcess.SILENT)
                && (read.startsWith("not opened") || (read.startsWith("[] ") && !read.equals("[] -")));
        return cell.fault.isEarly() && told ? "cut" : "not open: writer " + wrote + ", reader " + read;
    }

    private static boolean killed(Cell cell, Side side) {
        return cell.fault == Fault.KILL && cell.side == side;
    }

    private void signal(Cell cell) {
        MatrixProcess struck = cell.side == Side.WRITER ? writer : reader;
        try {
            Thread.sleep(cell.place);
            struck.send(cell.fault == Fault.KILL ? Signals.KILL : Signals.STOP);
            if (cell.fault == Fault.STOP) {
                Thread.sleep(MILLIS_STOPPED);
                struck.send(Signals.CONTINUE);
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static String verdict(Cell cell, String wrote, String read) {
        String both = "writer " + wrote + ", reader " + read;
        if (wrote.equals(MatrixProcess.SILENT) || !read.startsWith("[") || both.contains("waited too long")) {
            return "waits: " + both;
        }
        if (both.contains("other bytes")) {
            return "other bytes: " + both;
        }
        String list = read.substring(1, read.indexOf(']'));
        int[] items = list.isEmpty()
                ? new int[0]
                : List.of(list.split(",")).stream().mapToInt(Integer::parseInt).toArray();
        // at its close a reader may hear that what it had to say itself, as its own end, was lost
        boolean goodEnd = read.endsWith("] -") || read.contains("] " + MatrixEnd.CLOSING);
        boolean told = !wrote.equals("-");
        boolean prefix = IntStream.range(0, items.length).allMatch(i -> items[i] == i);
        if (!prefix && IntStream.range(1, items.length).anyMatch(i -> items[i] <= items[i - 1])) {
            return "twice or out of order: " + both;
        }
        boolean mayMiss = !cell.path.seesGaps() && cell.fault.isLone();
        if (!prefix && (!mayMiss || goodEnd)) {
            return "hole: " + both;
        }
        if (goodEnd) {
            return items.length == items(cell) ? "whole" : "a good end too early: " + both;
        }
        return told || killed(cell, Side.READER) ? "cut" : "untold: " + both;
    }

    @Override
    public void close() {
        if (writer != null) {
            writer.close();
            reader.close();
            writer = null;
        }
    }
}
