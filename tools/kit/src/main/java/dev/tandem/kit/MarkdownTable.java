package dev.tandem.kit;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

/** A table in Markdown, whose columns are aligned so that it reads well in a terminal too. Not thread-safe. */
public final class MarkdownTable {

    /** The form of the line below the header. */
    public enum Rule {
        /** Three dashes in each column. */
        SHORT,
        /** Dashes as wide as the column. */
        FULL
    }

    private final Rule rule;
    private final List<List<String>> rows = new ArrayList<>();

    public MarkdownTable(Rule rule, List<String> header) {
        this.rule = rule;
        rows.add(List.copyOf(header));
    }

    /**
     * Adds a row.
     *
     * @throws IllegalArgumentException if it has not as many cells as the header
     */
    public MarkdownTable row(List<String> cells) {
        if (cells.size() != rows.get(0).size()) {
            throw new IllegalArgumentException(
                    "The row " + cells + " does not fit the header " + rows.get(0) + ": the number of cells differs");
        }
        rows.add(List.copyOf(cells));
        return this;
    }

    /** Returns the table, with a line break at its end. */
    @Override
    public String toString() {
        List<Integer> widths = IntStream.range(0, rows.get(0).size())
                .mapToObj(column -> rows.stream()
                        .mapToInt(row -> row.get(column).length())
                        .max()
                        .orElse(0))
                .toList();
        List<String> dashes = rule == Rule.FULL
                ? widths.stream().map("-"::repeat).toList()
                : Collections.nCopies(widths.size(), "---");
        StringBuilder text = new StringBuilder();
        append(text, rows.get(0), widths);
        append(text, dashes, widths);
        rows.subList(1, rows.size()).forEach(row -> append(text, row, widths));
        return text.toString();
    }

    private static void append(StringBuilder text, List<String> cells, List<Integer> widths) {
        text.append('|');
        for (int column = 0; column < cells.size(); column++) {
            String cell = cells.get(column);
            text.append(' ')
                    .append(cell)
                    .append(" ".repeat(Math.max(0, widths.get(column) - cell.length())))
                    .append(" |");
        }
        text.append('\n');
    }
}
