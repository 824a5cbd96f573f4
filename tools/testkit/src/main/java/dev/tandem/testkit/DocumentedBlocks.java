package dev.tandem.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Finds the fenced blocks in the Markdown of the project. */
public final class DocumentedBlocks {

    private static final String FENCE = "```";

    /**
     * A block between two fences, without the indentation of its first fence.
     *
     * @param page the page's path from the root of the project, such as {@code docs/quickstart.md}
     * @param line the line of the first fence, counted from 1
     * @param language what follows the first fence, such as {@code sh}
     */
    public record Block(String page, int line, String language, String text) {

        @Override
        public String toString() {
            return page + ":" + line + " (" + language + ")";
        }
    }

    private DocumentedBlocks() {}

    /** Returns the folder of the project. Tests run in the folders of its modules. */
    public static Path root() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.exists(folder.resolve("tandem")) || !Files.exists(folder.resolve("README.md"))) {
            folder = folder.getParent();
            if (folder == null) {
                throw new AssertionError(
                        "No folder of the project above " + Path.of("").toAbsolutePath());
            }
        }
        return folder;
    }

    /** Returns the pages for users and developers: those in the root of the project, and all below docs. */
    public static List<Path> pages() {
        Path root = root();
        try (Stream<Path> top = Files.list(root);
                Stream<Path> docs = Files.walk(root.resolve("docs"))) {
            return Stream.concat(top, docs)
                    .filter(page -> page.toString().endsWith(".md"))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the blocks of all pages. */
    public static List<Block> all() {
        return pages().stream().flatMap(page -> in(page).stream()).toList();
    }

    /** Returns the blocks of a page, in their order. */
    public static List<Block> in(Path page) {
        String name = root().relativize(page.toAbsolutePath().normalize()).toString();
        return in(name, text(page));
    }

    /**
     * Returns the text of the blocks of one language, in their order.
     *
     * @param page the page's path from the root of the project
     */
    public static List<String> texts(String page, String language) {
        return in(root().resolve(page)).stream()
                .filter(block -> block.language().equals(language))
                .map(Block::text)
                .toList();
    }

    static List<Block> in(String page, String text) {
        List<Block> blocks = new ArrayList<>();
        int start = 0;
        String language = "";
        StringBuilder content = new StringBuilder();
        List<String> lines = text.lines().toList();
        for (int number = 1; number <= lines.size(); number++) {
            String line = lines.get(number - 1);
            if (!line.strip().startsWith(FENCE)) {
                content.append(line).append('\n');
            } else if (start == 0) {
                start = number;
                language = line.strip().substring(FENCE.length()).strip();
                content.setLength(0);
            } else {
                blocks.add(new Block(page, start, language, content.toString().stripIndent()));
                start = 0;
            }
        }
        if (start != 0) {
            throw new AssertionError(page + ":" + start + ": the block has no end");
        }
        return blocks;
    }

    private static String text(Path page) {
        try {
            return Files.readString(page);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
