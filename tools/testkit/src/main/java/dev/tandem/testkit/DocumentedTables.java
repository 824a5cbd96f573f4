package dev.tandem.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** Reads the tables of the documentation. */
public final class DocumentedTables {

    private static final Pattern NAME = Pattern.compile("`([^`]+)`");

    private DocumentedTables() {}

    /**
     * Returns the names in the first column of the tables whose header begins with this cell, in their order.
     *
     * @param page the page's path from the root of the project, such as {@code docs/spring-boot.md}
     * @param header the first cell of the header, such as {@code `@TaskHandler`}
     */
    public static List<String> namesUnder(String page, String header) {
        List<String> lines;
        try {
            lines = Files.readAllLines(DocumentedBlocks.root().resolve(page));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        List<String> names = new ArrayList<>();
        String table = "";
        for (String line : lines) {
            if (!line.startsWith("|")) {
                table = "";
            } else if (table.isEmpty()) {
                table = firstCell(line);
            } else if (table.equals(header)) {
                NAME.matcher(firstCell(line))
                        .results()
                        .map(DocumentedTables::name)
                        .forEach(names::add);
            }
        }
        return names;
    }

    private static String name(MatchResult found) {
        return found.group(1);
    }

    private static String firstCell(String row) {
        return row.substring(1).split("(?<!\\\\)\\|", 2)[0].strip();
    }
}
