package dev.tandem.task;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** All types and methods that {@code docs/architecture.md} names exist in some module. */
class ArchitecturePageTest {

    /** A type, which has a small letter (constants have none), perhaps with its folder and a method or nested type. */
    private static final Pattern REFERENCE =
            Pattern.compile("`(?:[\\w-]+/)*([A-Z]\\w*[a-z]\\w*)(?:\\.(\\w+))?(?:\\(\\))?`");

    @Test
    void theTypesAndMethodsThatThePageNamesExist() throws IOException {
        RepositorySources sources = RepositorySources.read();
        Matcher reference = REFERENCE.matcher(Files.readString(RepositorySources.ROOT.resolve("docs/architecture.md")));
        List<String> problems = new ArrayList<>();
        int references = 0;
        while (reference.find()) {
            references++;
            String type = reference.group(1);
            String member = reference.group(2);
            if (!sources.hasType(type)) {
                problems.add("docs/architecture.md names " + type + ", but no module has it; rename it there too");
            } else if (member != null && !sources.hasMember(type, member)) {
                problems.add("docs/architecture.md names " + type + "." + member + ", but " + type + " has no " + member
                        + "; rename it there too");
            }
        }
        assertThat(references).isGreaterThan(50);
        assertThat(String.join("\n", problems)).isEmpty();
    }
}
