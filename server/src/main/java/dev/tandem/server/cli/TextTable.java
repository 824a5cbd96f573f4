package dev.tandem.server.cli;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/** Prints a table whose columns are as wide as their content. Numbers are aligned to the right. */
final class TextTable {

    private static final int MAX_WIDTH = 80;

    private final List<List<String>> rows = new ArrayList<>();

    TextTable(String... columns) {
        rows.add(List.of(columns));
    }

    TextTable row(Object... cells) {
        List<String> row = new ArrayList<>();
        for (Object cell : cells) {
            row.add(clean(String.valueOf(cell)));
        }
        rows.add(row);
        return this;
    }

    void print(PrintWriter out) {
        int columns = rows.get(0).size();
        int[] widths = new int[columns];
        boolean[] numbers = new boolean[columns];
        for (int column = 0; column < columns; column++) {
            int at = column;
            widths[at] =
                    rows.stream().mapToInt(row -> row.get(at).length()).max().orElse(0);
            numbers[at] = rows.size() > 1
                    && rows.stream().skip(1).allMatch(row -> row.get(at).matches("-?[0-9.]+|-?"));
        }
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int column = 0; column < columns; column++) {
                String pad = " ".repeat(widths[column] - row.get(column).length());
                line.append(numbers[column] ? pad + row.get(column) : row.get(column) + pad)
                        .append("  ");
            }
            out.println(line.toString().stripTrailing());
        }
        out.flush();
    }

    /** Returns the cell on one line, without control characters that a terminal would obey. */
    private static String clean(String cell) {
        String line = cell.replaceAll("\\p{Cntrl}+", " ");
        return line.length() <= MAX_WIDTH ? line : line.substring(0, MAX_WIDTH - 1) + "…";
    }
}
