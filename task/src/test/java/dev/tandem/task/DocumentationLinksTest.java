package dev.tandem.task;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The links in the Markdown of the project: each leads to a file that exists, and to a heading in it. */
class DocumentationLinksTest {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    private static final Set<String> NOT_OURS = Set.of("target", "node_modules", ".tandem", ".git");

    private static final Pattern CODE_BLOCK = Pattern.compile("(?ms)^ *```.*?^ *```$");
    private static final Pattern CODE_SPAN = Pattern.compile("`[^`]*`");
    private static final Pattern LINK = Pattern.compile("\\]\\(([^()\\s]+)\\)|(?m)^\\[[^\\]]+\\]: (\\S+)$");
    private static final Pattern HEADING = Pattern.compile("(?m)^#{1,6} +(.+?) *$");
    private static final Pattern TEXT_OF_LINK = Pattern.compile("\\[([^\\]]*)\\]\\([^)]*\\)");
    private static final Pattern OUTSIDE = Pattern.compile("^[a-z]+:.*");

    private final Map<Path, Set<String>> anchors = new HashMap<>();

    @Test
    void everyLinkLeadsSomewhere() throws IOException {
        List<String> broken = new ArrayList<>();
        int links = 0;
        for (Path page : pages()) {
            Matcher link = LINK.matcher(withoutCode(Files.readString(page)));
            while (link.find()) {
                String target = link.group(1) == null ? link.group(2) : link.group(1);
                if (!OUTSIDE.matcher(target).matches()) {
                    links++;
                    if (!leadsSomewhere(page, target)) {
                        broken.add(ROOT.relativize(page) + ": " + target);
                    }
                }
            }
        }
        assertThat(broken).isEmpty();
        assertThat(links).isGreaterThan(100);
    }

    private boolean leadsSomewhere(Path page, String target) throws IOException {
        int hash = target.indexOf('#');
        String file = hash < 0 ? target : target.substring(0, hash);
        Path path = file.isEmpty() ? page : page.resolveSibling(file).normalize();
        if (!Files.exists(path)) {
            return false;
        }
        if (hash < 0 || !path.toString().endsWith(".md")) {
            return true;
        }
        if (!anchors.containsKey(path)) {
            anchors.put(path, anchorsOf(Files.readString(path)));
        }
        return anchors.get(path).contains(target.substring(hash + 1));
    }

    /** Returns the anchors that GitHub gives to the headings of a page. */
    private static Set<String> anchorsOf(String page) {
        Set<String> anchors = new HashSet<>();
        Map<String, Integer> seen = new HashMap<>();
        Matcher heading = HEADING.matcher(CODE_BLOCK.matcher(page).replaceAll(""));
        while (heading.find()) {
            String text = TEXT_OF_LINK.matcher(heading.group(1)).replaceAll("$1");
            String anchor = text.toLowerCase(Locale.ROOT)
                    .replaceAll("[^\\p{L}\\p{N}\\s_-]", "")
                    .replace(' ', '-');
            int before = seen.merge(anchor, 1, Integer::sum) - 1;
            anchors.add(before == 0 ? anchor : anchor + "-" + before);
        }
        return anchors;
    }

    private static String withoutCode(String page) {
        return CODE_SPAN.matcher(CODE_BLOCK.matcher(page).replaceAll("")).replaceAll("code");
    }

    /** Finds our pages; other folders are not entered, since other steps of the build write to them meanwhile. */
    private static List<Path> pages() throws IOException {
        List<Path> pages = new ArrayList<>();
        Files.walkFileTree(ROOT, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                return NOT_OURS.contains(String.valueOf(folder.getFileName()))
                        ? FileVisitResult.SKIP_SUBTREE
                        : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (file.toString().endsWith(".md")) {
                    pages.add(file);
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return pages;
    }
}
