package dev.tandem.server.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** A payload is put into a form only if a browser sends back what it got. */
class EditControllerTest {

    private static String text(String payload) {
        return EditController.text(payload.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void onlyTextThatStaysAsItIsComesIntoTheForm() {
        assertThat(text("\n{\"n\": 1}\n")).isEqualTo("\n{\"n\": 1}\n");
        assertThat(text("")).isEmpty();
        assertThat(text("one\r\ntwo")).isNull();
        assertThat(text("zero \0")).isNull();
        assertThat(text("x".repeat(262_145))).isNull();
        assertThat(EditController.text(new byte[] {(byte) 0xff})).isNull();
    }
}
