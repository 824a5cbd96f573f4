package dev.tandem.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.executor.Executor;
import dev.tandem.executor.QueueSpec;
import dev.tandem.kafka.KafkaSettings;
import dev.tandem.kafka.KafkaSource;
import dev.tandem.scheduler.RedisSettings;
import dev.tandem.scheduler.RedisStore;
import dev.tandem.server.cli.TandemCli;
import dev.tandem.task.QueuePolicy;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * An application that runs its handlers in its own process, with the library's executor and no code about operators: they
 * see it and pause it like a server.
 */
class EmbeddedExecutorIT {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final String PAUSED = UniqueNames.fresh("paused");
    private static final String OTHER = UniqueNames.fresh("other");

    /** A server that runs no tasks. */
    private static RunningServer server;

    private final List<String> ran = new CopyOnWriteArrayList<>();

    @BeforeAll
    static void start() {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("server.port", "0");
        settings.put("tandem.executor.enabled", "false");
        settings.put("tandem.kafka.bootstrap-servers", Brokers.kafka().bootstrapServers());
        settings.put("tandem.redis.uri", Brokers.redis().uri());
        for (String queue : List.of(PAUSED, OTHER)) {
            Brokers.kafka().createTopic(queue, 2);
            settings.put("tandem.queues." + queue + ".source", "kafka");
            settings.put("tandem.queues." + queue + ".handler", "noop");
        }
        server = new RunningServer(settings);
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
        }
    }

    /** An application: one executor with both queues. */
    private final class Application implements AutoCloseable {

        private final RedisStore store =
                RedisStore.open(RedisSettings.of(Brokers.redis().uri()));
        private final Executor executor = Executor.builder()
                .id("application")
                .queue(queue(PAUSED))
                .queue(queue(OTHER))
                .build();

        Application() {
            executor.start();
        }

        private QueueSpec queue(String name) {
            return QueueSpec.queue(name)
                    .source(new KafkaSource(KafkaSettings.of(Brokers.kafka().bootstrapServers(), name)))
                    .store(store)
                    .policy(QueuePolicy.ordered(8))
                    .defaultType("any")
                    .action("any", task -> ran.add(task.id()))
                    .build();
        }

        void awaitWithheld(String reason) {
            await().atMost(PATIENCE)
                    .untilAsserted(() ->
                            assertThat(executor.status().get(0).withheld()).isEqualTo(reason));
        }

        @Override
        public void close() {
            executor.stop();
            store.close();
        }
    }

    @Test
    void operatorsSeeItAndItsPausedQueueStartsNothing() {
        try (Application first = new Application()) {
            submit(PAUSED, "before");
            await().atMost(PATIENCE).until(() -> ran.contains("before"));
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(cli("executors")).contains(first.executor.id(), PAUSED, OTHER));

            cli("pause", PAUSED);
            first.awaitWithheld("an operator has paused the queue");
            submit(PAUSED, "paused-1");
            submit(OTHER, "other-1");
            await().atMost(PATIENCE).until(() -> ran.contains("other-1"));

            try (Application second = new Application()) {
                second.awaitWithheld("an operator has paused the queue");
                await().atMost(PATIENCE)
                        .untilAsserted(() -> assertThat(cli("executors")).contains(second.executor.id()));
                awaitShares(first, second);
                Stream.of("2", "3", "4", "5").forEach(number -> {
                    submit(PAUSED, "paused-" + number);
                    submit(OTHER, "other-" + number);
                });
                await().atMost(PATIENCE)
                        .until(() -> ran.containsAll(List.of("other-2", "other-3", "other-4", "other-5")));
                assertThat(ran).filteredOn(id -> id.startsWith("paused")).isEmpty();

                cli("resume", PAUSED);
                await().atMost(PATIENCE)
                        .until(() ->
                                ran.containsAll(List.of("paused-1", "paused-2", "paused-3", "paused-4", "paused-5")));
                assertThat(second.executor.status().get(0).withheld()).isNull();
            }
        }
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(cli("executors")).doesNotContain("application-"));
    }

    private static void awaitShares(Application... applications) {
        await().atMost(PATIENCE)
                .until(() -> Stream.of(applications)
                        .allMatch(each -> each.executor.status().stream().allMatch(queue -> queue.partitions() == 1)));
    }

    private static void submit(String queue, String id) {
        // Ids are keys too, so that the tasks spread over the partitions.
        assertThat(server.post(
                                "/api/v1/queues/" + queue + "/tasks",
                                "{\"id\": \"" + id + "\", \"key\": \"" + id + "\", \"payload\": 1}")
                        .status())
                .isEqualTo(202);
    }

    private static String cli(String... words) {
        StringWriter out = new StringWriter();
        String[] line = Stream.concat(Stream.of(words), Stream.of("--server=" + server.url()))
                .toArray(String[]::new);
        assertThat(TandemCli.commandLine().setOut(new PrintWriter(out)).execute(line))
                .as(String.join(" ", words))
                .isZero();
        return out.toString();
    }
}
