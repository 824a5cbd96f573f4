package dev.tandem.runtime.it;

import static dev.tandem.api.TaskOptions.header;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.api.TaskContext;
import dev.tandem.api.TaskRef;
import dev.tandem.api.TaskRequest;
import dev.tandem.runtime.QueueBuilder;
import dev.tandem.runtime.Tandem;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StartOrderKafkaIT extends StartOrderSuite {

    private static final int WINDOW = 200;
    private static final int LARGE = 3_000;
    private static final int KEYS = 100;
    private static final int MEASURED = 200_000;

    @Override
    Map.Entry<String, String> broker() {
        return Map.entry("tandem.kafka.bootstrap-servers", Brokers.kafka().bootstrapServers());
    }

    @Override
    String source() {
        return "kafka";
    }

    /** The first tasks wait in their handlers until nearly all of the burst has been read. */
    @ParameterizedTest
    @ValueSource(strings = {"key-prefix:/", "header:tenant"})
    void burstThatIsLargerThanMemoryDelaysTheTaskOfAnotherByAFewStarts(String by) throws Exception {
        String queue = UniqueNames.fresh("bursts");
        Queue<Ship> ran = new ConcurrentLinkedQueue<>();
        CountDownLatch open = new CountDownLatch(1);
        try (Tandem tandem = Tandem.builder()
                .setting(broker().getKey(), broker().getValue())
                .redis(Brokers.redis().uri())
                .queue(queue)
                .setting("source", source())
                .setting("partitions", "1")
                .setting("concurrency", "4")
                .setting("max-in-memory", String.valueOf(WINDOW))
                .setting("fair.by", by)
                .handler("ship", Ship.class, (Ship ship, TaskContext task) -> {
                    open.await(PATIENCE.toSeconds(), TimeUnit.SECONDS);
                    ran.add(ship);
                })
                .start()) {
            await().atMost(PATIENCE).ignoreExceptions().until(() -> {
                submit(tandem, queue, "first/0", 0).await(Duration.ofSeconds(10));
                return true;
            });
            List<TaskRef<?>> accepted = new ArrayList<>();
            for (int i = 0; i < LARGE; i++) {
                accepted.add(submit(tandem, queue, "big/" + i % KEYS, i));
                if (i == LARGE / 2) {
                    accepted.add(submit(tandem, queue, "small/0", 0));
                }
            }
            for (TaskRef<?> each : accepted) {
                each.await(PATIENCE);
            }
            await().atMost(PATIENCE).until(() -> passedOver(tandem) >= LARGE - 2 * WINDOW);
            open.countDown();

            await().atMost(PATIENCE).until(() -> ran.contains(new Ship("big/" + (KEYS - 1), LARGE - 1)));
            await().atMost(PATIENCE).until(() -> ran.size() >= LARGE + 2);
            List<Ship> order = List.copyOf(ran);
            assertThat(order).doesNotHaveDuplicates();
            assertThat(order.indexOf(new Ship("small/0", 0))).isLessThan(20);
            for (int key = 0; key < KEYS; key++) {
                String name = "big/" + key;
                assertThat(order.stream()
                                .filter(ship -> ship.order().equals(name))
                                .map(Ship::items))
                        .as(name)
                        .isSorted();
            }
        }
    }

    /** Says how long a task behind a burst waits, for the documentation. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @EnabledIfSystemProperty(named = "bursts.measured", matches = "true")
    void measuresTheWaitBehindABurst(boolean fair) throws Exception {
        String queue = UniqueNames.fresh("measured");
        AtomicLong ended = new AtomicLong();
        AtomicLong before = new AtomicLong();
        AtomicLong began = new AtomicLong();
        QueueBuilder builder = Tandem.builder()
                .setting(broker().getKey(), broker().getValue())
                .redis(Brokers.redis().uri())
                .queue(queue)
                .setting("source", source())
                .setting("partitions", "1")
                .handler("ship", Ship.class, (Ship ship, TaskContext task) -> {
                    if (ship.order().startsWith("small")) {
                        before.set(ended.get());
                        began.set(System.nanoTime());
                    }
                    Thread.sleep(5);
                    ended.incrementAndGet();
                });
        try (Tandem tandem = (fair ? builder.setting("fair.by", "key-prefix:/") : builder).start()) {
            await().atMost(PATIENCE).ignoreExceptions().until(() -> {
                submit(tandem, queue, "first/0", 0).await(Duration.ofSeconds(10));
                return true;
            });
            List<TaskRef<?>> accepted = new ArrayList<>();
            for (int i = 0; i < MEASURED; i++) {
                accepted.add(submit(tandem, queue, "big/" + i % 10_000, i));
            }
            for (TaskRef<?> each : accepted) {
                each.await(PATIENCE);
            }
            long endedBySubmit = ended.get();
            long submitted = System.nanoTime();
            submit(tandem, queue, "small/0", 0).await(PATIENCE);
            await().pollInterval(Duration.ofMillis(10)).atMost(PATIENCE).until(() -> began.get() != 0);
            await().atMost(PATIENCE).until(() -> ended.get() >= MEASURED + 2);
            System.out.printf(
                    "%s: behind %,d tasks, of which %,d had ended: a wait of %.2f s, %,d ended meanwhile; all after %.1f s%n",
                    fair ? "fair" : "not fair",
                    MEASURED,
                    endedBySubmit,
                    (began.get() - submitted) / 1e9,
                    before.get() - endedBySubmit,
                    (System.nanoTime() - submitted) / 1e9);
        }
    }

    /** Returns how many tasks wait in the topic, as the status says. */
    private static int passedOver(Tandem tandem) {
        String note = tandem.status().queues().get(0).note();
        return note != null && note.contains(" wait in the topic") ? Integer.parseInt(note.split(" ")[0]) : 0;
    }

    private static TaskRef<?> submit(Tandem tandem, String queue, String key, int number) {
        return tandem.client()
                .submit(TaskRequest.of(queue, "ship", new Ship(key, number))
                        .withKey(key)
                        .with(header("tenant", key.substring(0, key.indexOf('/')))));
    }
}
