package dev.tandem.task;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The tests to which {@code docs/guarantees.md} refers exist, and what it promises fits on one screen. */
class GuaranteesPageTest {

    private static final int SCREEN = 45;
    private static final Pattern REFERENCE = Pattern.compile("`(\\w+(?:Test|IT))(?:\\.(\\w+))?`");

    @Test
    void theTestsToWhichThePageRefersExist() throws IOException {
        RepositorySources sources = RepositorySources.read();
        Matcher reference = REFERENCE.matcher(Files.readString(RepositorySources.ROOT.resolve("docs/guarantees.md")));
        List<String> problems = new ArrayList<>();
        int references = 0;
        while (reference.find()) {
            references++;
            String type = reference.group(1);
            String method = reference.group(2);
            if (!sources.hasType(type)) {
                problems.add("docs/guarantees.md names " + type + ", but no module has it; rename it there too");
            } else if (method != null && !sources.hasTest(type, method)) {
                problems.add("docs/guarantees.md names " + type + "." + method + ", but " + type + " has no test "
                        + method + "; rename it there too");
            }
        }
        assertThat(references).isGreaterThan(30);
        assertThat(String.join("\n", problems)).isEmpty();
    }

    @Test
    void whatIsPromisedFitsOnOneScreen() throws IOException {
        List<String> lines = Files.readAllLines(RepositorySources.ROOT.resolve("docs/guarantees.md"));

        assertThat(lines).contains("## What is promised", "## What weakens them", "## Proofs");
        assertThat(lines.indexOf("## What weakens them")).isLessThan(SCREEN);
    }

    @Test
    void theReadmeFitsOnTwoScreensAndBeginsWithTheKill() throws IOException {
        String readme = Files.readString(RepositorySources.ROOT.resolve("README.md"));

        assertThat(readme.lines()).hasSizeLessThanOrEqualTo(2 * SCREEN + 10);
        assertThat(readme).containsSubsequence("kill -9", "](docs/images/", "./tandem demo ", "```java", "## What it");
    }
}
