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
        int columns = rows.getFirst().length;
        int[] widths = new int[columns];
        for (String[] row : rows) {
            for (int i = 0; row.length == columns && i < columns; i++) {
                widths[i] = Math.max(widths[i], row[i].length());
            }
        }
        for (String[] row : rows) {
            if (row.length < columns) {
                out.println(GAP + row[0]);
                continue;
            }
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < columns; i++) {
                line.append(row[i])
                        .append(" ".repeat(widths[i] - row[i].length()))
                        .append(GAP);
            }
            out.println(line.toString().stripTrailing());
        }
    }
}
