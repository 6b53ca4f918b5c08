package io.github.comch4j.reliability;

import io.github.comch4j.Machine;
import io.github.comch4j.emulator.EmulatedFaults;
import io.github.comch4j.internal.call.EmulatorCalls;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * One of the two processes of {@link MatrixIT}: {@code writer} or {@code reader}. On {@code open PATH NAME FAULTS} it
 * opens its end, and on {@code go ITEMS FAULTS} it sends or receives, and closes; each time it says in a line how that
 * went.
 */
public final class MatrixEnd {
    /** Of lines that are for the test. */
    static final String MARK = "# ";

    /** Before what has failed when a reader that had all was closed. */
    static final String CLOSING = "closing: ";

    private MatrixEnd() {}

    public static void main(String[] arguments) throws IOException {
        Machine.useEmulation();
        boolean writes = arguments[0].equals("writer");
        MatrixScene scene = new MatrixScene(writes);
        MatrixPath.End open = null;
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            String[] words = line.split(" ");
            if (words[0].equals("open")) {
                try {
                    EmulatorCalls.setFaults(words[3].equals("-") ? "" : words[3]);
                    MatrixPath path = MatrixPaths.named(words[1]);
                    open = writes ? path.writer(scene, words[2]) : path.reader(scene, words[2]);
                    say("opened");
                } catch (Throwable t) {
                    say("not opened: " + text(t));
                }
                EmulatedFaults.clear();
            } else {
                EmulatorCalls.setFaults(words[2].equals("-") ? "" : words[2]);
                int items = Integer.parseInt(words[1]);
                say(writes ? write((MatrixPath.Writer) open, items) : read((MatrixPath.Reader) open));
                EmulatedFaults.clear();
            }
        }
    }

    private static void say(String what) {
        System.out.println(MARK + what);
        System.out.flush();
    }

    static String text(Throwable thrown) {
        return (thrown.getClass().getSimpleName() + ": " + thrown.getMessage()).replaceAll("\\s+", " ");
    }

    private static String write(MatrixPath.Writer writer, int items) {
        Throwable told = null;
        try {
            for (int i = 0; i < items; i++) {
                writer.write(i);
            }
            writer.end();
        } catch (Throwable t) {
            told = t;
        }
        try {
            writer.close();
        } catch (Throwable t) {
            told = told == null ? t : told;
        }
        return told == null ? "-" : text(told);
    }

    private static String read(MatrixPath.Reader reader) {
        List<Integer> items = new ArrayList<>();
        String end;
        try {
            int next;
            do {
                next = reader.read();
                if (next != MatrixPath.END) {
                    items.add(next);
                }
            } while (next != MatrixPath.END);
            end = "-";
        } catch (Throwable t) {
            end = text(t);
        }
        try {
            reader.close();
        } catch (Throwable t) {
            end = end.equals("-") ? CLOSING + text(t) : end;
        }
        return "[" + items.stream().map(String::valueOf).collect(Collectors.joining(",")) + "] " + end;
    }
}
