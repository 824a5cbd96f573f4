package dev.tandem.executor;

import static dev.tandem.executor.RunnerFixture.queue;
import static dev.tandem.executor.RunnerFixture.task;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.ordering.TestRuns;
import dev.tandem.task.Outcome;
import dev.tandem.task.Task;
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
        return run(keys, fails, task("pay", ""));
    }

    private Outcome run(boolean keys, boolean fails, Task task) {
        QueueSpec.Builder spec = queue().topic("orders")
                .interceptor(new TaskLogContext(keys))
                .action("pay", context -> {
                    seen.putAll(MDC.getCopyOfContextMap());
                    if (fails) {
                        throw new IllegalStateException("no");
                    }
                });
        return fixture.run(spec, TestRuns.of(task, 12));
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

    @Test
    void theTraceOfTheSubmissionIsNamed() {
        String trace = "0af7651916cd43dd8448eb211c80319c";

        run(true, false, task("pay", "").withHeaders(Map.of("traceparent", "00-" + trace + "-b7ad6b7169203331-01")));

        assertThat(seen).containsEntry("tandem.trace", trace);
        assertThat(MDC.get("tandem.trace")).isNull();
    }

    @Test
    void aTraceThatCannotBeReadIsLeftOut() {
        run(true, false, task("pay", "").withHeaders(Map.of("traceparent", "00-1-2-01")));

        assertThat(seen).containsKey("tandem.task").doesNotContainKey("tandem.trace");
    }
}
