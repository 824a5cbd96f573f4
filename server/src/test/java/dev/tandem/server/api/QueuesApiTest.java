package dev.tandem.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.server.inspect.QueueHandlers;
import dev.tandem.server.inspect.UnavailableException;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Queues, keys and executors over HTTP. */
class QueuesApiTest extends ApiTestBase {

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
        assertThat(orders.path("state").asString()).isEqualTo("2 partitions unowned");
        assertThat(orders.path("problems").get(0).asString())
                .isEqualTo("No executor owns partitions 1, 2, so their tasks wait");
        assertThat(mail.path("withheld").asString()).isEqualTo("starts are slowed down");
        assertThat(orders.has("withheld")).isFalse();
        assertThat(mail.has("lag")).as("unknown").isFalse();
        assertThat(orders.path("eventsWaitingBytes").asLong()).isEqualTo(340);
        assertThat(mail.has("partitions")).isFalse();
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
