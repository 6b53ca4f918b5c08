package io.github.comch4j.cli;

import io.github.comch4j.cli.program.Interrupt;
import io.github.comch4j.cli.program.Terminals;
import io.github.comch4j.cli.program.ToolThreads;
import java.io.IOError;
import java.io.IOException;
import java.time.Duration;
import java.util.stream.Collectors;
import org.jline.terminal.Size;
import org.jline.terminal.Terminal;
import org.jline.terminal.TerminalBuilder;
import org.jline.utils.NonBlockingReader;
import org.jspecify.annotations.Nullable;

/** Where something is shown that changes: a terminal is drawn again and has keys, anything else is written on. */
final class Screen implements AutoCloseable {
    /** In place of a key: the time is over. */
    static final int NONE = -1;
    /** In place of a key: Ctrl-C, or {@code q}. */
    static final int END = -2;

    private static final int MOMENT_MS = 50;

    private final boolean draws;
    private final Interrupt interrupt = new Interrupt();
    private final @Nullable Terminal terminal; // if there are keys

    /** @param live whether there is more than one picture */
    Screen(boolean live) {
        this.draws = live && Terminals.isTerminal(Terminals.STDOUT);
        this.terminal = draws && Terminals.isTerminal(Terminals.STDIN) ? open() : null;
    }

    private static @Nullable Terminal open() {
        Terminal opened = null;
        try {
            opened = TerminalBuilder.builder()
                    .system(true)
                    .jna(false)
                    .jansi(false)
                    .exec(true)
                    .dumb(false)
                    .build();
            opened.enterRawMode(); // until it is closed
            return opened;
        } catch (IOException | IllegalStateException | IOError e) {
            close(opened);
            return null; // there is no stty, or Ctrl-C has ended it
        }
    }

    boolean hasKeys() {
        return terminal != null;
    }

    /** How many characters a line can have. */
    int columns() {
        int columns = terminal == null ? 0 : terminal.getSize().getColumns();
        return columns > 0 ? columns : Integer.MAX_VALUE;
    }

    /** Waits for a key, for so long. */
    int key(Duration most) {
        long until = System.nanoTime() + most.toNanos();
        do {
            int key = nextKey();
            // nobody may look any more, as head when it has enough
            if (key == 'q' || key == END || interrupt.stopped() || System.out.checkError()) {
                return END;
            }
            if (key >= 0) {
                return key;
            }
        } while (System.nanoTime() - until < 0);
        return NONE;
    }

    private int nextKey() {
        try {
            if (terminal != null) {
                int key = terminal.reader().read(MOMENT_MS);
                return key >= 0 ? key : key == NonBlockingReader.READ_EXPIRED ? NONE : END;
            }
        } catch (IOException e) {
            // as if there were none
        }
        ToolThreads.pause();
        return NONE;
    }

    /** On a terminal in place of what was there, as much as finds room. */
    void show(String text) {
        if (!draws) {
            System.out.print(text);
        } else {
            System.out.print("\033[H\033[2J" + (terminal == null ? text : cut(text, terminal.getSize())));
        }
        System.out.flush();
    }

    private static String cut(String text, Size size) {
        int rows = size.getRows() > 1 ? size.getRows() - 1 : Integer.MAX_VALUE;
        int columns = size.getColumns() > 0 ? size.getColumns() : Integer.MAX_VALUE;
        return text.lines()
                .limit(rows)
                .map(line -> line.length() <= columns ? line : line.substring(0, columns))
                .collect(Collectors.joining("\n", "", "\n"));
    }

    @Override
    public void close() {
        try (interrupt) {
            close(terminal);
        }
    }

    private static void close(@Nullable Terminal terminal) {
        try {
            if (terminal != null) {
                terminal.close();
            }
        } catch (IOException | IOError e) {
            // the terminal has gone
        }
    }
}
