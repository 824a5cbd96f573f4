package dev.tandem.task;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** All tests to which {@code docs/guarantees.md} refers exist in some module. */
class GuaranteesPageTest {

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
}
