package samples.filetransfer;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** Shows how far a transfer is: a bar that moves on a terminal, a line each second elsewhere. */
final class ProgressBar implements AutoCloseable {
    private static final int WIDTH = 30;

    private final PrintStream out;
    private final boolean terminal;
    private final long total;
    private final long interval;
    private final long began = System.nanoTime();
    private long next;
    private boolean drawn;

    ProgressBar(PrintStream out, boolean terminal, long total) {
        this.out = out;
        this.terminal = terminal;
        this.total = total;
        this.interval = terminal ? TimeUnit.MILLISECONDS.toNanos(50) : TimeUnit.SECONDS.toNanos(1);
        this.next = began + interval;
    }

    /** Whether stdout is a terminal. {@link System#console()} does not say so: it wants stdin to be one too. */
    static boolean stdoutIsTerminal() {
        return isTerminal(1);
    }

    private static boolean isTerminal(int descriptor) {
        try {
            String target = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor))
                    .toString();
            return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty");
        } catch (IOException | RuntimeException e) {
            return false;
        }
    }

    /** May be called as often as one likes. */
    void update(long done) {
        long now = System.nanoTime();
        if (now - next >= 0 || (terminal && done == total)) {
            next = now + interval;
            draw(done, now);
        }
    }

    private void draw(long done, long now) {
        double share = total == 0 ? 1 : (double) done / total;
        String text = "%3.0f %%  %s of %s  %.0f MB/s"
                .formatted(
                        Math.floor(share * 100), Sizes.format(done), Sizes.format(total), done * 1e3 / (now - began));
        if (terminal) {
            int filled = (int) (share * WIDTH);
            // clears the rest of the line
            out.print("\r[" + "=".repeat(filled) + " ".repeat(WIDTH - filled) + "] " + text + "\033[K");
            out.flush();
            drawn = true;
        } else {
            out.println(text);
        }
    }

    /** Leaves the bar: what is printed next begins a new line. */
    @Override
    public void close() {
        if (drawn) {
            out.println();
            drawn = false;
        }
    }
}
