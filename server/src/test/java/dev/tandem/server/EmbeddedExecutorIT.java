package dev.tandem.server;

import static dev.tandem.testkit.Brokers.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.runtime.QueueBuilder;
import dev.tandem.runtime.Tandem;
import dev.tandem.server.cli.TandemCli;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * An application that runs its handlers in its own process, without any code about operators: they see it and pause it like
 * a server.
 */
class EmbeddedExecutorIT {

    private static final String PAUSED = UniqueNames.fresh("paused");
    private static final String OTHER = UniqueNames.fresh("other");
    private static final String DEPLOYED = UniqueNames.fresh("deployed");
    private static final String CHANGED = UniqueNames.fresh("changed");

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
        for (String queue : List.of(PAUSED, OTHER, DEPLOYED, CHANGED)) {
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

    /** An application: one process with both queues. */
    private final class Application implements AutoCloseable {

        private final Tandem tandem = Tandem.builder()
                .kafka(Brokers.kafka().bootstrapServers())
                .redis(Brokers.redis().uri())
                .queue(PAUSED)
                .handler("any", byte[].class, (payload, task) -> ran.add(task.id()))
                .defaultType("any")
                .queue(OTHER)
                .handler("any", byte[].class, (payload, task) -> ran.add(task.id()))
                .defaultType("any")
                .start();

        String id() {
            return tandem.status().executor();
        }

        @Nullable
        String withheld(int queue) {
            return tandem.status().queues().get(queue).note();
        }

        void awaitWithheld(String reason) {
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(withheld(0)).isEqualTo(reason));
        }

        @Override
        public void close() {
            tandem.close();
        }
    }

    @Test
    void operatorsSeeItAndItsPausedQueueStartsNothing() {
        List<String> ids = new ArrayList<>();
        try (Application first = new Application()) {
            ids.add(first.id());
            submit(PAUSED, "before");
            await().atMost(PATIENCE).until(() -> ran.contains("before"));
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(cli("executors")).contains(first.id(), PAUSED, OTHER));

            cli("pause", PAUSED);
            first.awaitWithheld("an operator has paused the queue");
            submit(PAUSED, "paused-1");
            submit(OTHER, "other-1");
            await().atMost(PATIENCE).until(() -> ran.contains("other-1"));

            try (Application second = new Application()) {
                ids.add(second.id());
                second.awaitWithheld("an operator has paused the queue");
                await().atMost(PATIENCE)
                        .untilAsserted(() -> assertThat(cli("executors")).contains(second.id()));
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
                assertThat(second.withheld(0)).isNull();
            }
        }
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(cli("executors")).doesNotContain(ids));
    }

    private QueueBuilder deployed() {
        return Tandem.builder()
                .kafka(Brokers.kafka().bootstrapServers())
                .redis(Brokers.redis().uri())
                .queue(DEPLOYED)
                .handler("ship", byte[].class, (payload, task) -> ran.add(task.id()))
                .defaultType("ship");
    }

    @Test
    void operatorsSeeAtOnceThatATypeIsUnknownAndWhichExecutorLacksAHandler() {
        try (Tandem old = deployed().start()) {
            String task = "{\"id\": \"odd\", \"key\": \"odd\", \"type\": \"shp\", \"payload\": 1}";
            assertThat(server.post("/api/v1/queues/" + DEPLOYED + "/tasks", task)
                            .status())
                    .isEqualTo(202);
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(cli("queues", DEPLOYED))
                            .contains(
                                    "unknown types",
                                    "There is no handler for 'shp'",
                                    old.status().executor()));
            assertThat(cli("tasks", DEPLOYED, "odd"))
                    .contains("did you mean 'ship'?", "Known types: ship", "tried again by itself until");
            assertThat(cli("executors")).contains("LACKS").doesNotContain("refund");

            try (Tandem ignored = deployed()
                    .handler("refund", byte[].class, (payload, each) -> {})
                    .start()) {
                await().atMost(PATIENCE)
                        .untilAsserted(() -> assertThat(cli("queues", DEPLOYED))
                                .contains("Executors have different handlers: "
                                        + old.status().executor() + " has none for 'refund'"));
                assertThat(cli("executors", "-o", "json"))
                        .containsPattern("\"types\" : \\[ \"refund\", \"ship\" ]")
                        .containsPattern("\"lacks\" : \\[ \"refund\" ]");
            }
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(cli("queues", DEPLOYED)).doesNotContain("different handlers"));
        }
    }

    private void runUntilInterrupted(String id) throws InterruptedException {
        ran.add(id);
        try {
            if (!id.startsWith("short")) {
                new CountDownLatch(1).await();
            }
        } catch (InterruptedException e) {
            if (id.startsWith("long")) {
                throw e;
            }
            // Its work is done all the same.
        }
    }

    @Test
    void operatorsCancelTasksThatRunAndGiveOthersAnotherTime() {
        try (Tandem program = Tandem.builder()
                .kafka(Brokers.kafka().bootstrapServers())
                .redis(Brokers.redis().uri())
                .queue(CHANGED)
                .handler("any", byte[].class, (payload, task) -> runUntilInterrupted(task.id()))
                .defaultType("any")
                .start()) {
            submit(CHANGED, "long");
            submit(CHANGED, "stubborn");
            await().atMost(PATIENCE).until(() -> ran.containsAll(List.of("long", "stubborn")));

            assertThat(cli("tasks", "cancel", CHANGED, "long")).startsWith("1 task cancelled");
            assertThat(cli("tasks", CHANGED, "long")).contains("state: cancelled", "cancelled by an operator");
            String path = "/api/v1/queues/" + CHANGED + "/tasks/";
            RunningServer.Answer won = server.post(path + "stubborn/cancel");
            assertThat(won.status()).isEqualTo(409);
            assertThat(won.body()).contains("has succeeded");
            assertThat(server.post(path + "nobody/cancel").status()).isEqualTo(404);

            assertThat(server.post(
                                    "/api/v1/queues/" + CHANGED + "/tasks",
                                    "{\"id\": \"short\", \"key\": \"k\", \"delay\": \"1d\"}")
                            .status())
                    .isEqualTo(202);
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(cli("tasks", CHANGED, "--state", "scheduled"))
                            .contains("short"));
            assertThat(cli("tasks", "reschedule", CHANGED, "short", "--now")).startsWith("1 task rescheduled");
            await().atMost(PATIENCE).until(() -> ran.contains("short"));
            assertThat(cli("tasks", CHANGED, "--state", "cancelled"))
                    .contains("long")
                    .doesNotContain("stubborn");
            assertThat(program.healthy()).isTrue();
        }
    }

    private static void awaitShares(Application... applications) {
        await().atMost(PATIENCE)
                .until(() -> Stream.of(applications)
                        .allMatch(each ->
                                each.tandem.status().queues().stream().allMatch(queue -> queue.partitions() == 1)));
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
