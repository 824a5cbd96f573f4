package dev.tandem.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** How far bulk work is, for people, for logs and for programs. */
class ProgressTest {

    private final StringWriter err = new StringWriter();
    private long now;

    @Command
    static final class Bulk {
        @Mixin
        private final ServerOptions server = new ServerOptions();
    }

    private Progress progress(boolean person, String... options) {
        Bulk bulk = new Bulk();
        new CommandLine(bulk).setErr(new PrintWriter(err, true)).parseArgs(options);
        return new Progress(bulk.server, person, () -> now);
    }

    @ParameterizedTest
    @CsvSource({"0, 0, 0", "0, 10, 0", "5, 10, 20", "10, 10, 40", "12, 10, 40"})
    void theBarIsFullAtTheEnd(long done, long total, int full) {
        assertThat(Progress.bar(done, total))
                .hasSize(42)
                .startsWith("[" + "#".repeat(full))
                .doesNotContain("#".repeat(full + 1));
    }

    @Test
    void aPersonSeesABarThatGoesAway() {
        Progress progress = progress(true);
        progress.show(1, 2, "1 of 2 tasks");
        progress.end();
        assertThat(err.toString())
                .contains("\r\033[K[####")
                .contains("1 of 2 tasks")
                .endsWith("\r\033[K");
    }

    @Test
    void aLogGetsALineNowAndThen() {
        Progress progress = progress(false);
        progress.show(1, 9, "1 of 9");
        now += TimeUnit.SECONDS.toNanos(11);
        progress.show(2, 9, "2 of 9");
        progress.show(3, 9, "3 of 9");
        progress.end();
        assertThat(err.toString()).isEqualTo("2 of 9\n");
    }

    @Test
    void programsGetTheAnswerOnly() {
        Progress progress = progress(true, "-o", "yaml");
        progress.show(1, 2, "1 of 2");
        progress.end();
        assertThat(err.toString()).isEmpty();
    }
}
