package io.github.comch4j.internal.call;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Records of a log that say the same again and again, as those of a client that waits for its server: the first,
 * second, fourth, eighth, … of a row are shown. A row ends when nothing like it came for a while. One thread.
 */
final class RepeatedRecords {
    private static final long PAUSE_NANOS = 10_000_000_000L;
    private static final int MOST = 64; // different records that are remembered

    private static final class Row {
        long count;
        long last;
    }

    private final Map<String, Row> rows = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Row> eldest) {
            return size() > MOST;
        }
    };

    /**
     * The record as it is to be shown, or null.
     *
     * @param text what it has in common with others: all but its time
     * @param now by {@link System#nanoTime}
     */
    @Nullable
    String shown(String record, String text, long now) {
        Row row = rows.computeIfAbsent(text, ignored -> new Row());
        if (now - row.last > PAUSE_NANOS) {
            row.count = 0;
        }
        row.last = now;
        row.count++;
        if (Long.bitCount(row.count) != 1) {
            return null;
        }
        return row.count <= 2 ? record : record + " (" + row.count + " times in a row)";
    }
}
