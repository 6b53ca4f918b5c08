package io.github.comch4j.cli;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** Columns as wide as what stands in them, and lines that belong to a row. */
final class Table {
    private static final String GAP = "  ";

    private final List<String[]> rows = new ArrayList<>(); // of one cell: a line below the row before

    Table(String... headings) {
        rows.add(headings);
    }

    void row(String... cells) {
        rows.add(cells);
    }

    void below(String line) {
        rows.add(new String[] {line});
    }

    void print(PrintStream out) {
        out.print(this);
    }

    @Override
    public String toString() {
        int columns = rows.getFirst().length;
        int[] widths = new int[columns];
        for (String[] row : rows) {
            for (int i = 0; row.length == columns && i < columns; i++) {
                widths[i] = Math.max(widths[i], row[i].length());
            }
        }
        StringBuilder text = new StringBuilder();
        for (String[] row : rows) {
            if (row.length < columns) {
                text.append(GAP).append(row[0]).append('\n');
                continue;
            }
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < columns; i++) {
                line.append(row[i])
                        .append(" ".repeat(widths[i] - row[i].length()))
                        .append(GAP);
            }
            text.append(line.toString().stripTrailing()).append('\n');
        }
        return text.toString();
    }
}
