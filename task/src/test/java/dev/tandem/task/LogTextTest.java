package dev.tandem.task;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LogTextTest {

    @Test
    void keepsPlainText() {
        assertThat(LogText.oneLine("customer-7 ä 漢 😀", 100)).isEqualTo("customer-7 ä 漢 😀");
    }

    @ParameterizedTest
    @ValueSource(strings = {"\n", "\r", "\u0000", "\u0085", "\u009b", "\u2028", "\u2029", "\u202e", "\u200b", "\ud800"})
    void replacesWhatCouldForgeALine(String hostile) {
        assertThat(LogText.oneLine("a" + hostile + "b", 100)).isEqualTo("a?b");
    }

    @Test
    void cutsLongTextAlsoInTheMiddleOfACharacter() {
        assertThat(LogText.oneLine("abcdef", 3)).isEqualTo("abc…");
        assertThat(LogText.oneLine("ab😀", 3)).isEqualTo("ab?…");
    }
}
