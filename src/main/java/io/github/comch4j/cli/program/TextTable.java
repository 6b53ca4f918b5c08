package io.github.comch4j.cli.program;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** Columns as wide as what stands in them, and lines that belong to a row. */
public final class TextTable {
    private static final String GAP = "  ";

    private boolean right;
    private final List<String[]> rows = new ArrayList<>(); // of one cell: a line below the row before

    public TextTable(String... headings) {
        rows.add(headings);
    }

    /** With the cells at the right of their columns. */
    public TextTable rightAligned() {
        right = true;
        return this;
    }

    public void row(String... cells) {
        rows.add(cells);
    }

    public void below(String line) {
        rows.add(new String[] {line});
    }

    /** Leaves out columns, in this order, until lines have at most so many characters; whether they have then. */
    public boolean narrow(int most, String... leastImportant) {
        for (String heading : leastImportant) {
            if (toString().lines().allMatch(line -> line.length() <= most)) {
                return true;
            }
            int column = List.of(rows.getFirst()).indexOf(heading);
            int columns = rows.getFirst().length;
            rows.replaceAll(row -> row.length == columns ? without(row, column) : row);
        }
        return toString().lines().allMatch(line -> line.length() <= most);
    }

    private static String[] without(String[] row, int column) {
        List<String> left = new ArrayList<>(List.of(row));
        left.remove(column);
        return left.toArray(String[]::new);
    }

    public void print(PrintStream out) {
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
                String rest = " ".repeat(widths[i] - row[i].length());
                line.append(right ? rest + row[i] : row[i] + rest).append(GAP);
            }
            text.append(line.toString().stripTrailing()).append('\n');
        }
        return text.toString();
    }
}
