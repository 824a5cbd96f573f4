package dev.tandem.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.server.inspect.PartitionInfo;
import dev.tandem.server.inspect.QueueHandlers;
import dev.tandem.server.inspect.TaskCounts;
import dev.tandem.server.inspect.UnavailableException;
import dev.tandem.task.store.LimitOverride;
import dev.tandem.task.store.PartitionReport;
import dev.tandem.task.store.PermitView;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Queues, keys and executors over HTTP. */
class QueuesApiTest extends ApiTestBase {

    @Test
    void runningTasksAreListedWithWhatTheirExecutorsSayThoseFirstThatRunForLongest() {
        claim("orders", "1:17", "host-1", 40);
        claim("orders", "1:18", "host-1", 20);
        claim("mail", "1", "gone", 10);
        tell("host-1", "orders", "1:17", "order-17", "php-2");
        PLATFORM.live = Set.of("host-1", "other");

        JsonNode all = get("/api/v1/running", 200);

        assertThat(all.path("claimed").asInt()).isEqualTo(6);
        assertThat(all.has("partial")).isFalse();
        assertThat(all.has("silent"))
                .as("one is not alive, the other was not asked")
                .isFalse();
        assertThat(all.path("running").valueStream().map(each -> each.path("id").asString()))
                .containsExactly("mail:0:1", "orders:0:18", "order-17");
        JsonNode told = all.path("running").path(2);
        assertThat(told.path("queue").asString()).isEqualTo("orders");
        assertThat(told.path("ref").asString()).isEqualTo("@0/1:17");
        assertThat(told.path("type").asString()).isEqualTo("ship");
        assertThat(told.path("key").asString()).isEqualTo("customer-of-1:17");
        assertThat(told.path("attempt").asInt()).isEqualTo(3);
        assertThat(told.path("since").asString()).as("its handler began").isEqualTo("2026-11-20T10:00:30Z");
        assertThat(told.path("claimedUntil").asString()).isEqualTo("2026-11-20T10:02:00Z");
        assertThat(told.path("worker").path("name").asString()).isEqualTo("php-2");
        assertThat(told.path("worker").path("leaseUntil").asString()).isEqualTo("2026-11-20T10:01:30Z");
        assertThat(told.path("progress").path("text").asString()).isEqualTo("of card 4711");
        JsonNode untold = all.path("running").path(0);
        assertThat(untold.has("type")).as("only its executor knows").isFalse();
        assertThat(untold.path("since").asString()).as("its claim").isEqualTo("2026-11-20T10:00:10Z");
        assertThat(untold.path("progress").path("text").asString())
                .as("the queue masks payloads")
                .isEqualTo("***");
    }

    @Test
    void runningTasksAreThoseOfAQueueAnExecutorOrAType() {
        claim("orders", "1:17", "host-1", 1);
        claim("orders", "1:18", "host-2", 2);
        claim("mail", "1", "host-1", 3);
        tell("host-2", "orders", "1:18", "order-18", null);
        PLATFORM.live = Set.of("host-1", "host-2");

        assertThat(get("/api/v1/queues/orders/running", 200).path("running")).hasSize(2);
        assertThat(get("/api/v1/running?executor=host-1", 200).path("running")).hasSize(2);
        JsonNode ships = get("/api/v1/running?type=ship", 200);
        assertThat(ships.path("running")).hasSize(1);
        assertThat(ships.path("running").path(0).has("worker")).isFalse();
        assertThat(ships.path("silent").path(0).asString()).isEqualTo("host-1");
        JsonNode first = get("/api/v1/running?limit=1", 200);
        assertThat(first.path("running").path(0).path("ref").asString()).isEqualTo("@0/1:17");
        assertThat(first.path("partial").asBoolean()).isTrue();
        get("/api/v1/queues/none/running", 404);
        get("/api/v1/running?limit=501", 400);
        PLATFORM.failure = new UnavailableException("Redis is away");
        get("/api/v1/running", 503);
    }

    @Test
    void queuesAreListedWithTheirCounts() {
        JsonNode queues = get("/api/v1/queues", 200).path("queues");

        assertThat(queues.size()).isEqualTo(3);
        JsonNode orders = named(queues, "orders");
        JsonNode mail = named(queues, "mail");
        assertThat(orders.path("source").asString()).isEqualTo("kafka");
        assertThat(orders.path("ordering").asString()).isEqualTo("key");
        assertThat(orders.path("lag").asLong()).isEqualTo(12);
        assertThat(orders.path("blockedKeys").asLong()).isEqualTo(1);
        assertThat(orders.path("counts").path("active").asLong()).isEqualTo(2);
        assertThat(orders.path("counts").path("dead").asLong()).isEqualTo(5);
        assertThat(orders.path("totals").path("retried").asLong()).isEqualTo(8);
        assertThat(orders.path("state").asString()).isEqualTo("1 partition unowned");
        assertThat(orders.path("problems").get(0).asString())
                .isEqualTo("No executor owns partition 1, so its tasks wait");
        assertThat(orders.path("problems").get(1).asString())
                .as("only the broker knows it")
                .startsWith("No executor owns partition 2 yet: ");
        assertThat(mail.path("withheld").asString()).startsWith("starts are slowed down");
        assertThat(orders.has("withheld")).isFalse();
        assertThat(mail.has("lag")).as("unknown").isFalse();
        assertThat(orders.path("eventsWaitingBytes").asLong()).isEqualTo(340);
        assertThat(mail.has("partitions")).isFalse();
    }

    @Test
    void theOldestTaskOfAQueueIsThatOfItsPartitions() {
        PLATFORM.partitions.put(
                "mail",
                List.of(
                        new PartitionInfo("0", "host-1", 0, TaskCounts.NONE, Map.of(), 0, 0, 90_000L, null),
                        new PartitionInfo("1", "host-2", 0, TaskCounts.NONE, Map.of(), 0, 0, null, null)));
        JsonNode mail = get("/api/v1/queues/mail", 200);
        assertThat(mail.path("oldestWaitMillis").asLong()).isEqualTo(90_000);
        assertThat(mail.path("partitions").get(0).path("oldestWaitMillis").asLong())
                .isEqualTo(90_000);
        assertThat(mail.path("partitions").get(1).has("oldestWaitMillis"))
                .as("its owner does not say it")
                .isFalse();
    }

    @Test
    void theLimitOfAQueueIsTheNumberThatIsInForce() {
        PermitView.Holder holder = new PermitView.Holder("one", 40, 26, 2, 800, List.of());
        PLATFORM.limits.put("queue:orders", new PermitView("queue:orders", 50, null, List.of(holder, holder)));
        assertThat(get("/api/v1/queues/orders", 200).path("limit").toString())
                .isEqualTo("{\"max\":50,\"running\":52,\"waiting\":4}");

        PLATFORM.limits.put(
                "queue:orders",
                new PermitView("queue:orders", 50, new LimitOverride.OfPermits(20, "ann", 0, "1"), List.of(holder)));
        JsonNode queues = get("/api/v1/queues", 200).path("queues");
        assertThat(named(queues, "orders").path("limit").path("max").asInt())
                .as("what an operator has set")
                .isEqualTo(20);
        assertThat(named(queues, "mail").has("limit")).as("it has none").isFalse();
    }

    /** Settings from the command line are in no particular order. */
    private static JsonNode named(JsonNode queues, String name) {
        for (JsonNode queue : queues) {
            if (queue.path("name").asString().equals(name)) {
                return queue;
            }
        }
        throw new AssertionError("No queue " + name + " in " + queues);
    }

    @Test
    void oneQueueIsShownWithThePartitionsKnownToRedisOrTheBroker() {
        JsonNode partitions = get("/api/v1/queues/orders", 200).path("partitions");

        assertThat(partitions.size()).isEqualTo(3);
        assertThat(partitions.get(0).path("owner").asString()).isEqualTo("host-1");
        assertThat(partitions.get(0).path("lag").asLong()).isEqualTo(7);
        assertThat(partitions.get(1).has("owner")).isFalse();
        assertThat(partitions.get(2).path("partition").asString()).isEqualTo("2");
    }

    @Test
    void partitionsAreShownWithWhatTheirOwnersHaveInMemoryAsFarAsTheySayIt() {
        PLATFORM.partitions.put("mail", List.of(partition("0"), partition("1"), partition("2")));
        PLATFORM.counted.add(report("0", 4_211, true));
        PLATFORM.counted.add(report("1", PartitionReport.NOT_COUNTED, false));

        // Another test may have asked within the last five seconds.
        await().until(() -> memory(0).has("tasks"));
        assertThat(memory(0))
                .isEqualTo(JsonMapper.shared().readTree("{\"tasks\": 12, \"bytes\": 4211, \"full\": true}"));
        assertThat(memory(1)).isEqualTo(JsonMapper.shared().readTree("{\"tasks\": 12}"));
        assertThat(memory(2).isMissingNode()).isTrue();
    }

    private static JsonNode memory(int partition) {
        return get("/api/v1/queues/mail", 200)
                .path("partitions")
                .path(partition)
                .path("memory");
    }

    private static PartitionInfo partition(String name) {
        return new PartitionInfo(name, "host-1", 0, TaskCounts.NONE, Map.of(), 0, 0, 0L, null);
    }

    private static PartitionReport report(String partition, long bytes, boolean full) {
        return new PartitionReport(partition, "host-1", -1, 12, 0, bytes, full, false, false, 0, true, "");
    }

    @Test
    void queuesAreShownWithoutWhatOnlyRedisKnowsWhileItDoesNotAnswer() {
        PLATFORM.failure = new UnavailableException("Redis is not available: connection refused");

        for (JsonNode queue : get("/api/v1/queues", 200).path("queues")) {
            assertThat(queue.path("state").asString()).isEqualTo("no redis");
            assertThat(queue.path("problems").get(0).asString())
                    .isEqualTo("Redis is not available: connection refused");
            assertThat(queue.has("counts") || queue.has("paused") || queue.has("blockedKeys"))
                    .isFalse();
        }
    }

    @Test
    void partitionsAreShownWithoutWhatOnlyRedisKnowsWhileItDoesNotAnswer() {
        PLATFORM.failure = new UnavailableException("Redis is not available: connection refused");

        JsonNode partitions = get("/api/v1/queues/orders", 200).path("partitions");

        assertThat(partitions.size()).isEqualTo(2);
        partitions.forEach(partition -> {
            assertThat(partition.has("lag")).isTrue();
            assertThat(partition.has("counts") || partition.has("blockedKeys")).isFalse();
        });
    }

    @Test
    void pausedTypesAndKeysAreShownWithTheCommandsThatResumeThem() {
        post("/api/v1/queues/orders/pause?type=mail", 202);
        post("/api/v1/queues/orders/pause?type=mail&key=k", 400);
        post("/api/v1/queues/orders/pause?type=", 400);
        JsonNode queue = get("/api/v1/queues/orders", 200);
        assertThat(queue.path("pausedTypes").get(0).asString()).isEqualTo("mail");
        assertThat(queue.has("pausedKeys")).isFalse();
        assertThat(queue.path("problems").toString()).contains("./tandem resume orders --type mail lets it go on");

        post("/api/v1/queues/orders/resume?type=mail", 202);
        assertThat(PLATFORM.changes).first().isEqualTo("pause orders [mail][]");
        assertThat(get("/api/v1/queues/orders", 200).has("pausedTypes")).isFalse();
    }

    @Test
    void pausedQueueNamesTheCommandThatResumesIt() {
        PLATFORM.paused = true;

        assertThat(get("/api/v1/queues/orders", 200).path("problems").get(0).asString())
                .isEqualTo("An operator has paused the queue in all executors; ./tandem resume orders lets it go on");
    }

    @Test
    void partitionSaysThatItStartsNoFurtherKeys() {
        JsonNode partitions = get("/api/v1/queues/orders", 200).path("partitions");

        JsonNode tooMany = partitions.get(0).path("tooManyBlockedKeys");
        assertThat(tooMany.path("blockedKeys").asLong()).isEqualTo(1);
        assertThat(tooMany.path("max").asLong()).isEqualTo(1);
        assertThat(partitions.get(1).has("tooManyBlockedKeys")).isFalse();
    }

    @Test
    void unknownQueueIsNotFoundAndTheKnownOnesAreNamed() {
        for (String path : List.of(
                "/api/v1/queues/order", "/api/v1/queues/order/tasks?state=dead", "/api/v1/queues/order/keys/a")) {
            JsonNode problem = get(path, 404);
            assertThat(problem.path("detail").asString()).isEqualTo("There is no queue 'order'");
            assertThat(problem.path("remedy").asString()).contains("orders", "mail");
            assertThat(problem.path("status").asInt()).isEqualTo(404);
        }
    }

    @Test
    void queueThatOnlyOthersRunIsNotFoundAndTheCommandsThatShowItAreNamed() {
        PLATFORM.handlers.put("parcels", QueueHandlers.NONE);
        PLATFORM.handlers.put("parcels.new", QueueHandlers.NONE);

        JsonNode problem = get("/api/v1/queues/parcels/tasks", 404);

        assertThat(problem.path("detail").asString())
                .isEqualTo("Executors run the queue 'parcels', but this server's settings do not have it");
        assertThat(problem.path("remedy").asString())
                .contains(
                        "orders",
                        "mail",
                        "./tandem up --queue parcels",
                        "./tandem server --server.port=8090 --tandem.executor.enabled=false"
                                + " '--tandem.queues.parcels.source=kafka'"
                                + " '--tandem.kafka.bootstrap-servers=localhost:9092'"
                                + " '--tandem.redis.uri=redis://localhost:6379'");
        assertThat(json("/api/v1/queues/parcels.new/tasks", "{}", 404)
                        .path("remedy")
                        .asString())
                .contains("'--tandem.queues[parcels.new].source=kafka'");
        PLATFORM.failure = new UnavailableException("Redis is not available: connection refused");
        assertThat(get("/api/v1/queues/parcels/tasks", 404).path("detail").asString())
                .isEqualTo("There is no queue 'parcels'");
    }

    @Test
    void keyIsShownWithTheReasonWhyItIsBlocked() {
        PLATFORM.keys.put("order/7", key("order/7"));

        JsonNode blocked = get("/api/v1/queues/orders/keys/order%2F7", 200);
        JsonNode open = get("/api/v1/queues/orders/keys/order%2F8", 200);

        assertThat(blocked.path("blocked").asBoolean()).isTrue();
        assertThat(blocked.path("why").asString()).isEqualTo("halted");
        assertThat(blocked.path("head").asString()).isEqualTo("@0/1:1");
        assertThat(blocked.path("parked").asLong()).isEqualTo(3);
        assertThat(open.path("blocked").asBoolean(true)).isFalse();
        assertThat(open.size()).isEqualTo(2);
    }

    @Test
    void executorsAreListed() {
        JsonNode executor = get("/api/v1/executors", 200).path("executors").get(0);

        assertThat(executor.path("id").asString()).isEqualTo("host-1");
        assertThat(executor.path("queues").get(0).path("partitions").asInt()).isEqualTo(2);
    }
}
