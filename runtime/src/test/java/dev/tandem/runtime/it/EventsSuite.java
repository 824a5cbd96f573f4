package dev.tandem.runtime.it;

import static dev.tandem.api.TaskOptions.id;
import static dev.tandem.task.Utf8.bytes;
import static dev.tandem.testkit.Brokers.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.api.TaskContext;
import dev.tandem.api.TaskRef;
import dev.tandem.api.TaskRequest;
import dev.tandem.local.LocalProcess;
import dev.tandem.runtime.Tandem;
import dev.tandem.scheduler.Admin;
import dev.tandem.scheduler.EventPolicy;
import dev.tandem.scheduler.RedisStore;
import dev.tandem.scheduler.Retention;
import dev.tandem.scheduler.TaskView;
import dev.tandem.task.Envelope;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.Task;
import dev.tandem.task.TaskState;
import dev.tandem.task.event.EventKind;
import dev.tandem.testkit.UniqueNames;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Other programs are told how tasks end, over one kind of broker. */
@Execution(ExecutionMode.CONCURRENT)
abstract class EventsSuite {

    private static final int TASKS = 200;
    private static final int KEYS = 10;

    /** An event as it arrived: the attributes without the prefix of their headers. */
    record Told(Map<String, String> attributes, String data) {
        String get(String attribute) {
            return attributes.getOrDefault(attribute, "");
        }
    }

    /** For as long a program that stops publishes its last events. What takes longer is left to the next one. */
    private static final Duration LAST_EVENTS = Duration.ofSeconds(3);

    final String queue = UniqueNames.fresh("orders");
    final List<Told> told = new CopyOnWriteArrayList<>();
    private final List<String> began = new CopyOnWriteArrayList<>();
    private final List<String> hooked = new CopyOnWriteArrayList<>();
    private final CountDownLatch lastMayEnd = new CountDownLatch(1);
    private RedisStore store;

    @TempDir
    private Path folder;

    /** Returns where the broker is: the setting's name and its value. */
    abstract Map.Entry<String, String> broker();

    /** Returns {@code kafka} or {@code rabbit}. */
    abstract String source();

    /** Begins to collect the events of the queue. */
    abstract void listen() throws IOException;

    abstract void stopListening() throws IOException;

    @BeforeEach
    void open() throws IOException {
        store = SuiteRedis.of(source()).open();
        listen();
    }

    @AfterEach
    void close() throws IOException {
        store.close();
        stopListening();
    }

    private Path settings() throws IOException {
        return Files.writeString(folder.resolve("tandem.yml"), """
                %s: "%s"
                %s
                tandem.executor.lease: 3s
                tandem.queues.%s:
                  { source: %s, ordering: key, partitions: 2, dead-head: skip, events: { enabled: true } }
                """.formatted(
                broker().getKey(), broker().getValue(), SuiteRedis.of(source()).yaml(), queue, source()));
    }

    private Tandem start(boolean runsTasks) throws IOException {
        Tandem tandem = Tandem.connect(settings())
                .setting("tandem.executor.enabled", Boolean.toString(runsTasks))
                .queue(queue)
                .handler("ship", Ship.class, (ship, task) -> {
                    began.add(task.id());
                    if (task.id().equals("last")) {
                        lastMayEnd.await();
                    }
                    EventsProgram.run(ship);
                })
                .start();
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(tandem.status().problems()).isEmpty());
        return tandem;
    }

    private void submit(Tandem tandem, String name, String key, int items) {
        await("submission of " + name)
                .atMost(PATIENCE)
                .ignoreExceptions()
                .until(() -> tandem.client()
                        .submit(request(name, key, items))
                        .await(Duration.ofSeconds(10))
                        .id()
                        .equals(name));
    }

    private void submitAll(Tandem tandem) throws InterruptedException {
        submit(tandem, "task-0", "key-0", 0);
        List<TaskRef<?>> under = new ArrayList<>();
        for (int i = 1; i < TASKS; i++) {
            under.add(tandem.client().submit(request("task-" + i, "key-" + i % KEYS, i % 7)));
        }
        for (TaskRef<?> each : under) {
            each.await(PATIENCE);
        }
    }

    private TaskRequest<?> request(String name, String key, int items) {
        return TaskRequest.of(queue, "ship", new Ship("o", items)).withKey(key).with(id(name));
    }

    private Told awaitTold(String subject, String type) {
        await(subject + " " + type)
                .atMost(PATIENCE)
                .until(() -> told.stream()
                        .anyMatch(each -> each.get("subject").equals(subject)
                                && each.get("type").equals("dev.tandem.task." + type)));
        return told.stream()
                .filter(each -> each.get("subject").equals(subject))
                .findFirst()
                .orElseThrow();
    }

    private void awaitTold(int events) {
        await().atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(20))
                .until(() -> told.size() >= Math.min(events, TASKS));
    }

    /** A queue of hooks reads what the other one tells, as that of a webhook does. */
    private Tandem startHooks() throws IOException {
        String its = source().equals("kafka")
                ? "topic: tandem-events." + queue + ", partitions: 2"
                : "exchange: tandem-events, routing-key: '" + queue + ".*'";
        Path file = Files.writeString(folder.resolve("hooks.yml"), """
                %s: "%s"
                %s
                tandem.queues.%s-hooks: { source: %s, %s }
                """.formatted(
                broker().getKey(), broker().getValue(), SuiteRedis.of(source()).yaml(), queue, source(), its));
        Tandem tandem = Tandem.connect(file)
                .queue(queue + "-hooks")
                .handler("dev.tandem.task.succeeded", byte[].class, this::hooked)
                .handler("dev.tandem.task.dead", byte[].class, this::hooked)
                .start();
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(tandem.status().problems()).isEmpty());
        return tandem;
    }

    private void hooked(byte[] data, TaskContext task) {
        hooked.add(task.type() + " " + task.key() + " " + new String(data, StandardCharsets.UTF_8).contains("kind"));
    }

    /** Cancels a task, while no program runs the queue, in a partition that the broker does not have. */
    private void cancelInRetainedPartition() {
        Partition retained = new Partition(queue, "7");
        Position position = new Position("0:0");
        Task task = new Task("gone", queue, "ship", "three", new byte[] {1}, Map.of(), 0, 0, 0, 0, null);
        Map<String, EventPolicy> events = Map.of(queue, new EventPolicy(Set.of(EventKind.CANCELLED), 1 << 20, false));
        String at = "tandem:{" + queue + "/7}:";
        byte[] envelope = new Envelope(task, 1, 7, "boom").encode();
        SuiteRedis redis = SuiteRedis.of(source());
        redis.write(commands -> {
            commands.sadd(bytes("tandem:{" + queue + "}:partitions"), bytes("7"));
            commands.hset(bytes(at + "tasks"), bytes("0:0"), envelope);
            commands.zadd(bytes(at + "retry"), Long.MAX_VALUE / 2, bytes("0:0"));
        });
        try (RedisStore telling = RedisStore.open(redis.settings(), Retention.DEFAULTS, events)) {
            // A cluster's nodes are connected at the first requests to them.
            await().atMost(PATIENCE)
                    .ignoreExceptions()
                    .until(() -> telling.admin()
                                    .delete(retained, position, Admin.Deletion.WAITING)
                                    .join()
                            == Admin.Result.DONE);
        }
    }

    @Test
    void theEndOfEachTaskIsToldToConsumersAndToAQueue() throws IOException {
        cancelInRetainedPartition();
        try (Tandem hooks = startHooks();
                Tandem tandem = start(true)) {
            assertThat(hooks.status().problems()).isEmpty();
            submit(tandem, "shipped", "one", 1);
            submit(tandem, "empty", "two", 0);
            Told succeeded = awaitTold("shipped", "succeeded");
            assertThat(succeeded.attributes())
                    .containsEntry("specversion", "1.0")
                    .containsEntry("source", "/tandem/" + queue)
                    .containsEntry("partitionkey", "one")
                    .containsKeys("id", "time", "sequence");
            assertThat(succeeded.data())
                    .contains("\"queue\":\"" + queue + "\"", "\"type\":\"ship\"", "\"key\":\"one\"", "\"attempt\":1")
                    .doesNotContain("items");
            assertThat(awaitTold("empty", "dead").data()).contains("\"error\":", "Nothing to ship");
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(hooked)
                            .contains("dev.tandem.task.succeeded one true", "dev.tandem.task.dead two true"));
            assertThat(awaitTold("gone", "cancelled").data()).contains("\"partition\":\"7\"");
            submit(tandem, "last", "one", 1);
            await().atMost(PATIENCE).until(() -> began.contains("last"));
            boolean hadTime = closeBeforeTheLastRunEnds(tandem);
            if (hadTime) {
                awaitTold("last", "succeeded"); // Nobody else runs the queue.
            }
        }
        try (Tandem next = start(true)) {
            assertThat(next.status().problems()).isEmpty();
            awaitTold("last", "succeeded");
        }
    }

    /** Lets the last run end when all partitions are given up. @return whether the rest took less time than the last events have */
    private boolean closeBeforeTheLastRunEnds(Tandem tandem) {
        CompletableFuture<Void> closed = CompletableFuture.runAsync(tandem::close);
        await().atMost(PATIENCE)
                .until(() -> store.inspector().counts(queue).join().stream().allMatch(each -> each.leaseMillis() == 0));
        long ends = System.nanoTime();
        lastMayEnd.countDown();
        closed.join();
        return System.nanoTime() - ends < LAST_EVENTS.toNanos();
    }

    /** Creates what tasks are published to. */
    abstract void createQueue();

    @Test
    void noEndIsMissingThoughAnOwnerStandsStillAndIsKilled() throws Exception {
        createQueue();
        LocalProcess first = LocalProcess.java(
                        "events",
                        System.getProperty("java.class.path"),
                        List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
                        EventsProgram.class.getName(),
                        List.of(settings().toString(), queue))
                .log(folder.resolve("process.log"))
                .disposable()
                .build();
        try (first;
                Tandem submitting = start(false)) {
            submitAll(submitting);
            first.start();
            awaitTold(TASKS / 10);
            first.suspend();
            int before = told.size();
            try (Tandem second = start(true)) {
                awaitTold(before + TASKS / 10);
                first.resume();
                awaitTold(before + TASKS / 4);
                first.kill();
                for (int i = 0; i < TASKS; i++) {
                    awaitTold("task-" + i, i % 7 == 0 ? "dead" : "succeeded");
                }
            }
        }
        assertEndsAreThoseOfTheStore();
        assertKeysAreInOrder();
    }

    private void assertEndsAreThoseOfTheStore() {
        for (int i = 0; i < TASKS; i++) {
            String name = "task-" + i;
            TaskState end = store.inspector().tasks(queue, name, 10).join().stream()
                    .map(TaskView::state)
                    .findFirst()
                    .orElseThrow();
            assertThat(end).as(name).isEqualTo(i % 7 == 0 ? TaskState.DEAD : TaskState.SUCCEEDED);
        }
    }

    /** An event may come again. */
    private void assertKeysAreInOrder() {
        Set<String> seen = new HashSet<>();
        Map<String, List<Integer>> byKey = new HashMap<>();
        for (Told each : told) {
            if (seen.add(each.get("id"))) {
                byKey.computeIfAbsent(each.get("partitionkey"), key -> new ArrayList<>())
                        .add(Integer.parseInt(each.get("subject").substring(5)));
            }
        }
        assertThat(byKey).hasSize(KEYS);
        byKey.forEach(
                (key, tasks) -> assertThat(tasks).as(key).hasSize(TASKS / KEYS).isSorted());
    }
}
