package dev.tandem.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.kafka.KafkaPublisher;
import dev.tandem.runtime.Tandem;
import dev.tandem.server.cli.TandemCli;
import dev.tandem.task.UrlText;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.time.ZoneId;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Why keys and tasks do not move, on real brokers, asked of a server that runs no tasks. */
class WhyIT {

    private static final Duration PATIENCE = WhyAnswers.PATIENCE;
    private static final long HOUR_MILLIS = 3_600_000;
    private static final Map<String, String> QUEUES =
            Map.of("kafka", UniqueNames.fresh("why"), "rabbit", UniqueNames.fresh("why"));
    private static final Map<String, String> NARROW =
            Map.of("kafka", UniqueNames.fresh("narrow"), "rabbit", UniqueNames.fresh("narrow"));
    private static final String KAFKA = QUEUES.get("kafka");
    private static final String LIMITED = UniqueNames.fresh("limited");
    private static final String RATED = UniqueNames.fresh("rated");
    private static final String LOOSE = UniqueNames.fresh("loose");
    private static final String FULL = UniqueNames.fresh("full");
    private static final String BROKEN = UniqueNames.fresh("broken");
    private static final String FAIR = UniqueNames.fresh("fair");
    private static final String GROWN = Brokers.kafka().topic("grown", 1);
    private static final String SHARED = Brokers.kafka().topic("shared", 2);
    private static final String NOBODY = Brokers.kafka().topic("nobody", 1);

    private static RecordingEndpoint endpoint;
    private static TwoServers servers;
    private static WhyAnswers why;

    @BeforeAll
    static void start() throws IOException {
        endpoint = new RecordingEndpoint();
        Map<String, String> settings = RunningServer.settings("kafka", "rabbit");
        settings.put("tandem.kafka.properties[metadata.max.age.ms]", "1000");
        for (String source : QUEUES.keySet()) {
            queue(settings, QUEUES.get(source), source);
            queue(settings, NARROW.get(source), source);
            settings.put("tandem.queues." + NARROW.get(source) + ".concurrency", "1");
            settings.put("tandem.queues." + NARROW.get(source) + ".max-in-memory", "100");
        }
        queue(settings, LIMITED, "kafka");
        settings.put("tandem.limits.erp.max-running", "1");
        settings.put("tandem.limits.erp.queues", LIMITED);
        queue(settings, RATED, "kafka");
        settings.put("tandem.rate-limits.mails.rate", "1/1h");
        settings.put("tandem.rate-limits.mails.queues", RATED);
        queue(settings, LOOSE, "kafka");
        settings.put("tandem.queues." + LOOSE + ".ordering", "none");
        queue(settings, FULL, "kafka");
        settings.put("tandem.queues." + FULL + ".max-blocked-keys", "1");
        queue(settings, BROKEN, "kafka");
        settings.put("tandem.queues." + BROKEN + ".breaker.enabled", "true");
        settings.put("tandem.queues." + BROKEN + ".breaker.attempts", "1");
        queue(settings, FAIR, "rabbit");
        settings.put("tandem.queues." + FAIR + ".concurrency", "1");
        settings.put("tandem.queues." + FAIR + ".prefetch", "40");
        settings.put("tandem.queues." + FAIR + ".fair.by", "key-prefix:/");
        queue(settings, GROWN, "kafka");
        queue(settings, SHARED, "kafka");
        Map<String, String> more = RunningServer.settings();
        queue(more, NOBODY, "kafka");
        servers = new TwoServers(endpoint, settings, more);
        why = new WhyAnswers(servers.asked);
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
        if (servers != null) {
            servers.close();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"kafka", "rabbit"})
    void aKeyWaitsForTheRunOfItsTaskForItsRetryOrIsHalted(String source) {
        String queue = QUEUES.get(source);
        String id = UniqueNames.fresh("pay");
        String key = "customer " + id;
        endpoint.hold(id);
        endpoint.reply(id, 503, "3600");
        why.publish(queue, id, key);
        why.publish(queue, id + "-next", key);
        assertThat(why.awaitKey(queue, key, "running"))
                .startsWith(key + " waits for attempt 1 of " + id + ", which runs in ");
        assertThat(why.ofKey(queue, key).path("id").asString()).isEqualTo(id);
        why.awaitBehind(queue, key, 1);
        assertThat(why.awaitTask(queue, id + "-next", "running"))
                .as("the task behind it")
                .contains("waits for attempt 1 of " + id);

        endpoint.release(id);
        assertThat(why.awaitKey(queue, key, "retry"))
                .startsWith(key + " waits for attempt 2 of " + id + " at ")
                .contains("503")
                .endsWith("./tandem keys retry " + queue + " '" + key + "'");
        why.awaitBehind(queue, key, 1);
        why.awaitTask(queue, id + "-next", "retry");
        assertCommandSaysTheSame(queue, key);

        endpoint.reply(id, 410, null);
        change(queue, "/keys/" + UrlText.pathSegment(key) + "/retry");
        why.awaitKey(queue, key, "halted");
        why.awaitBehind(queue, key, 1);
        change(queue, "/keys/" + UrlText.pathSegment(key) + "/skip");
        why.awaitKey(queue, key, "idle");
    }

    /** The command prints the text that the API answers for the same zone. */
    private static void assertCommandSaysTheSame(String queue, String key) {
        String zone = UrlText.queryValue(ZoneId.systemDefault().getId());
        String path = "/api/v1/queues/" + queue + "/keys/" + UrlText.pathSegment(key) + "/why?zone=" + zone;
        StringWriter out = new StringWriter();
        int status = TandemCli.commandLine()
                .setOut(new PrintWriter(out, true))
                .execute("why", queue, key, "--server", servers.asked.url());
        assertThat(status).isZero();
        assertThat(out.toString().strip())
                .isEqualTo(servers.asked.get(path).json().path("text").asString());
    }

    @Test
    void aTaskIsNotDueOrHasEndedOrIsUnknown() {
        String id = UniqueNames.fresh("later");
        why.publish(LOOSE, id, null, null, System.currentTimeMillis() + HOUR_MILLIS);
        why.awaitTask(LOOSE, id, "not-due");
        why.publish(LOOSE, id + "-done", null);
        why.awaitTask(LOOSE, id + "-done", "ended");
        endpoint.reply(id + "-dead", 410, null);
        why.publish(LOOSE, id + "-dead", null);
        assertThat(why.awaitTask(LOOSE, id + "-dead", "dead")).contains("410", "./tandem dead retry " + LOOSE);
        assertThat(WhyAnswers.cause(why.ofTask(LOOSE, id + "-never")))
                .as("it may be among what is not committed")
                .isIn("idle", "in-broker");
        assertThat(servers.asked.get("/api/v1/queues/" + LOOSE + "/keys/k/why").status())
                .isEqualTo(400);
    }

    /** Nothing is in the way of a task for a moment only: between its time and its start. */
    @Test
    void aTaskIsDue() {
        await("a look at that moment").pollDelay(Duration.ZERO).atMost(PATIENCE).until(() -> {
            String id = UniqueNames.fresh("soon");
            why.publish(LOOSE, id, null, null, System.currentTimeMillis() + 300);
            String cause = "";
            while (!Set.of("due", "running", "ended").contains(cause)) {
                cause = WhyAnswers.cause(why.ofTask(LOOSE, id));
            }
            return cause.equals("due");
        });
    }

    @Test
    void whatIsHandedOverToRedisMustBecomeDurable() {
        String key = UniqueNames.fresh("delayed");
        why.publish(KAFKA, key, key, null, System.currentTimeMillis() + HOUR_MILLIS);
        why.awaitKey(KAFKA, key, "durability");
        assertThat(why.awaitKey(KAFKA, key, "idle")).contains("./tandem tasks " + KAFKA + " --key " + key);
    }

    @ParameterizedTest
    @CsvSource({"kafka,not-reached", "rabbit,in-broker"})
    void keysWaitForASlotAndThenForTheirTurnInTheBroker(String source, String cause) {
        String queue = NARROW.get(source);
        String first = UniqueNames.fresh("first");
        endpoint.hold(first);
        why.publish(queue, first, first);
        why.awaitKey(queue, first, "running");
        for (int i = 0; i < 250; i++) {
            why.publish(queue, first + "-" + i, first + "-k" + i);
        }
        why.awaitKey(queue, first + "-k3", "slot");
        String far = why.awaitKey(queue, first + "-k249", cause);
        if (source.equals("kafka")) {
            assertThat(far)
                    .contains(
                            "records of partition 0, which is read to offset",
                            "when tasks that its owner has in memory");
        } else {
            long quickest = LongStream.generate(() -> nanosOfAnswer(queue, first + "-k249"))
                    .limit(5)
                    .min()
                    .orElseThrow();
            assertThat(Duration.ofNanos(quickest))
                    .as("its sub-queue is not known, but all owners have answered")
                    .isLessThan(Duration.ofMillis(900));
        }
        endpoint.release(first);
        why.awaitKey(queue, first + "-k249", "idle");
    }

    private static long nanosOfAnswer(String queue, String key) {
        long asked = System.nanoTime();
        why.ofKey(queue, key);
        return System.nanoTime() - asked;
    }

    /** Tasks beyond the share of their tenant go to its line once they have waited for the horizon. */
    @Test
    void aKeyWaitsForTheTurnOfItsTenant() {
        String first = UniqueNames.fresh("burst");
        endpoint.hold(first);
        why.publish(FAIR, first, "big/" + first);
        why.awaitKey(FAIR, "big/" + first, "running");
        IntStream.range(0, 100).forEach(i -> why.publish(FAIR, first + "-" + i, "big/k" + i));
        assertThat(why.awaitKey(FAIR, "big/k30", "tenant"))
                .startsWith("big/k30 waits for the turn of its tenant, for " + first + "-30. It goes on by itself");
        await().atMost(PATIENCE).until(() -> servers.asked.metric("tandem_queue_tasks_in_lines", FAIR) > 0);
        endpoint.release(first);
        why.awaitKey(FAIR, "big/k99", "idle");
    }

    @Test
    void keysWaitForAPermitOrForTheirRate() {
        String first = UniqueNames.fresh("first");
        endpoint.hold(first);
        why.publish(LIMITED, first, first);
        why.awaitKey(LIMITED, first, "running");
        why.publish(LIMITED, first + "-2", first + "-2");
        assertThat(why.awaitKey(LIMITED, first + "-2", "permit")).contains("waits for a permit of erp (at most ");
        endpoint.release(first);

        why.publish(RATED, first + "-a", first + "-a");
        why.awaitKey(RATED, first + "-a", "idle");
        why.publish(RATED, first + "-b", first + "-b");
        why.awaitKey(RATED, first + "-b", "rate");
        awaitMetric("tandem_rate_waiting", "mails", 1);
        awaitMetric("tandem_rate_limited_total", "mails", 1);
    }

    @Test
    void aKeyWaitsForAnotherTask() {
        String id = UniqueNames.fresh("tell");
        assertThat(servers.executor
                        .post(
                                "/api/v1/queues/" + KAFKA + "/tasks",
                                "{\"id\": \"" + id + "\", \"key\": \"" + id + "\", \"dependsOn\": \"" + id
                                        + "-first\", \"payload\": 1}")
                        .status())
                .isEqualTo(202);
        assertThat(why.awaitKey(KAFKA, id, "dependency")).contains(id + "-first");
        awaitMetric("tandem_dependents_waiting", KAFKA, 1);
        await().atMost(PATIENCE).until(() -> servers.executor.metric("tandem_dependents_oldest_seconds", KAFKA) > 0);
    }

    private static void awaitMetric(String name, String of, double value) {
        await(name)
                .atMost(PATIENCE)
                .untilAsserted(
                        () -> assertThat(servers.executor.metric(name, of)).isEqualTo(value));
    }

    @Test
    void tasksWaitForWhatIsPausedAndForAHandler() {
        String key = UniqueNames.fresh("paused");
        change(LOOSE, "/pause?type=report");
        String id = why.publishUntilPaused(LOOSE, null, "report");
        assertThat(why.awaitTask(LOOSE, id, "paused")).contains("the type report is paused");
        change(LOOSE, "/resume?type=report");
        why.awaitTask(LOOSE, id, "no-handler");

        change(KAFKA, "/pause?key=" + key);
        why.publishUntilPaused(KAFKA, key, null);
        assertThat(why.awaitKey(KAFKA, key, "paused")).contains("its key is paused");
        change(KAFKA, "/resume?key=" + key);
        why.awaitKey(KAFKA, key, "idle");

        String queue = NARROW.get("kafka");
        change(queue, "/pause");
        try {
            why.publishUntilPaused(queue, key, null);
            assertThat(why.awaitKey(queue, key, "paused"))
                    .contains("the queue is paused")
                    .endsWith("./tandem resume " + queue);
        } finally {
            change(queue, "/resume");
        }
        why.awaitKey(queue, key, "idle");
    }

    @Test
    void keysWaitBecauseTooManyOthersAreBlockedOrNearlyAllAttemptsFail() {
        String id = UniqueNames.fresh("fails");
        endpoint.reply(id, 503, "3600");
        why.publish(FULL, id, id);
        why.awaitKey(FULL, id, "retry");
        why.publish(FULL, id + "-2", id + "-2");
        assertThat(why.awaitKey(FULL, id + "-2", "partition-full")).contains("partition 0 is full: so many keys");

        IntStream.range(0, 12).forEach(i -> endpoint.reply(id + "-" + i, 503, "3600"));
        IntStream.range(0, 12).forEach(i -> why.publish(BROKEN, id + "-" + i, id + "-" + i));
        assertThat(why.awaitKey(BROKEN, id + "-11", "withheld")).contains("attempts failed");
    }

    @Test
    void aKeyThatMovedWaitsForItsFormerPartition() throws Exception {
        String key = keyOf(1);
        endpoint.hold(key);
        why.publish(GROWN, key, key);
        why.awaitKey(GROWN, key, "running");
        await("the growth")
                .atMost(PATIENCE)
                .until(() -> servers.executor
                                .post("/api/v1/queues/" + GROWN + "/partitions?from=1&to=2")
                                .status()
                        < 300);
        try (KafkaProducer<String, byte[]> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", Brokers.kafka().bootstrapServers()),
                new StringSerializer(),
                new ByteArraySerializer())) {
            producer.send(new ProducerRecord<>(GROWN, 1, key, new byte[] {'1'})).get(1, TimeUnit.MINUTES);
        }
        assertThat(why.awaitKey(GROWN, key, "moved")).contains("its earlier partition, for " + GROWN + ":1:0");
        awaitMetric("tandem_moved_keys_waiting", GROWN, 1);
        endpoint.release(key);
    }

    /** A second executor comes, and gets a partition of which the first one still runs a task. */
    @Test
    void aKeyWaitsForARunInAnExecutorThatHasLostThePartition() {
        Set<String> keys = Set.of(keyOf(0), keyOf(1));
        for (String key : keys) {
            endpoint.hold(key);
            why.publish(SHARED, key, key);
            why.awaitKey(SHARED, key, "running");
        }
        try (Tandem second = Tandem.builder()
                .kafka(Brokers.kafka().bootstrapServers())
                .redis(Brokers.redis().uri())
                .queue(SHARED)
                .handler("any", byte[].class, (payload, task) -> {})
                .defaultType("any")
                .start()) {
            await("the loss of a partition")
                    .atMost(PATIENCE)
                    .until(() -> keys.stream()
                            .anyMatch(key ->
                                    WhyAnswers.cause(why.ofKey(SHARED, key)).equals("other-owner")));
            keys.forEach(endpoint::release);
            keys.forEach(key -> why.awaitKey(SHARED, key, "idle"));
        }
    }

    @Test
    void aPartitionHasNoOwner() {
        why.publish(NOBODY, "t", "k");
        assertThat(why.awaitKey(NOBODY, "k", "no-owner"))
                .startsWith("k waits because nobody owns partition 0 of " + NOBODY);
    }

    /** Returns a new key that belongs into this partition of two. */
    private static String keyOf(int partition) {
        String key = UniqueNames.fresh("key");
        return KafkaPublisher.partitionOf(key, 2) == partition ? key : keyOf(partition);
    }

    private static void change(String queue, String path) {
        assertThat(servers.executor.post("/api/v1/queues/" + queue + path).status())
                .isEqualTo(202);
    }
}
