package dev.tandem.runtime.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.runtime.settings.CommandTemplate.Literal;
import dev.tandem.runtime.settings.CommandTemplate.OfPayload;
import dev.tandem.runtime.settings.CommandTemplate.OfTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Arguments of programs with values of the task. */
class CommandTemplateTest {

    @Test
    void anArgumentHasTextAndValues() {
        CommandTemplate template = CommandTemplate.parse("--in={/a~1b/0}-{task.id}{{x}}");
        assertThat(template.parts())
                .containsExactly(
                        new Literal("--in="),
                        new OfPayload("/a~1b/0"),
                        new Literal("-"),
                        OfTask.ID,
                        new Literal("{"),
                        new Literal("x"),
                        new Literal("}"));
        assertThat(template.beginsWithValue()).isFalse();
        assertThat(template.needsPayload()).isTrue();
        assertThat(CommandTemplate.parse("").parts()).isEmpty();
    }

    @Test
    void aValueAtTheBeginningCouldBeAnOption() {
        assertThat(CommandTemplate.parse("{/file}").beginsWithValue()).isTrue();
        assertThat(CommandTemplate.parse("{task.attempt}").beginsWithValue()).isTrue();
        assertThat(CommandTemplate.parse("{task.attempt}").needsPayload()).isFalse();
        assertThat(CommandTemplate.parse("{{/file}}").beginsWithValue()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"{file}", "{/a", "a}", "{task.token}", "{}", "{/a~2}"})
    void whatIsNoValueIsRefused(String text) {
        assertThatThrownBy(() -> CommandTemplate.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("write a brace as {{ or }}");
    }
}
