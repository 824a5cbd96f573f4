package dev.tandem.task;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/**
 * The diagram in {@code docs/state-machine.md} shows exactly the transitions of the code. After a change of the table,
 * {@code -Dtandem.docs.rewrite=true} writes the diagram anew.
 */
class StateDiagramTest {

    private static final Path PAGE = Path.of("..", "docs", "state-machine.md");
    private static final String BEGIN = "```mermaid\n";
    private static final String END = "```\n";

    @Test
    void thePageShowsTheTableOfTransitions() throws IOException {
        String page = Files.readString(PAGE);
        int begin = page.indexOf(BEGIN) + BEGIN.length();
        int end = page.indexOf(END, begin);
        if (Boolean.getBoolean("tandem.docs.rewrite")) {
            Files.writeString(PAGE, page.substring(0, begin) + diagram() + page.substring(end));
            return;
        }
        assertThat(page.substring(begin, end))
                .as("the diagram in %s; -Dtandem.docs.rewrite=true updates it", PAGE)
                .isEqualTo(diagram());
    }

    private static String diagram() {
        StringBuilder diagram = new StringBuilder("stateDiagram-v2\n    [*] --> delivered: published\n");
        for (TaskTransition transition : TaskTransition.ALL) {
            diagram.append("    %s --> %s: %s\n"
                    .formatted(name(transition.from()), name(transition.to()), transition.cause()));
        }
        return diagram.toString();
    }

    private static String name(TaskState state) {
        return state.name().toLowerCase(Locale.ROOT);
    }
}
