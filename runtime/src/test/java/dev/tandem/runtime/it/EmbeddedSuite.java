package dev.tandem.runtime.it;

import static dev.tandem.task.Utf8.bytes;
import static dev.tandem.testkit.Brokers.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.api.HandlerOptions;
import dev.tandem.api.RetryPolicy;
import dev.tandem.api.TaskContext;
import dev.tandem.api.TaskRequest;
import dev.tandem.local.JvmOptions;
import dev.tandem.local.LocalProcess;
import dev.tandem.runtime.QueueBuilder;
import dev.tandem.runtime.Tandem;
import dev.tandem.runtime.TandemStatus.QueueState;
import dev.tandem.runtime.queues.RoutingPublisher;
import dev.tandem.runtime.settings.SettingsLoader;
import dev.tandem.task.Publisher;
import dev.tandem.task.Task;
import dev.tandem.testkit.UniqueNames;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import tools.jackson.core.type.TypeReference;

/** Programs with handlers of their own, over one kind of broker. */
abstract class EmbeddedSuite {

    private final String queue = UniqueNames.fresh("ships");
    private final List<String> ran = new CopyOnWriteArrayList<>();

    @TempDir
    private Path folder;

    private Publisher publisher;

    /** Returns where the broker is: the setting's name and its value. */
    abstract Map.Entry<String, String> broker();

    /** Returns {@code kafka} or {@code rabbit}. */
    abstract String source();

    @BeforeEach
    void openPublisher() {
        StandardEnvironment environment = new StandardEnvironment();
        String settings = "tandem.queues." + queue + ".";
        environment
                .getPropertySources()
                .addFirst(new MapPropertySource(
                        "test",
                        Map.of(
                                broker().getKey(),
                                broker().getValue(),
                                settings + "source",
                                source(),
                                settings + "ordering",
                                "key",
                                settings + "partitions",
                                "4")));
        publisher = new RoutingPublisher(SettingsLoader.load(environment));
    }

    @AfterEach
    void closePublisher() {
        publisher.close();
    }

    private Path settings() throws IOException {
        return Files.writeString(folder.resolve("tandem.yml"), """
                %s: "%s"
                %s
                # Nobody takes over because of a lease that has run out.
                tandem.executor.lease: 5m
                tandem.queues.%s: { source: %s, ordering: key, partitions: 4, max-attempts: 8, backoff.initial: 10m }
                """.formatted(
                broker().getKey(), broker().getValue(), SuiteRedis.of(source()).yaml(), queue, source()));
    }

    private QueueBuilder program() throws IOException {
        return Tandem.connect(settings()).queue(queue);
    }

    /** Publishes, again and again until the program has created what it needs at the broker. */
    private void publish(@Nullable String type, @Nullable String key, String payload) {
        publish(new Task(null, queue, type, key, bytes(payload), Map.of(), 0, 0, 0, 0, null));
    }

    private void publish(Task task) {
        await("publication of " + task.type())
                .atMost(PATIENCE)
                .ignoreExceptions()
                .until(() -> publisher.publish(task).toCompletableFuture().get(10, TimeUnit.SECONDS) != null);
    }

    private static String ship(String order, int items) {
        return "{\"order\":\"" + order + "\",\"items\":" + items + "}";
    }

    private void awaitRan(String... runs) {
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(ran).contains(runs));
    }

    private static QueueState state(Tandem tandem) {
        return tandem.status().queues().get(0);
    }

    private static void awaitHealthy(Tandem tandem) {
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(tandem.status().problems()).isEmpty());
    }

    @Test
    void itsClientSubmitsToTheQueueThatItRuns() throws Exception {
        try (Tandem tandem = program()
                .handler("ship", Ship.class, (ship, task) -> ran.add(task.key() + " " + ship.items()))
                .start()) {
            awaitHealthy(tandem);

            tandem.client()
                    .submit(TaskRequest.of(queue, "ship", new Ship("o-1", 7)).withKey("c-1"))
                    .await(PATIENCE);

            awaitRan("c-1 7");
        }
    }

    @Test
    void payloadsAreObjectsAndKeysStayInOrder() throws IOException {
        try (Tandem tandem = program()
                .handler("ship", Ship.class, (ship, task) -> ran.add(task.key() + " " + ship.items()))
                .handler(
                        "ships",
                        new TypeReference<List<Ship>>() {},
                        (ships, task) -> ran.add(ships.get(1).order()))
                .handler("note", String.class, (text, task) -> ran.add(text))
                .start()) {
            awaitHealthy(tandem);
            for (int i = 0; i < 20; i++) {
                publish("ship", "c-" + i % 2, ship("o", i));
            }
            publish("ships", null, "[" + ship("o-1", 1) + "," + ship("o-2", 2) + "]");
            publish("note", null, "no JSON");

            awaitRan("o-2", "no JSON", "c-0 18", "c-1 19");
            assertThat(ran)
                    .filteredOn(run -> run.startsWith("c-0"))
                    .containsExactlyElementsOf(
                            IntStream.range(0, 10).mapToObj(i -> "c-0 " + 2 * i).toList());
        }
    }

    @Test
    void anUnreadablePayloadDiesAtOnceAndOtherKeysGoOn() throws IOException {
        try (Tandem tandem = program()
                .handler("ship", Ship.class, (ship, task) -> ran.add(ship.order()))
                .start()) {
            publish("ship", "bad", "{\"items\":\"many\"}");
            publish("ship", "good", ship("o-1", 1));

            awaitRan("o-1");
            await().atMost(PATIENCE).until(() -> state(tandem).dead() == 1);
            assertThat(state(tandem).retried()).isZero();
        }
    }

    @Test
    void aFormerNameRunsTheSameHandler() throws IOException {
        try (Tandem tandem = program()
                .handler(
                        "ship",
                        Ship.class,
                        (ship, task) -> ran.add(task.type() + " " + ship.order()),
                        HandlerOptions.NONE.withAlias("send"))
                .defaultType("send")
                .start()) {
            publish("send", "a", ship("o-1", 1));
            publish(null, "b", ship("o-2", 1));

            awaitRan("send o-1", "send o-2");
            assertThat(state(tandem).dead()).isZero();
        }
    }

    @Test
    void attemptsDelaysAndFinalErrorsAreThoseOfTheType() throws IOException {
        HandlerOptions options = HandlerOptions.NONE
                .withMaxAttempts(3)
                .withBackoff(RetryPolicy.fixed(Duration.ofMillis(50)))
                .withDeadOn(ArithmeticException.class);
        try (Tandem tandem = program()
                .handler("ship", Ship.class, this::fail, options)
                .handler("slow", Ship.class, this::fail)
                .start()) {
            publish("ship", "a", ship("three", 1));
            publish("ship", "b", ship("final", 0));
            publish(new Task(null, queue, "ship", "c", bytes(ship("one", 1)), Map.of(), 0, 0, 0, 1, null));
            // The queue's delay of ten minutes counts for a type without one.
            publish("slow", "d", ship("slow", 1));

            await().atMost(PATIENCE).until(() -> state(tandem).dead() == 3);
            awaitRan("slow 1");
            assertThat(ran).containsExactlyInAnyOrder("three 1", "three 2", "three 3", "final 1", "one 1", "slow 1");
        }
    }

    private void fail(Ship ship, TaskContext task) {
        ran.add(ship.order() + " " + task.attempt());
        throw ship.items() == 0 ? new ArithmeticException("final") : new IllegalStateException("again");
    }

    @Test
    void aProcessThatIsToldToEndFinishesItsTasksAndAnotherOneGoesOnAtOnce() throws IOException {
        Path journal = folder.resolve("journal");
        LocalProcess process = LocalProcess.java(
                        "ships",
                        System.getProperty("java.class.path"),
                        JvmOptions.quickStart("256m"),
                        ShipProgram.class.getName(),
                        List.of(settings().toString(), queue, journal.toString()))
                .log(folder.resolve("process.log"))
                .disposable()
                .build()
                .start();
        try (process) {
            publish("ship", "key-0", ship("first", 0));
            awaitLine(process, journal, "ended first");
            publish("ship", "key-0", ship("long", 2_000));
            awaitLine(process, journal, "begun long");
            process.stop(Duration.ofSeconds(60));

            assertThat(process.exitStatus()).as("SIGTERM").isEqualTo(143);
            assertThat(Files.readAllLines(journal)).as("it drains").contains("ended long");
        }
        try (Tandem tandem = program()
                .handler("ship", Ship.class, (ship, task) -> ran.add(ship.order()))
                .start()) {
            awaitHealthy(tandem);
            // So many keys that every partition has some.
            String[] orders = IntStream.range(0, 40).mapToObj(i -> "o-" + i).toArray(String[]::new);
            for (int i = 0; i < orders.length; i++) {
                publish("ship", "key-" + i, ship(orders[i], 0));
            }
            awaitRan(orders);
            assertThat(ran).doesNotContain("first", "long");
        }
    }

    private static void awaitLine(LocalProcess process, Path journal, String line) {
        await(line).atMost(PATIENCE).until(() -> {
            if (!process.isRunning()) {
                throw new IllegalStateException("The process ended. " + process.logTail());
            }
            return Files.exists(journal) && Files.readAllLines(journal).contains(line);
        });
    }
}
