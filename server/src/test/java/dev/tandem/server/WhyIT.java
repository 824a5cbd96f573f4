package dev.tandem.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.server.cli.TandemCli;
import dev.tandem.task.Publisher;
import dev.tandem.task.Task;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.time.ZoneId;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Why keys and tasks do not move, on real brokers, asked of a server that runs no tasks. */
class WhyIT {

    private static final Duration PATIENCE = Duration.ofSeconds(Long.getLong("it.patience", 60));
    private static final String KAFKA = UniqueNames.fresh("why");
    private static final String RABBIT = UniqueNames.fresh("why");
    private static final String NARROW = UniqueNames.fresh("narrow");
    private static final String LIMITED = UniqueNames.fresh("limited");
    private static final String RATED = UniqueNames.fresh("rated");
    private static final String LOOSE = UniqueNames.fresh("loose");
    private static final String NOBODY = Brokers.kafka().topic("nobody", 1);

    private static RecordingEndpoint endpoint;
    private static RunningServer executor;
    private static RunningServer asked;

    @BeforeAll
    static void start() throws IOException {
        endpoint = new RecordingEndpoint();
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("server.port", "0");
        settings.put("tandem.kafka.bootstrap-servers", Brokers.kafka().bootstrapServers());
        settings.put("tandem.rabbit.uri", Brokers.rabbit().uri());
        settings.put("tandem.redis.uri", Brokers.redis().uri());
        queue(settings, KAFKA, "kafka");
        queue(settings, RABBIT, "rabbit");
        queue(settings, NARROW, "kafka");
        settings.put("tandem.queues." + NARROW + ".concurrency", "1");
        settings.put("tandem.queues." + NARROW + ".max-in-memory", "100");
        queue(settings, LIMITED, "kafka");
        settings.put("tandem.limits.erp.max-running", "1");
        settings.put("tandem.limits.erp.queues", LIMITED);
        queue(settings, RATED, "kafka");
        settings.put("tandem.rate-limits.mails.rate", "1/1h");
        settings.put("tandem.rate-limits.mails.queues", RATED);
        queue(settings, LOOSE, "kafka");
        settings.put("tandem.queues." + LOOSE + ".ordering", "none");
        executor = new RunningServer(settings);
        Map<String, String> without = new LinkedHashMap<>(settings);
        without.put("tandem.executor.enabled", "false");
        queue(without, NOBODY, "kafka");
        asked = new RunningServer(without);
        await().atMost(PATIENCE).until(() -> executor.get("/actuator/health").status() == 200);
    }

    private static void queue(Map<String, String> settings, String queue, String source) {
        String at = "tandem.queues." + queue + ".";
        settings.put(at + "source", source);
        settings.put(at + "partitions", "1");
        settings.put(at + "ordering", "key");
        settings.put(at + "breaker.enabled", "false");
        settings.put(at + "handler", "http");
        settings.put(at + "http.url", endpoint.url());
        settings.put(at + "http.dead-on", "410");
        settings.put(at + "timeout", "10m");
    }

    @AfterAll
    static void stop() {
        if (asked != null) {
            asked.close();
        }
        if (executor != null) {
            executor.close();
        }
        endpoint.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"kafka", "rabbit"})
    void aKeyWaitsForTheRunOfItsTaskForItsRetryOrIsHalted(String source) {
        String queue = source.equals("kafka") ? KAFKA : RABBIT;
        String id = UniqueNames.fresh("pay");
        String key = "customer " + id;
        endpoint.hold(id);
        endpoint.reply(id, 503, "3600");
        publish(queue, id, key, 0);
        publish(queue, id + "-next", key, 0);
        JsonNode runs = awaitCause(queue, key, "running");
        assertThat(runs.path("id").asString()).isEqualTo(id);
        await().atMost(PATIENCE).until(() -> why(queue, key).path("behind").asInt() == 1);
        assertThat(runs.path("text").asString()).startsWith(key + " waits for attempt 1 of " + id + ", which runs in ");

        endpoint.release(id);
        JsonNode retry = awaitCause(queue, key, "retry");
        await().atMost(PATIENCE).until(() -> why(queue, key).path("behind").asInt() == 1);
        assertThat(retry.path("text").asString())
                .startsWith(key + " waits for attempt 2 of " + id + " at ")
                .contains("503")
                .endsWith("./tandem keys retry " + queue + " '" + key + "'");
        JsonNode ofTask = asked.get("/api/v1/queues/" + queue + "/tasks/" + id + "-next/why")
                .json();
        assertThat(ofTask.path("cause").asString()).as(ofTask.toString()).isEqualTo("retry");
        assertCommandSaysTheSame(queue, key);

        endpoint.reply(id, 410, null);
        assertThat(executor.post("/api/v1/queues/" + queue + "/keys/" + RunningServer.encode(key) + "/retry")
                        .status())
                .isEqualTo(202);
        assertThat(awaitCause(queue, key, "halted").path("behind").asInt()).isEqualTo(1);
        assertThat(executor.post("/api/v1/queues/" + queue + "/keys/" + RunningServer.encode(key) + "/skip")
                        .status())
                .isEqualTo(202);
        awaitCause(queue, key, "idle");
    }

    /** The command prints the text that the API answers for the same zone. */
    private static void assertCommandSaysTheSame(String queue, String key) {
        String zone = RunningServer.encode(ZoneId.systemDefault().getId());
        String path = "/api/v1/queues/" + queue + "/keys/" + RunningServer.encode(key) + "/why?zone=" + zone;
        StringWriter out = new StringWriter();
        int status = TandemCli.commandLine()
                .setOut(new PrintWriter(out, true))
                .execute("why", queue, key, "--server", asked.url());
        assertThat(status).isZero();
        assertThat(out.toString().strip())
                .isEqualTo(asked.get(path).json().path("text").asString());
    }

    @Test
    void aTaskIsNotDueOrHasEndedOrIsUnknown() {
        String id = UniqueNames.fresh("later");
        publish(LOOSE, id, null, System.currentTimeMillis() + 3_600_000);
        awaitTaskCause(LOOSE, id, "not-due");
        publish(LOOSE, id + "-done", null, 0);
        awaitTaskCause(LOOSE, id + "-done", "ended");
        assertThat(whyTask(LOOSE, id + "-never").path("cause").asString())
                .as("it may be among what is not committed")
                .isIn("idle", "in-broker");
        assertThat(asked.get("/api/v1/queues/" + LOOSE + "/keys/k/why").status())
                .isEqualTo(400);
    }

    @Test
    void keysWaitForASlotAndThenForTheirTurnInTheBroker() {
        String first = UniqueNames.fresh("first");
        endpoint.hold(first);
        publish(NARROW, first, first, 0);
        awaitCause(NARROW, first, "running");
        for (int i = 0; i < 150; i++) {
            publish(NARROW, first + "-" + i, first + "-k" + i, 0);
        }
        awaitCause(NARROW, first + "-k3", "slot");
        JsonNode far = awaitCause(NARROW, first + "-k149", "not-reached");
        assertThat(far.path("text").asString())
                .contains("records of partition 0, which is read to offset", "when tasks that its owner has in memory");
        endpoint.release(first);
        awaitCause(NARROW, first + "-k149", "idle");
    }

    @Test
    void keysWaitForAPermitOrForTheirRate() {
        String first = UniqueNames.fresh("first");
        endpoint.hold(first);
        publish(LIMITED, first, first, 0);
        awaitCause(LIMITED, first, "running");
        publish(LIMITED, first + "-2", first + "-2", 0);
        assertThat(awaitCause(LIMITED, first + "-2", "permit").path("text").asString())
                .contains("a permit of erp, for " + first + "-2");
        endpoint.release(first);

        publish(RATED, first + "-a", first + "-a", 0);
        awaitCause(RATED, first + "-a", "idle");
        publish(RATED, first + "-b", first + "-b", 0);
        awaitCause(RATED, first + "-b", "rate");
    }

    @Test
    void aKeyWaitsForAnotherTask() {
        String id = UniqueNames.fresh("tell");
        assertThat(executor.post(
                                "/api/v1/queues/" + KAFKA + "/tasks",
                                "{\"id\": \"" + id + "\", \"key\": \"" + id + "\", \"dependsOn\": \"" + id
                                        + "-first\", \"payload\": 1}")
                        .status())
                .isEqualTo(202);
        assertThat(awaitCause(KAFKA, id, "dependency").path("text").asString()).contains(id + "-first");
    }

    @Test
    void tasksWaitForWhatIsPausedAndForAHandler() {
        String id = UniqueNames.fresh("paused");
        String queue = "/api/v1/queues/" + LOOSE;
        assertThat(executor.post(queue + "/pause?type=report").status()).isEqualTo(202);
        Task task = new Task(id, LOOSE, "report", null, new byte[] {'1'}, Map.of(), 0, 0, 0, 0, null);
        publisher().publish(task).toCompletableFuture().join();
        assertThat(awaitTaskCause(LOOSE, id, "paused").path("text").asString()).contains("the type report is paused");
        assertThat(executor.post(queue + "/resume?type=report").status()).isEqualTo(202);
        awaitTaskCause(LOOSE, id, "no-handler");

        String at = "/api/v1/queues/" + KAFKA;
        assertThat(executor.post(at + "/pause?key=" + id).status()).isEqualTo(202);
        publish(KAFKA, id, id, 0);
        assertThat(awaitCause(KAFKA, id, "paused").path("text").asString()).contains("its key is paused");
        assertThat(executor.post(at + "/resume?key=" + id).status()).isEqualTo(202);
        awaitCause(KAFKA, id, "idle");
    }

    @Test
    void aPartitionHasNoOwner() {
        publish(NOBODY, "t", "k", 0);
        assertThat(awaitCause(NOBODY, "k", "no-owner").path("text").asString())
                .startsWith("k waits because nobody owns partition 0 of " + NOBODY);
    }

    private static JsonNode awaitCause(String queue, String key, String cause) {
        await(cause)
                .atMost(PATIENCE)
                .untilAsserted(() -> assertThat(why(queue, key).toString()).contains("\"cause\":\"" + cause + "\""));
        return why(queue, key);
    }

    private static JsonNode awaitTaskCause(String queue, String id, String cause) {
        await(cause)
                .atMost(PATIENCE)
                .untilAsserted(() -> assertThat(whyTask(queue, id).toString()).contains("\"cause\":\"" + cause + "\""));
        return whyTask(queue, id);
    }

    private static JsonNode why(String queue, String key) {
        return asked.get("/api/v1/queues/" + queue + "/keys/" + RunningServer.encode(key) + "/why")
                .json();
    }

    private static JsonNode whyTask(String queue, String id) {
        return asked.get("/api/v1/queues/" + queue + "/tasks/" + id + "/why").json();
    }

    private static Publisher publisher() {
        return asked.bean("publisher", Publisher.class);
    }

    private static void publish(String queue, String id, String key, long notBefore) {
        Task task = new Task(id, queue, null, key, new byte[] {'1'}, Map.of(), 0, notBefore, 0, 0, null);
        publisher().publish(task).toCompletableFuture().join();
    }
}
