package dev.tandem.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.server.inspect.UnavailableException;
import dev.tandem.task.store.PartitionReport;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MemoryReportsTest {

    private long now = Long.MAX_VALUE - 1;
    private final MemoryReports reports = new MemoryReports(this::ask, () -> now);
    private int asked;
    private boolean away;
    private Runnable meanwhile = () -> {};

    private Map<String, PartitionReport> ask(Views.Queue queue) {
        asked++;
        int answer = asked;
        meanwhile.run();
        if (away) {
            throw new UnavailableException("Too many ask");
        }
        return Map.of("0", new PartitionReport("0", "host-1", -1, answer, 0, 0, false, false, false, 0, true, ""));
    }

    private int shown(String queue) {
        PartitionReport report = reports.of(queue(queue)).get("0");
        return report == null ? -1 : report.matching();
    }

    private static Views.Queue queue(String name) {
        return new Views.Queue(
                name, "kafka", "key", "ok", null, null, null, null, null, null, null, null, null, null, null, null,
                null, null, null);
    }

    private void passes(Duration time) {
        now += time.toNanos();
    }

    @Test
    void theOwnersOfAQueueAreAskedEveryFiveSecondsAtMost() {
        assertThat(shown("orders")).isEqualTo(1);
        passes(Duration.ofMillis(4_999));
        assertThat(shown("orders")).isEqualTo(1);
        assertThat(shown("mail")).as("another queue").isEqualTo(2);
        passes(Duration.ofMillis(1));
        assertThat(shown("orders")).isEqualTo(3);
        assertThat(asked).isEqualTo(3);
    }

    @Test
    void whileOneAsksOthersGetTheFormerAnswerAndDoNotWait() {
        shown("orders");
        passes(Duration.ofSeconds(5));
        meanwhile = () -> {
            passes(Duration.ofMinutes(1));
            assertThat(shown("orders")).as("the former answer").isEqualTo(1);
        };
        assertThat(shown("orders")).isEqualTo(2);
        assertThat(asked).isEqualTo(2);
    }

    @Test
    void withoutAnAnswerNothingIsKnownUntilTheyAreAskedAgain() {
        shown("orders");
        away = true;
        passes(Duration.ofSeconds(5));
        assertThat(shown("orders")).isEqualTo(-1);
        away = false;
        assertThat(shown("orders")).isEqualTo(-1);
        passes(Duration.ofSeconds(5));
        assertThat(shown("orders")).isEqualTo(3);
    }
}
