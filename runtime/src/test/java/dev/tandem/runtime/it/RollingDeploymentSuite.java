package dev.tandem.runtime.it;

import static dev.tandem.testkit.Brokers.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.api.TaskContext;
import dev.tandem.runtime.QueueBuilder;
import dev.tandem.runtime.Tandem;
import dev.tandem.runtime.TandemBuilder;
import dev.tandem.runtime.TandemStatus.QueueState;
import dev.tandem.runtime.queues.RoutingPublisher;
import dev.tandem.runtime.settings.SettingsLoader;
import dev.tandem.scheduler.RedisSettings;
import dev.tandem.scheduler.RedisStore;
import dev.tandem.scheduler.TaskView;
import dev.tandem.task.Envelope;
import dev.tandem.task.Publisher;
import dev.tandem.task.Task;
import dev.tandem.task.TaskState;
import dev.tandem.task.UnhandledSince;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;

/** Two versions of a program, of which the older one lacks a handler, over one kind of broker. */
abstract class RollingDeploymentSuite {

    private static final int KEYS = 12;

    private final String queue = UniqueNames.fresh("deployed");
    private final List<String> ran = new CopyOnWriteArrayList<>();

    /** Returns where the broker is: the setting's name and its value. */
    abstract Map.Entry<String, String> broker();

    /** Returns {@code kafka} or {@code rabbit}. */
    abstract String source();

    private Map<String, Object> settings(int partitions, String grace) {
        String settings = "tandem.queues." + queue + ".";
        return Map.of(
                broker().getKey(),
                broker().getValue(),
                "tandem.redis.uri",
                Brokers.redis().uri(),
                settings + "source",
                source(),
                settings + "ordering",
                "key",
                settings + "partitions",
                Integer.toString(partitions),
                settings + "handlers-mismatch",
                "refuse",
                settings + "unknown-type-grace",
                grace);
    }

    private QueueBuilder program(Map<String, Object> settings) {
        TandemBuilder builder = Tandem.builder();
        settings.forEach((name, value) -> builder.setting(name, value.toString()));
        return builder.queue(queue).handler("ship", byte[].class, (payload, task) -> ran(task));
    }

    private Tandem oldVersion(Map<String, Object> settings) {
        return program(settings).start();
    }

    private Tandem newVersion(Map<String, Object> settings) {
        return program(settings)
                .handler("refund", byte[].class, (payload, task) -> ran(task))
                .start();
    }

    private void ran(TaskContext task) {
        ran.add(task.key() + " " + task.type() + " " + task.attempt());
    }

    private Publisher publisher(Map<String, Object> settings) {
        StandardEnvironment environment = new StandardEnvironment();
        environment.getPropertySources().addFirst(new MapPropertySource("test", settings));
        return new RoutingPublisher(SettingsLoader.load(environment));
    }

    private void publish(Publisher publisher, String type, String key) {
        byte[] payload = type.getBytes(StandardCharsets.UTF_8);
        Task task = new Task(type + "-" + key, queue, type, key, payload, Map.of(), 0, 0, 0, 0, null);
        await("publication of " + task.id())
                .atMost(PATIENCE)
                .ignoreExceptions()
                .until(() -> publisher.publish(task).toCompletableFuture().get(10, TimeUnit.SECONDS) != null);
    }

    private static QueueState state(Tandem tandem) {
        return tandem.status().queues().get(0);
    }

    private static void awaitHealthy(Tandem tandem) {
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(tandem.status().problems()).isEmpty());
    }

    private void awaitRan(String... runs) {
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(ran).contains(runs));
    }

    private Optional<Envelope> waiting(RedisStore store, TaskState state) {
        return store.inspector().tasks(queue, state, null, 10).join().items().stream()
                .map(TaskView::envelope)
                .findFirst();
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void aTaskOfANewTypeWaitsForTheVersionThatHasTheHandlerAndItsKeyStaysInOrder() {
        Map<String, Object> settings = settings(1, "10m");
        try (Publisher publisher = publisher(settings)) {
            try (Tandem old = oldVersion(settings)) {
                awaitHealthy(old);
                publish(publisher, "refund", "k");
                publish(publisher, "ship", "k");
                publish(publisher, "ship", "other");
                awaitRan("other ship 1");
                await().atMost(PATIENCE)
                        .untilAsserted(() -> assertThat(state(old).note()).contains("'refund'"));
                assertThat(state(old).dead()).isZero();
                assertThat(old.status().healthy()).as("it works").isTrue();
            }
            try (Tandem next = newVersion(settings)) {
                awaitRan("k refund 1", "k ship 1");
                assertThat(ran).containsExactly("other ship 1", "k refund 1", "k ship 1");
                assertThat(state(next).dead()).isZero();
            }
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void aRestartDoesNotBeginTheGraceAnewAndThenTheTaskIsDeadWithTheReason() {
        Map<String, Object> settings = settings(1, "5s");
        try (Publisher publisher = publisher(settings);
                RedisStore store =
                        RedisStore.open(RedisSettings.of(Brokers.redis().uri()))) {
            long since;
            try (Tandem first = oldVersion(settings)) {
                awaitHealthy(first);
                publish(publisher, "refund", "k");
                await().atMost(PATIENCE)
                        .until(() -> waiting(store, TaskState.RETRY).isPresent());
                since = UnhandledSince.of(
                        waiting(store, TaskState.RETRY).orElseThrow().task());
                assertThat(since).isPositive();
            }
            try (Tandem second = oldVersion(settings)) {
                await().atMost(PATIENCE).until(() -> state(second).dead() == 1);
            }
            Envelope dead = waiting(store, TaskState.DEAD).orElseThrow();
            assertThat(dead.attempts()).isLessThanOrEqualTo(1);
            assertThat(dead.error())
                    .contains("'refund'", "Known types: ship", "longer than unknown-type-grace")
                    .containsPattern("given the task for ([5-9]|[1-9]\\d+) s");
            assertThat(ran).isEmpty();
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void aVersionThatLacksAHandlerForLongerThanTheGraceLeavesTheTasksToTheOther() {
        Map<String, Object> settings = settings(4, "4s");
        try (Publisher publisher = publisher(settings);
                Tandem old = oldVersion(settings)) {
            awaitHealthy(old);
            try (Tandem next = newVersion(settings)) {
                awaitHealthy(next);
                for (int i = 0; i < KEYS; i++) {
                    publish(publisher, "refund", "k" + i);
                    publish(publisher, "ship", "k" + i);
                }
                await().atMost(PATIENCE)
                        .untilAsserted(() -> assertThat(old.status().problems())
                                .singleElement()
                                .asString()
                                .startsWith("tandem.queues." + queue + ": refused")
                                .contains("'refund'", next.status().executor(), "handlers-mismatch"));
                await().atMost(PATIENCE)
                        .until(() -> state(old).partitions() == 0 && state(next).partitions() == 4);
                await().atMost(PATIENCE).until(() -> ran.size() == 2 * KEYS);
                for (int i = 0; i < KEYS; i++) {
                    String key = "k" + i + " ";
                    assertThat(ran)
                            .filteredOn(run -> run.startsWith(key))
                            .containsExactly(key + "refund 1", key + "ship 1");
                }
                assertThat(state(old).dead() + state(next).dead()).isZero();
                assertThat(next.status().problems()).isEmpty();
            }
            awaitHealthy(old);
            publish(publisher, "ship", "again");
            awaitRan("again ship 1");
        }
    }
}
