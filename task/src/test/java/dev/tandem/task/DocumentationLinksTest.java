package dev.tandem.task;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Relative links of the documentation lead to files that exist. */
class DocumentationLinksTest {

    private static final Pattern CODE = Pattern.compile("(?ms)^ *```.*?^ *```|`[^`\n]+`");
    /** The target of {@code [text](target)} or {@code [name]: target}, without its anchor. */
    private static final Pattern LINK = Pattern.compile("(?m)(?:\\]\\(|^\\[[^\\]]+\\]: +)([^)#\\s]+)");

    private static final Pattern ADDRESS = Pattern.compile("[a-z]+:.*");

    @Test
    void theTargetsOfRelativeLinksExist() throws IOException {
        List<Path> pages = new ArrayList<>(List.of(
                RepositorySources.ROOT.resolve("README.md"), RepositorySources.ROOT.resolve("CONTRIBUTING.md")));
        try (Stream<Path> docs = Files.walk(RepositorySources.ROOT.resolve("docs"))) {
            docs.filter(path -> path.toString().endsWith(".md")).sorted().forEach(pages::add);
        }
        List<String> problems = new ArrayList<>();
        int links = 0;
        for (Path page : pages) {
            Matcher link = LINK.matcher(CODE.matcher(Files.readString(page)).replaceAll(""));
            while (link.find()) {
                String target = link.group(1);
                if (ADDRESS.matcher(target).matches()) {
                    continue;
                }
                links++;
                if (!Files.exists(page.resolveSibling(target))) {
                    problems.add(
                            RepositorySources.ROOT.relativize(page) + " links to " + target + ", which does not exist");
                }
            }
        }
        assertThat(links).isGreaterThan(50);
        assertThat(String.join("\n", problems)).isEmpty();
    }
}
