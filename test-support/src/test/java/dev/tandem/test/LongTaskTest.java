package dev.tandem.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.api.Handler;
import dev.tandem.api.HandlerOptions;
import dev.tandem.api.Result;
import dev.tandem.api.SnoozeError;
import dev.tandem.api.TaskContext;
import dev.tandem.api.TaskRequest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** Tests of handlers with checkpoints, progress, log lines and snoozes. */
class LongTaskTest {

    record Place(int page) {}

    private final List<String> ran = new CopyOnWriteArrayList<>();

    private TestTandem start() {
        return TestTandem.start(TestTandem.program().queue("imports").handler("import", String.class, this::run));
    }

    private void run(String file, TaskContext task) {
        int page = task.checkpoint(Place.class).map(Place::page).orElse(0);
        ran.add(file + " " + page + " attempt " + task.attempt());
        task.progress(page, 2);
        task.log("page " + page);
        if (page == 1 && task.attempt() == 1) {
            throw new IllegalStateException("fails once");
        } else if (page < 2) {
            task.checkpoint(new Place(page + 1));
            task.snooze(Duration.ofHours(1));
        }
    }

    @Test
    void aLoopOfSnoozesGoesOnFromItsCheckpointWhileItsKeyWaits() {
        try (TestTandem tandem = start()) {
            for (String file : List.of("a", "b")) {
                tandem.client().submit(TaskRequest.of("imports", "import", file).withKey("k"));
            }

            tandem.assertThat("import").isWaiting();
            tandem.assertThat("import")
                    .withPayload("a")
                    .progress(0, 2)
                    .logged("page 0")
                    .checkpoint(new Place(1));
            tandem.assertThat("import").withPayload("b").attempts(0).noCheckpoint();

            tandem.advance("5h");
            tandem.assertThat("import").succeeded().progress(2, 2).checkpoint(new Place(2));
            assertThat(ran)
                    .containsExactly(
                            "a 0 attempt 1",
                            "a 1 attempt 1",
                            "a 1 attempt 2",
                            "a 2 attempt 2",
                            "b 0 attempt 1",
                            "b 1 attempt 1",
                            "b 1 attempt 2",
                            "b 2 attempt 2");
            assertThat(tandem.tasks("import").get(0).log()).containsExactly("page 0", "page 1", "page 1", "page 2");
        }
    }

    @Test
    void anAssertionThatFailsShowsProgressAndLines() {
        try (TestTandem tandem = start()) {
            tandem.client().submit(TaskRequest.of("imports", "import", "a"));

            assertThatThrownBy(() -> tandem.assertThat("import").progress(2, 2))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("the progress 2 of 2")
                    .hasMessageContaining("progress 0 of 2")
                    .hasMessageContaining("logged: page 0")
                    .hasMessageContaining("asked to run again in PT1H");
        }
    }

    /** An exception that is thrown at a bad moment. */
    private static final class TooEarly extends RuntimeException implements SnoozeError {
        @Override
        public Duration delay() {
            return Duration.ofSeconds(2);
        }
    }

    @Test
    void anExceptionThatSnoozesLeavesTheOnlyAttemptToTheNextRun() {
        List<String> runs = new CopyOnWriteArrayList<>();
        Handler handler = task -> {
            runs.add("attempt " + task.attempt() + ", final " + task.isFinal(new TooEarly()));
            if (runs.size() < 3) {
                throw new TooEarly();
            }
            return Result.done();
        };
        try (TestTandem tandem = TestTandem.start(TestTandem.program()
                .queue("imports")
                .handler("once", handler, HandlerOptions.NONE.withMaxAttempts(1)))) {
            tandem.client().submit(TaskRequest.of("imports", "once", "a").withKey("k"));
            tandem.advance(Duration.ofSeconds(10));

            assertThat(runs)
                    .containsExactly("attempt 1, final false", "attempt 1, final false", "attempt 1, final false");
            tandem.assertThat("once").succeeded();
        }
    }
}
