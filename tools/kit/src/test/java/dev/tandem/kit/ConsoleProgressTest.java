package dev.tandem.kit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ConsoleProgressTest {

    private final StringWriter out = new StringWriter();

    @Test
    void redrawsTheProgressInPlaceOnATerminal() {
        ConsoleProgress console = new ConsoleProgress(new PrintWriter(out), true, Duration.ZERO);

        console.progress("10 %");
        console.progress("100 %");
        console.line("done");

        assertThat(out.toString().replace("\r", "<")).isEqualTo("10 %<    <100 %<     <done" + System.lineSeparator());
    }

    @Test
    void printsTheProgressNowAndThenElsewhere() {
        ConsoleProgress console = new ConsoleProgress(new PrintWriter(out), false, Duration.ofHours(1));

        console.progress("10 %");
        console.progress("20 %");
        console.line("done");

        assertThat(out.toString().lines()).containsExactly("10 %", "done");
    }
}
