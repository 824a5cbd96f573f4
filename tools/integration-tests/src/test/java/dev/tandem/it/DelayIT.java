package dev.tandem.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Delayed tasks start when they are due, never earlier. */
class DelayIT {

    @Test
    void delayedTasksStartWhenTheyAreDueAndDelayNoOthers() {
        try (KafkaTestQueue topic = new KafkaTestQueue("delayed", 4);
                TestWorker worker = new TestWorker(topic.worker())) {
            topic.send("warm-up", 0, "ok");
            topic.awaitAllSucceeded();
            Map<String, Long> due = new HashMap<>();
            // Headers use wall-clock time and the journal uses nanoTime. Their offset is measured once.
            long offset = System.nanoTime() - System.currentTimeMillis() * 1_000_000;
            for (int number = 0; number < 500; number++) {
                long at = System.currentTimeMillis() + 1_000 + (number * 7_919L) % 3_000;
                String key = "d" + number;
                due.put(key + "-0", at);
                topic.send(key, 0, "ok", KafkaTestQueue.header("tandem-not-before", Long.toString(at)));
            }
            topic.send("far", ScriptedHandler.payload("far-0", "ok"), KafkaTestQueue.header("tandem-delay", "PT1H"));
            topic.send("far", 2, "ok");

            topic.awaitAllSucceeded();
            topic.awaitAllCommitted();
            RunHistory history = topic.history();
            List<Long> lateness = new ArrayList<>();
            for (RunHistory.Run run : history.runs()) {
                Long at = due.get(run.id());
                if (at != null) {
                    lateness.add((run.start() - offset) / 1_000 - at * 1_000);
                }
            }
            lateness.sort(null);
            System.out.printf(
                    "lateness of %d delayed tasks: p50 %.1f ms, p99 %.1f ms, max %.1f ms%n",
                    lateness.size(),
                    lateness.get(lateness.size() / 2) / 1e3,
                    lateness.get(lateness.size() * 99 / 100) / 1e3,
                    lateness.get(lateness.size() - 1) / 1e3);
            // 1 ms: the two clocks are read one after the other.
            assertThat(lateness.get(0)).as("never before it is due").isGreaterThan(-1_000);
            assertThat(lateness).hasSize(500);
            // Generous, so that a slow machine passes. The benchmark checks the real budget.
            assertThat(lateness.get(lateness.size() / 2)).as("half of them").isLessThan(5_000_000);
            assertThat(history.runsOf("far-0")).as("not due").isEmpty();
            assertThat(history.runsOf("far-2"))
                    .as("a task that is due overtakes one of its key that is not, and its offset is committed")
                    .hasSize(1);
            assertThat(worker.status().healthy()).isTrue();
        }
    }
}
