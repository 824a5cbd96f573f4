package dev.tandem.server.cli;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.StreamSupport;

/**
 * A table whose columns are as wide as their content. Numbers are aligned to the right.
 *
 * @param <R> the type of the rows
 */
final class TextTable<R> {

    private static final int MAX_WIDTH = 80;

    /** @param wide whether only wide tables have it */
    private record Column<R>(String header, Function<? super R, String> cell, boolean wide) {

        /** Returns the header and the cells, padded to the same width. @param whole whether long cells stay whole */
        List<String> aligned(List<R> rows, boolean whole) {
            List<String> cells = rows.stream()
                    .map(cell)
                    .map(each -> whole ? oneLine(each) : clean(each))
                    .toList();
            boolean numbers = !cells.isEmpty() && cells.stream().allMatch(each -> each.matches("-?[0-9.]+\\+?|-?"));
            List<String> lines = new ArrayList<>(List.of(header));
            lines.addAll(cells);
            int width = lines.stream().mapToInt(String::length).max().orElse(0);
            lines.replaceAll(line -> {
                String pad = " ".repeat(width - line.length());
                return numbers ? pad + line : line + pad;
            });
            return lines;
        }
    }

    private final List<Column<R>> columns = new ArrayList<>();

    /** Adds a column on the right. */
    TextTable<R> column(String header, Function<? super R, String> cell) {
        columns.add(new Column<>(header, cell, false));
        return this;
    }

    /** Adds a column on the right that only wide tables have. */
    TextTable<R> wide(String header, Function<? super R, String> cell) {
        columns.add(new Column<>(header, cell, true));
        return this;
    }

    /** Prints the table: whole, if the writer is a {@link WideWriter}. */
    void print(Iterable<R> rows, PrintWriter out) {
        boolean whole = out instanceof WideWriter;
        List<R> all = StreamSupport.stream(rows.spliterator(), false).toList();
        List<List<String>> aligned = columns.stream()
                .filter(column -> whole || !column.wide())
                .map(column -> column.aligned(all, whole))
                .toList();
        for (int line = 0; line <= all.size(); line++) {
            int at = line;
            List<String> cells = aligned.stream().map(column -> column.get(at)).toList();
            out.println(String.join("  ", cells).stripTrailing());
        }
        out.flush();
    }

    /** Returns a text on one line, without control characters that a terminal would obey. */
    static String oneLine(String text) {
        return text.replaceAll("[\\p{Cc}\\p{Cf}]+", " ");
    }

    /** Returns the cell on one line, without control characters that a terminal would obey. */
    private static String clean(String cell) {
        String line = oneLine(cell);
        return line.length() <= MAX_WIDTH ? line : line.substring(0, MAX_WIDTH - 1) + "…";
    }
}
