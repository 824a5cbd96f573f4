package dev.tandem.runtime.settings;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SettingProblemTest {

    private static final String SECRET = "tandem.kafka.sasl-password";

    @Test
    void aProblemIsASentence() {
        assertThat(SettingProblem.ofValue("a.b", "x", "it must be y")).hasToString("a.b is 'x': it must be y");
        assertThat(SettingProblem.ofValue("a.b", "", "it must be y")).hasToString("a.b is empty: it must be y");
        assertThat(SettingProblem.ofValue("a.b", null, "set it")).hasToString("a.b is not set: set it");
        assertThat(SettingProblem.of("a.b", "is set", "leave it out")).hasToString("a.b is set: leave it out");
    }

    @Test
    void secretsAreHidden() {
        assertThat(SettingProblem.ofValue(SECRET, "hunter2", "r")).hasToString(SECRET + " is '***': r");
        assertThat(SettingProblem.ofValue("a.b", "amqp://me:hunter2@host", "r"))
                .hasToString("a.b is 'amqp://me:***@host': r");
        assertThat(SettingProblem.ofValue("a.b", "hunter2", "r").withGuess(SECRET))
                .hasToString("a.b is '***': r");
    }

    @Test
    void aHiddenValueStaysHidden() {
        assertThat(SettingProblem.ofHidden("a.b", "r").withValue("hunter2")).hasToString("a.b is '***': r");
        assertThat(SettingProblem.ofValue("a.b", "x", "r").withGuess(SECRET).withValue("hunter2"))
                .hasToString("a.b is '***': r");
    }

    /** The texts of values do not decide. */
    @Test
    void onlyAValueThatIsMissingIsMissing() {
        assertThat(SettingProblem.ofValue("a.b", null, "r").isOfMissing()).isTrue();
        assertThat(SettingProblem.of("a.b", "is not set", "r").isOfMissing()).isFalse();
        assertThat(SettingProblem.ofValue("a.b", "***", "r").withValue("x")).hasToString("a.b is 'x': r");
    }
}
