package dev.tandem.runtime.schedules;

import static dev.tandem.runtime.schedules.ScheduleFixtures.at;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.api.Misfire;
import dev.tandem.api.Overlap;
import dev.tandem.api.TaskClient;
import dev.tandem.api.TaskRef;
import dev.tandem.api.TaskRequest;
import dev.tandem.scheduler.DedupKeyView.Bearer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How firings submit their tasks, and what is known of the tasks of earlier ones. */
class TaskEffectsTest {

    private static final long INSTANT = at("2026-11-23T10:00:00Z");

    private final CountDownLatch blocked = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);
    private final CountDownLatch submitted = new CountDownLatch(1);

    /** A client whose broker is away for one of its queues. */
    private final TaskClient client = new TaskClient() {
        @Override
        public <T> TaskRef<T> submit(TaskRequest<T> task) {
            if (task.queue().equals("away")) {
                blocked.countDown();
                try {
                    goOn.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            } else {
                submitted.countDown();
            }
            throw new IllegalStateException("This client has no broker");
        }

        @Override
        public List<TaskRef<?>> submitAll(List<? extends TaskRequest<?>> tasks) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void close() {}
    };

    private static Schedule of(String queue) {
        return new Schedule(
                "a-schedule",
                queue,
                null,
                null,
                "",
                new Timing.Every(Duration.ofMinutes(1)),
                Misfire.ONE,
                Duration.ofMinutes(1),
                1,
                Overlap.ALLOW,
                Duration.ZERO);
    }

    @Test
    @SuppressWarnings("NullAway") // Nothing is looked up here.
    void aBrokerThatIsAwayDoesNotKeepSchedulesOfOtherQueuesFromFiring() throws Exception {
        try (TaskEffects effects = new TaskEffects(client, null)) {
            CompletionStage<?> waits = effects.submit(of("away"), INSTANT);
            assertThat(blocked.await(30, TimeUnit.SECONDS)).isTrue();

            CompletionStage<?> other = effects.submit(of("reports"), INSTANT);

            assertThat(submitted.await(30, TimeUnit.SECONDS)).isTrue();
            assertThat(waits.toCompletableFuture()).isNotDone();
            assertThat(other.toCompletableFuture()).failsWithin(Duration.ofSeconds(30));
            goOn.countDown();
        }
    }

    @ParameterizedTest
    @CsvSource({"WAITS, ALIVE", "BEGUN, ALIVE", "DONE, ENDED", "FAILED, ENDED"})
    void aTaskEndsAsItsDeduplicationKeySays(Bearer bearer, TaskEnd end) {
        assertThat(EarlierTasks.end(bearer)).isEqualTo(end);
    }
}
