package dev.tandem.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.tandem.kit.MarkdownTable.Rule;
import java.util.List;
import org.junit.jupiter.api.Test;

class MarkdownTableTest {

    @Test
    void alignsItsColumns() {
        MarkdownTable table = new MarkdownTable(Rule.FULL, List.of("what", "n")).row(List.of("x", "1,000"));

        assertThat(table).hasToString("""
                | what | n     |
                | ---- | ----- |
                | x    | 1,000 |
                """);
    }

    @Test
    void canHaveAShortRule() {
        assertThat(new MarkdownTable(Rule.SHORT, List.of("what", "value"))).hasToString("""
                | what | value |
                | ---  | ---   |
                """);
    }

    @Test
    void refusesARowOfAnotherLength() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new MarkdownTable(Rule.FULL, List.of("what")).row(List.of("a", "b")));
    }
}
