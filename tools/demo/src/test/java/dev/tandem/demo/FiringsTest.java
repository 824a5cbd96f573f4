package dev.tandem.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.demo.DemoCheck.Published;
import dev.tandem.demo.DemoEvent.Kind;
import dev.tandem.kit.JsonLinesLog;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that the check of the demo demands the task of each instant. */
class FiringsTest {

    private static final long TEN = Instant.parse("2026-11-29T10:00:00Z").toEpochMilli() * 1_000;

    @Test
    void allInstantsFromTheFirstThatRanToTheLastOneDueAreExpected() {
        Set<String> ran = Set.of(
                "sales-report@2026-11-29T10:00:05Z",
                "sales-report@2026-11-29T10:00:20Z",
                "stock-report@2026-11-29T10:00:15Z",
                "tax-report@2026-11-29T10:00:10Z",
                "order-7-paid");

        List<Published> expected = Firings.expected(ran, TEN, TEN + 17_000_000);

        assertThat(expected)
                .extracting(each -> each.task().id())
                .containsExactly(
                        "sales-report@2026-11-29T10:00:05Z",
                        "sales-report@2026-11-29T10:00:10Z",
                        "sales-report@2026-11-29T10:00:15Z",
                        "stock-report@2026-11-29T10:00:15Z",
                        "tax-report@2026-11-29T10:00:10Z",
                        "tax-report@2026-11-29T10:00:15Z");
        assertThat(expected.get(0).publishedMicros()).isEqualTo(TEN + 5_000_000);
    }

    @Test
    void scheduleThatNeverFiredIsMissed() {
        assertThat(Firings.expected(Set.of("tax-report@2026-11-29T10:00:00Z"), TEN, TEN + 1))
                .extracting(each -> each.task().id())
                .containsExactly(
                        "sales-report@2026-11-29T10:00:00Z",
                        "stock-report@2026-11-29T10:00:00Z",
                        "tax-report@2026-11-29T10:00:00Z");
    }

    @Test
    void instantsBeforeTheRunAndThoseThatAnOperatorFiredDoNotCount() {
        Set<String> ran = Set.of(
                "tax-report@2026-11-29T09:59:55Z",
                "tax-report@2026-11-29T10:00:01.234Z",
                "tax-report@2026-11-29T10:00:05Z");

        assertThat(Firings.expected(ran, TEN, TEN + 5_000_000))
                .extracting(each -> each.task().id())
                .filteredOn(id -> id.startsWith("tax-report"))
                .containsExactly("tax-report@2026-11-29T10:00:05Z");
    }

    @Test
    void scheduledTasksAreNoneOfThePublishedOnes(@TempDir Path folder) {
        Path file = folder.resolve("executor.events");
        EventTail tail = new EventTail();
        tail.follow("one", file);
        String firing = "tax-report@2026-11-29T10:00:05Z";
        try (JsonLinesLog<DemoEvent> log = new JsonLinesLog<>(file)) {
            log.write(new DemoEvent(Kind.START, 10, firing, 1, 1));
            log.write(new DemoEvent(Kind.SUCCESS, 20, firing, 1, 1));
        }

        assertThat(tail.read())
                .as("new events, without those that come for ever")
                .isZero();
        assertThat(tail.finished()).isEmpty();
        assertThat(tail.finishedFirings()).containsExactly(firing);
        assertThat(tail.started()).containsExactly(firing);
    }
}
