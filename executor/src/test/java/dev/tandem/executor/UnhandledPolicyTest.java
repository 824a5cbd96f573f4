package dev.tandem.executor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import dev.tandem.task.Outcome;
import dev.tandem.task.Task;
import dev.tandem.task.UnhandledSince;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class UnhandledPolicyTest {

    private static final long NOW = 1_700_000_000_000L;
    private static final UnhandledPolicy MINUTE = new UnhandledPolicy(Duration.ofMinutes(1), true);

    private static Task task() {
        return RunnerFixture.task("refund", "");
    }

    @Test
    void theFirstTryIsKeptAndEndsWithTheGrace() {
        List<Long> delays = new ArrayList<>();
        Task task = task();
        long now = NOW;
        Outcome outcome = MINUTE.decide(task, "no handler", now, false);
        while (outcome instanceof Outcome.Unhandled unhandled) {
            assertThat(unhandled.since()).isEqualTo(NOW);
            delays.add(unhandled.delayMillis());
            task = UnhandledSince.with(task, unhandled.since(), unhandled.nextTry());
            now += unhandled.delayMillis();
            outcome = MINUTE.decide(task, "no handler", now, false);
        }

        assertThat(now - NOW).isEqualTo(60_000);
        assertThat(delays).containsExactly(1_000L, 1_000L, 2_000L, 4_000L, 8_000L, 16_000L, 28_000L);
        assertThat(outcome)
                .asInstanceOf(type(Outcome.Dead.class))
                .satisfies(dead ->
                        assertThat(dead.error()).startsWith("no handler").contains("unknown-type-grace"));
    }

    @Test
    void theTimeInWhichNobodyTriedDoesNotUseUpTheGrace() {
        Outcome first = MINUTE.decide(task(), "no handler", NOW, false);
        assertThat(first).isEqualTo(new Outcome.Unhandled(NOW, 1_000, NOW + 1_000, until(NOW)));
        Task waits = UnhandledSince.with(task(), NOW, NOW + 1_000);

        long pause = 1_200_000;
        Outcome afterThePause = MINUTE.decide(waits, "no handler", NOW + 1_000 + pause, false);
        assertThat(afterThePause)
                .isEqualTo(new Outcome.Unhandled(NOW + pause, 1_000, NOW + pause + 2_000, until(NOW + pause)));

        assertThat(MINUTE.decide(waits, "no handler", NOW + 21_000, false))
                .as("busy workers are no pause")
                .asInstanceOf(type(Outcome.Unhandled.class))
                .satisfies(unhandled -> assertThat(unhandled.since()).isEqualTo(NOW));
    }

    private static String until(long since) {
        return "no handler. It is tried again by itself until "
                + Instant.ofEpochMilli(since + 60_000).truncatedTo(ChronoUnit.SECONDS);
    }

    @Test
    void withoutAGraceTheTaskIsDeadAtOnce() {
        assertThat(new UnhandledPolicy(Duration.ZERO, true).decide(task(), "no handler", NOW, true))
                .isEqualTo(new Outcome.Dead("no handler"));
    }

    @Test
    void theTaskOutlivesTheGraceIfThisExecutorIsAboutToLeaveItToOneThatHasTheHandler() {
        Task old = UnhandledSince.with(task(), NOW - 90_000, NOW);

        assertThat(MINUTE.decide(old, "no handler", NOW, true))
                .asInstanceOf(type(Outcome.Unhandled.class))
                .satisfies(unhandled -> {
                    assertThat(unhandled.since()).isEqualTo(NOW - 90_000);
                    assertThat(unhandled.error()).contains("another executor has the handler");
                });
        assertThat(MINUTE.decide(old, "no handler", NOW, false)).isInstanceOf(Outcome.Dead.class);
        assertThat(MINUTE.decide(
                        UnhandledSince.with(old, NOW - 90_000, NOW + 90_000), "no handler", NOW + 90_000, true))
                .as("it did not leave")
                .isInstanceOf(Outcome.Dead.class);
    }

    @Test
    void aFirstTryInTheFutureCountsAsNow() {
        Task ahead = UnhandledSince.with(task(), NOW + 3_600_000, UnhandledSince.NEVER);

        assertThat(MINUTE.decide(ahead, "no handler", NOW, false))
                .isEqualTo(new Outcome.Unhandled(
                        NOW, 1_000, NOW + 1_000, "no handler. It is tried again by itself until 2023-11-14T22:14:20Z"));
    }
}
