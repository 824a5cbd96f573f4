package dev.tandem.executor;

import static dev.tandem.executor.RunnerFixture.queue;
import static dev.tandem.executor.RunnerFixture.task;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.ordering.TestRuns;
import dev.tandem.task.Outcome;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

class TaskLogContextTest {

    private final RunnerFixture fixture = new RunnerFixture();
    private final Map<String, String> seen = new HashMap<>();

    @AfterEach
    void clear() {
        MDC.clear();
    }

    private Outcome run(boolean keys, boolean fails) {
        QueueSpec.Builder spec = queue().topic("orders")
                .interceptor(new TaskLogContext(keys))
                .action("pay", task -> {
                    seen.putAll(MDC.getCopyOfContextMap());
                    if (fails) {
                        throw new IllegalStateException("no");
                    }
                });
        return fixture.run(spec, TestRuns.of(task("pay", ""), 12));
    }

    @Test
    void aHandlersLogLinesNameItsTask() {
        MDC.put("user", "own");

        assertThat(run(true, false)).isEqualTo(Outcome.Succeeded.INSTANCE);

        assertThat(seen)
                .containsEntry("user", "own")
                .containsEntry("tandem.queue", "orders")
                .containsEntry("tandem.task", "orders:0:12")
                .containsEntry("tandem.type", "pay")
                .containsEntry("tandem.attempt", "1")
                .containsEntry("tandem.key", "k");
        assertThat(MDC.getCopyOfContextMap()).containsOnlyKeys("user");
    }

    @Test
    void aFailedAttemptLeavesNothingBehindAndKeysAreNamedOnlyIfTheyMayBe() {
        assertThat(run(false, true)).isInstanceOf(Outcome.Retry.class);

        assertThat(seen).containsKey("tandem.task").doesNotContainKey("tandem.key");
        assertThat(MDC.get("tandem.task")).isNull();
        assertThat(MDC.get("tandem.attempt")).isNull();
    }
}
