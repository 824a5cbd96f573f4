package dev.tandem.server;

import static dev.tandem.testkit.Brokers.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import dev.tandem.server.FuzzMessages.Message;
import dev.tandem.server.FuzzRequests.Route;
import dev.tandem.server.RunningServer.Answer;
import dev.tandem.task.UrlText;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import java.net.http.HttpRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;
import tools.jackson.databind.JsonNode;

/**
 * Random and known-bad input: every message ends or is kept with a reason, no request is answered with 5xx, and nothing
 * stops. {@code -Dfuzz.seed=} chooses other input, {@code -Dfuzz.rounds=} more of it.
 */
class FuzzIT {

    private static final long SEED = Long.getLong("fuzz.seed", 20_261_122);
    private static final int ROUNDS = Integer.getInteger("fuzz.rounds", 150);

    private static final String TOPIC = UniqueNames.fresh("fuzz-topic");
    private static final String SHARED = UniqueNames.fresh("fuzz-shared");
    private static final String ORDERED = UniqueNames.fresh("fuzz-ordered");
    /** Only for requests, which may delete and cancel its tasks. */
    private static final String ASKED = UniqueNames.fresh("fuzz-asked");

    private static final String ASKED_RABBIT = UniqueNames.fresh("fuzz-asked-rabbit");

    private static RunningServer server;

    @BeforeAll
    static void start() {
        System.out.println("fuzz.seed=" + SEED);
        Map<String, String> settings = RunningServer.settings("kafka", "rabbit");
        settings.put("tandem.max-payload", FuzzMessages.MAX_PAYLOAD + "B");
        Map<String, String> sources =
                Map.of(TOPIC, "kafka", ASKED, "kafka", SHARED, "rabbit", ORDERED, "rabbit", ASKED_RABBIT, "rabbit");
        sources.forEach((queue, source) -> {
            String at = "tandem.queues." + queue + ".";
            settings.put(at + "source", source);
            settings.put(at + "partitions", "2");
            settings.put(at + "handler", "noop");
            settings.put(at + "backoff.initial", "10ms");
            // Random types have no handler, and each message shall end soon.
            settings.put(at + "unknown-type-grace", "0s");
            // A task that waits for nobody must end while the test runs.
            settings.put(at + "dependencies.unknown", "die");
            settings.put(at + "dependencies.timeout", "2s");
        });
        settings.put("tandem.queues." + ORDERED + ".ordering", "key");
        settings.put("tandem.queues." + ASKED_RABBIT + ".ordering", "key");
        for (String queue : List.of(TOPIC, ASKED, ORDERED, ASKED_RABBIT)) {
            settings.put("tandem.queues." + queue + ".dead-head", "skip");
        }
        server = new RunningServer(settings);
        awaitHealth();
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
        }
    }

    @Test
    void everyRecordEndsOrIsKeptWithAReason() throws Exception {
        FuzzMessages random = new FuzzMessages(SEED);
        List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>(random.knownBadRecords(TOPIC));
        for (int i = 0; i < ROUNDS; i++) {
            records.add(random.record(TOPIC));
        }
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", Brokers.kafka().bootstrapServers()),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            List<Future<RecordMetadata>> sent =
                    records.stream().map(producer::send).toList();
            for (Future<RecordMetadata> each : sent) {
                assertThat(each.get()).isNotNull();
            }
        }

        assertAllAreAccountedFor(TOPIC, records.size());
    }

    @Test
    void everyMessageOfASharedQueueEndsOrIsKeptWithAReason() throws Exception {
        assertAllAreAccountedFor(SHARED, publish(SHARED));
    }

    @Test
    void everyMessageOfAnOrderedQueueEndsOrIsKeptWithAReason() throws Exception {
        assertAllAreAccountedFor(ORDERED, publish(ORDERED));
    }

    @Test
    void noRequestIsAnsweredWithAServerError() {
        List<Route> routes = routes();
        FuzzRequests random = new FuzzRequests(server.url(), List.of(ASKED, ASKED_RABBIT, "none"), SEED);
        assertThat(server.post("/api/v1/queues/" + ASKED + "/tasks", "{\"id\": \"later\", \"delay\": \"PT1H\"}")
                        .status())
                .isEqualTo(202);
        List<HttpRequest> requests = new ArrayList<>(random.knownBad(routes));
        for (int i = 0; i < ROUNDS; i++) {
            requests.add(random.random(routes.get(i % routes.size())));
        }

        for (HttpRequest request : requests) {
            Answer answer = server.send(request);
            assertThat(answer.status())
                    .as("seed %d: %s -> %s", SEED, request, answer.body())
                    .isBetween(200, 499);
        }

        for (String queue : List.of(ASKED, ASKED_RABBIT)) {
            assertThat(server.post("/api/v1/queues/" + queue + "/resume").status())
                    .isEqualTo(202);
            assertStillRuns(queue);
        }
    }

    /** Returns the routes of all controllers, so that a new one is tried too. */
    private static List<Route> routes() {
        List<Route> routes = new ArrayList<>();
        server
                .bean("requestMappingHandlerMapping", RequestMappingHandlerMapping.class)
                .getHandlerMethods()
                .keySet()
                .stream()
                .sorted((a, b) -> a.toString().compareTo(b.toString()))
                .forEach(mapping -> mapping.getMethodsCondition()
                        .getMethods()
                        .forEach(method -> mapping.getPatternValues()
                                .forEach(path -> routes.add(new Route(method.name(), path)))));
        assertThat(routes)
                .contains(new Route("GET", "/api/v1/queues/{queue}/tasks"))
                .hasSizeGreaterThan(12);
        return routes;
    }

    private static int publish(String queue) throws Exception {
        FuzzMessages random = new FuzzMessages(SEED + queue.length());
        List<Message> messages = new ArrayList<>(random.knownBadMessages());
        for (int i = 0; i < ROUNDS; i++) {
            messages.add(random.message());
        }
        try (Connection connection = Brokers.rabbit().connect();
                Channel channel = connection.createChannel()) {
            channel.confirmSelect();
            List<String> returned = new ArrayList<>();
            channel.addReturnListener(message -> returned.add(message.getReplyText()));
            for (Message message : messages) {
                channel.basicPublish("tandem", queue, true, message.properties(), message.body());
            }
            channel.waitForConfirmsOrDie(PATIENCE.toMillis());
            assertThat(returned).isEmpty();
        }
        return messages.size();
    }

    /** Waits until Redis has counted every message as ended or keeps it, and checks what it keeps. */
    private static void assertAllAreAccountedFor(String queue, int published) {
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(settled(queue))
                        .as("seed %d: of %d messages: %s", SEED, published, shown(queue))
                        .isEqualTo(published));
        List<JsonNode> dead = all(queue, "dead");
        assertThat(dead).as("seed %d", SEED).isNotEmpty().allSatisfy(task -> {
            assertThat(task.path("error").asString()).isNotBlank();
            String ref = UrlText.pathSegment(task.path("ref").asString());
            Answer answer = server.get("/api/v1/queues/" + queue + "/tasks/" + ref);
            assertThat(answer.status()).as(answer.body()).isEqualTo(200);
        });
        assertStillRuns(queue);
        assertThat(shown(queue).path("counts").path("active").asInt()).isZero();
    }

    /** Returns how many tasks have succeeded, are dead, or wait for a time that is far away. */
    private static int settled(String queue) {
        JsonNode counts = shown(queue).path("counts");
        return counts.path("succeeded").asInt()
                + counts.path("dead").asInt()
                + counts.path("scheduled").asInt();
    }

    private static JsonNode shown(String queue) {
        return server.get("/api/v1/queues/" + queue).json();
    }

    private static List<JsonNode> all(String queue, String state) {
        List<JsonNode> tasks = new ArrayList<>();
        String cursor = "";
        do {
            JsonNode page = server.get("/api/v1/queues/" + queue + "/tasks?limit=500&state=" + state + cursor)
                    .json();
            page.path("tasks").forEach(tasks::add);
            cursor = page.path("next").isMissingNode()
                    ? ""
                    : "&cursor=" + UrlText.queryValue(page.path("next").asString());
        } while (!cursor.isEmpty());
        return tasks;
    }

    private static void assertStillRuns(String queue) {
        awaitHealth();
        int before = shown(queue).path("counts").path("succeeded").asInt();
        int tasks = 4;
        for (int i = 0; i < tasks; i++) {
            String key = UniqueNames.fresh("sentinel");
            Answer answer = server.post("/api/v1/queues/" + queue + "/tasks", "{\"key\": \"" + key + "\"}");
            assertThat(answer.status()).as(answer.body()).isEqualTo(202);
        }
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(
                                shown(queue).path("counts").path("succeeded").asInt())
                        .as("seed %d: %s", SEED, shown(queue))
                        .isGreaterThanOrEqualTo(before + tasks));
    }

    private static void awaitHealth() {
        await().atMost(PATIENCE).untilAsserted(() -> {
            Answer health = server.get("/actuator/health");
            assertThat(health.status()).as(health.body()).isEqualTo(200);
        });
    }
}
