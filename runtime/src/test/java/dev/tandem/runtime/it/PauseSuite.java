package dev.tandem.runtime.it;

import static dev.tandem.testkit.Brokers.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.api.TaskContext;
import dev.tandem.api.TaskRequest;
import dev.tandem.runtime.Tandem;
import dev.tandem.scheduler.RedisStore;
import dev.tandem.task.TaskState;
import dev.tandem.task.store.PausedTasks;
import dev.tandem.testkit.UniqueNames;
import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Types and keys that operators pause, over one kind of broker. */
@Execution(ExecutionMode.CONCURRENT)
abstract class PauseSuite {

    private final String queue = UniqueNames.fresh("paused");
    private final Queue<String> ran = new ConcurrentLinkedQueue<>();
    private final RedisStore store = SuiteRedis.of(source()).open();

    /** Returns where the broker is: the setting's name and its value. */
    abstract Map.Entry<String, String> broker();

    /** Returns {@code kafka} or {@code rabbit}. */
    abstract String source();

    @AfterEach
    void close() {
        store.close();
    }

    private Tandem start() {
        Tandem tandem = SuiteRedis.of(source())
                .addTo(Tandem.builder())
                .setting(broker().getKey(), broker().getValue())
                .queue(queue)
                .setting("source", source())
                .setting("ordering", "key")
                .setting("partitions", "2")
                .handler("ship", Ship.class, this::ran)
                .handler("mail", Ship.class, this::ran)
                .start();
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(tandem.status().problems()).isEmpty());
        return tandem;
    }

    private void ran(Ship ship, TaskContext task) {
        ran.add(task.type() + " " + task.key() + " " + ship.items() + " attempt " + task.attempt());
    }

    private void submit(Tandem tandem, String type, String key, int number) {
        // The executor creates the topic.
        await().atMost(PATIENCE)
                .ignoreExceptions()
                .until(() -> tandem.client()
                        .submit(TaskRequest.of(queue, type, new Ship("o", number))
                                .withKey(key))
                        .await(Duration.ofSeconds(10))
                        .queue()
                        .equals(queue));
    }

    @Test
    void pausedTypeBlocksItsKeysInOrderAcrossARestartAndComesBackAtItsResumption() {
        store.admin().pause(queue, PausedTasks.ofType("mail")).join();
        store.admin().pause(queue, PausedTasks.ofKey("held")).join();
        try (Tandem first = start()) {
            submit(first, "mail", "a", 1);
            submit(first, "ship", "a", 2);
            submit(first, "ship", "b", 3);
            submit(first, "ship", "held", 4);
            await().atMost(PATIENCE).until(() -> ran.size() == 1);
            // The paused ones are in Redis, and those behind them.
            await().atMost(PATIENCE)
                    .until(() -> store.inspector().counts(queue).join().stream()
                                    .mapToLong(view -> view.tasks().getOrDefault(TaskState.RETRY, 0L)
                                            + view.tasks().getOrDefault(TaskState.PARKED, 0L))
                                    .sum()
                            == 3);
        }
        try (Tandem second = start()) {
            submit(second, "ship", "c", 5);
            await().atMost(PATIENCE).until(() -> ran.size() == 2);
            assertThat(ran).containsExactly("ship b 3 attempt 1", "ship c 5 attempt 1");

            store.admin().resume(queue, PausedTasks.ofType("mail"), null).join();
            await().atMost(PATIENCE).until(() -> ran.size() == 4);
            assertThat(ran).endsWith("mail a 1 attempt 1", "ship a 2 attempt 1");

            store.admin().resume(queue, PausedTasks.ofKey("held"), null).join();
            await().atMost(PATIENCE).until(() -> ran.size() == 5);
            assertThat(ran).endsWith("ship held 4 attempt 1");
        }
        assertThat(store.inspector().pausedTasks(queue).join()).isEqualTo(PausedTasks.NONE);
    }
}
