package dev.tandem.executor;

import static dev.tandem.executor.RunnerFixture.queue;
import static dev.tandem.executor.RunnerFixture.task;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.api.Result;
import dev.tandem.ordering.Run;
import dev.tandem.ordering.TestRuns;
import dev.tandem.task.Outcome;
import dev.tandem.task.QueuePolicy;
import dev.tandem.task.Task;
import dev.tandem.task.TaskHeaders;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tasks whose time is over. */
class ExpirationTest {

    private final RunnerFixture fixture = new RunnerFixture();
    private final ManualClock clock = fixture.clock;
    private final AtomicInteger calls = new AtomicInteger();

    private Task expiringIn(long millis) {
        return task("pay", "").withHeaders(Map.of(TaskHeaders.EXPIRES_AT, Long.toString(clock.wallMillis() + millis)));
    }

    private Outcome run(Task task, Result result) {
        return fixture.run(
                queue().handler("pay", context -> {
                    calls.incrementAndGet();
                    return result;
                }),
                TestRuns.of(task, 12));
    }

    @Test
    void aHandlerDoesNotBeginOnceTheTimeOfItsTaskIsOver() {
        assertThat(run(expiringIn(0), Result.done())).isEqualTo(new Outcome.Expired(null));
        assertThat(run(expiringIn(-1), Result.done())).isEqualTo(new Outcome.Expired(null));
        assertThat(calls).hasValue(0);
        assertThat(fixture.counters.expired.sum()).isEqualTo(2);
        assertThat(run(expiringIn(1), Result.done())).isEqualTo(Outcome.Succeeded.INSTANCE);
    }

    @Test
    void itIsKeptWhenATaskExpired() {
        Run run = TestRuns.of(expiringIn(0), 12);
        fixture.run(queue().action("pay", task -> {}), run);
        assertThat(run.startedAt()).isEqualTo(clock.wallMillis());
    }

    @Test
    void aHandlerThatHasBegunIsNotInterrupted() {
        Outcome ended =
                fixture.run(queue().action("pay", context -> clock.advance(1_000)), TestRuns.of(expiringIn(500), 12));
        assertThat(ended).isEqualTo(Outcome.Succeeded.INSTANCE);
    }

    @Test
    void aTaskExpiresAtOnceIfItsNextAttemptWouldBeginTooLate() {
        Duration second = Duration.ofSeconds(1);
        assertThat(run(expiringIn(1_001), Result.again(second, "busy"))).isEqualTo(new Outcome.Retry(1_000, "busy"));
        assertThat(run(expiringIn(1_000), Result.again(second, "busy"))).isEqualTo(new Outcome.Expired("busy"));
        assertThat(run(expiringIn(1_001), Result.snooze(second))).isEqualTo(new Outcome.Snoozed(1_000));
        assertThat(run(expiringIn(1_000), Result.snooze(second))).isInstanceOf(Outcome.Expired.class);
        assertThat(run(expiringIn(1_000), Result.dead("no"))).isEqualTo(new Outcome.Dead("no"));
    }

    @Test
    void theTtlOfTheQueueCountsFromWhenATaskIsDueUnlessItNamesItsOwnTime() {
        Expiration hour = new Expiration(3_600_000);
        Task plain = task("pay", "");
        assertThat(hour.of(plain.withPublishedAt(1_000))).isEqualTo(3_601_000);
        assertThat(hour.of(plain.withPublishedAt(1_000).withNotBefore(5_000))).isEqualTo(3_605_000);
        assertThat(hour.of(plain.withPublishedAt(0))).isEqualTo(Expiration.NEVER);
        assertThat(hour.of(plain.withPublishedAt(1_000).withHeaders(Map.of(TaskHeaders.EXPIRES_AT, "9999999"))))
                .isEqualTo(9_999_999);
        assertThat(new Expiration(0).of(plain.withPublishedAt(1_000))).isEqualTo(Expiration.NEVER);
    }

    @Test
    void theRunnerKnowsTheTtlOfItsQueue() {
        Task old = task("pay", "").withPublishedAt(clock.wallMillis() - 1_000);
        QueueSpec.Builder spec =
                queue().policy(QueuePolicy.ordered(1).withTtl(1_000)).action("pay", context -> calls.incrementAndGet());
        assertThat(fixture.run(spec, TestRuns.of(old, 1))).isEqualTo(new Outcome.Expired(null));
        assertThat(calls).hasValue(0);
    }
}
