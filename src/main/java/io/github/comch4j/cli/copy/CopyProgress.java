package io.github.comch4j.cli.copy;

import io.github.comch4j.cli.program.Sizes;
import io.github.comch4j.cli.program.Terminals;
import java.util.concurrent.atomic.AtomicLong;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import org.jspecify.annotations.Nullable;

/** What the user of {@code comch cp} sees: a bar on a terminal, what was not copied, and the sum of it all. */
public final class CopyProgress extends CopyReport implements AutoCloseable {
    private static final int WIDTH = 79;
    private static final int LONGEST_NAME = 20;
    private static final int INTERVAL_MS = 100;
    private static final long MIB = 1 << 20;

    private final long began = System.nanoTime();
    private final boolean draws;
    private @Nullable ProgressBar bar;
    private long most; // files
    private long all; // bytes
    private final AtomicLong failures = new AtomicLong();

    public CopyProgress(boolean quiet) {
        this.draws = !quiet && Terminals.isTerminal(Terminals.STDERR);
    }

    /** How much there is to copy. */
    public void total(long newFiles, long newBytes) {
        most = newFiles;
        all = newBytes;
        if (draws) {
            bar = new ProgressBarBuilder()
                    .setInitialMax(newBytes)
                    .setUnit(newBytes < MIB ? " B" : " MiB", newBytes < MIB ? 1 : MIB)
                    .setStyle(ProgressBarStyle.ASCII)
                    .setUpdateIntervalMillis(INTERVAL_MS)
                    .showSpeed()
                    .setConsumer(new ConsoleProgressBarConsumer(System.err, WIDTH))
                    .build();
        }
    }

    @Override
    void begin(String name) {
        if (bar != null) {
            String last = name.substring(name.lastIndexOf('/') + 1);
            bar.setExtraMessage(last.length() <= LONGEST_NAME ? last : last.substring(0, LONGEST_NAME - 1) + "…");
        }
    }

    @Override
    void moved(long more) {
        super.moved(more);
        if (bar != null) {
            bar.stepBy(more);
        }
    }

    @Override
    void there(long more) {
        super.there(more);
        if (bar != null) {
            bar.stepBy(more);
        }
    }

    @Override
    void failed(String name, String why) {
        failures.incrementAndGet();
        System.err.println(
                (bar != null ? "\r\033[K" : "") + "comch: " + CopyLink.printable(name) + ": not copied: " + why);
    }

    /** Whether it is known how much there is. */
    public boolean hasBegun() {
        return most > 0;
    }

    public long failures() {
        return failures.get();
    }

    public boolean draws() {
        return draws;
    }

    @Override
    public void close() {
        end();
    }

    /** Leaves the bar as it is: what is printed next is below it. */
    public void end() {
        if (bar != null) {
            bar.close();
            bar = null;
        }
    }

    /** {@code 3 of 3 files, 1.2 GiB of 1.2 GiB in 2.0 s, 600 MB/s}. */
    @Override
    public String toString() {
        double seconds = (System.nanoTime() - began) / 1e9;
        return "%d of %d file%s, %s of %s%s in %.1f s, %.1f MB/s"
                .formatted(
                        files,
                        most,
                        most == 1 ? "" : "s",
                        Sizes.format(bytes.get() + were.get()),
                        Sizes.format(all),
                        were.get() == 0 ? "" : ", " + Sizes.format(were.get()) + " of which were there,",
                        seconds,
                        bytes.get() / 1e6 / seconds);
    }
}
