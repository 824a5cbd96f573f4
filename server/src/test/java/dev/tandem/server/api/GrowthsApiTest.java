package dev.tandem.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.runtime.settings.SettingsLoader;
import dev.tandem.runtime.settings.TandemSettings;
import dev.tandem.server.inspect.GrowthInfo;
import dev.tandem.server.inspect.GrowthInfo.EarlierPartition;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import tools.jackson.databind.JsonNode;

/** Tests what the API says of topics that got more partitions. */
class GrowthsApiTest extends ApiTestBase {

    private static final String PARTITIONS_OF_ORDERS = "/api/v1/queues/orders/partitions";

    @Test
    void aTopicGetsMorePartitions() {
        assertThat(get(PARTITIONS_OF_ORDERS, 200).path("partitions").asInt()).isEqualTo(8);
        assertThat(post(PARTITIONS_OF_ORDERS + "?from=8&to=16", 202)
                        .path("partitions")
                        .asInt())
                .isEqualTo(16);
        assertThat(PARTITIONS.count).isEqualTo(16);
        assertThat(post(PARTITIONS_OF_ORDERS + "?from=8&to=32", 409)
                        .path("remedy")
                        .asString())
                .contains("from=16");
        PLATFORM.noticedPartitions = 16;
        assertThat(post(PARTITIONS_OF_ORDERS + "?from=16&to=9999", 409)
                        .path("detail")
                        .asString())
                .contains("too many");
        post(PARTITIONS_OF_ORDERS + "?from=16&to=16", 400);
        post(PARTITIONS_OF_ORDERS + "?to=32", 400);
        post("/api/v1/queues/none/partitions?from=1&to=2", 404);
        assertThat(post("/api/v1/queues/mail/partitions?from=1&to=2", 409)
                        .path("detail")
                        .asString())
                .contains("not in Kafka");
    }

    @Test
    void aTopicDoesNotGrowWhileProducersMayUseTheFormerNumber() {
        PLATFORM.growths.add(new GrowthInfo(
                4, 8, Instant.parse("2026-11-23T10:00:00Z"), Instant.parse("2026-11-23T10:06:00Z"), true, List.of()));

        assertThat(post(PARTITIONS_OF_ORDERS + "?from=8&to=16", 409)
                        .path("detail")
                        .asString())
                .contains("until 2026-11-23T10:06:00Z");
        assertThat(PARTITIONS.count).isEqualTo(8);
    }

    @Test
    void aTopicDoesNotGrowAgainBeforeExecutorsHaveNoticedTheLastGrowth() {
        post(PARTITIONS_OF_ORDERS + "?from=8&to=16", 202);
        JsonNode refusal = post(PARTITIONS_OF_ORDERS + "?from=16&to=32", 409);
        assertThat(refusal.path("detail").asString()).contains("has 16 partitions", "noticed only 8 of them");
        assertThat(refusal.path("remedy").asString()).contains("within a minute");
        assertThat(PARTITIONS.count).isEqualTo(16);

        PLATFORM.noticedPartitions = 0;
        assertThat(post(PARTITIONS_OF_ORDERS + "?from=16&to=32", 409)
                        .path("detail")
                        .asString())
                .contains("noticed none of them");
    }

    @Test
    void ofTwoRequestsAtOnceOneIsRefused() {
        PARTITIONS.onGrow = () -> assertThat(post(PARTITIONS_OF_ORDERS + "?from=8&to=12", 409)
                        .path("detail")
                        .asString())
                .contains("Another request");
        post(PARTITIONS_OF_ORDERS + "?from=8&to=16", 202);
        assertThat(PARTITIONS.count).isEqualTo(16);
    }

    @Test
    void aTopicWhoseMovedKeysDoNotWaitMayGrowAtAnyTime() {
        PLATFORM.noticedPartitions = 0;
        StandardEnvironment environment = new StandardEnvironment();
        environment
                .getPropertySources()
                .addFirst(new MapPropertySource(
                        "test",
                        Map.of(
                                "tandem.queues.orders.source", "kafka",
                                "tandem.queues.orders.handler", "noop",
                                "tandem.queues.orders.growth-window", "0s")));
        TandemSettings settings = SettingsLoader.load(environment);
        new PartitionsController(new ConfiguredQueues(settings, PLATFORM), PLATFORM, PARTITIONS).grow("orders", 8, 16);
        assertThat(PARTITIONS.count).isEqualTo(16);
    }

    private static final Instant NOTICED = Instant.parse("2026-11-23T10:00:00Z");

    @Test
    void aGrowthIsShownWithItsEarlierPartitions() {
        PLATFORM.growths.add(new GrowthInfo(
                2,
                4,
                NOTICED,
                NOTICED.plusSeconds(360),
                false,
                List.of(
                        new EarlierPartition("0", 7L, 8L, List.of(), false),
                        new EarlierPartition("1", 9L, 9L, List.of("order-7"), false))));

        JsonNode growth =
                get("/api/v1/queues/orders/growths", 200).path("growths").path(0);

        assertThat(growth.path("from").asInt()).isEqualTo(2);
        assertThat(growth.path("to").asInt()).isEqualTo(4);
        assertThat(growth.path("openUntil").asString()).isEqualTo("2026-11-23T10:06:00Z");
        assertThat(growth.path("ends").asString()).isEqualTo("taken");
        assertThat(growth.path("settled").asBoolean(true)).isFalse();
        assertThat(growth.path("partitions").path(0).path("settled").asBoolean(false))
                .isTrue();
        JsonNode awaited = growth.path("partitions").path(1);
        assertThat(awaited.path("settled").asBoolean(true)).isFalse();
        assertThat(awaited.path("movedKeys").path(0).asString()).isEqualTo("order-7");
    }

    @Test
    void whileItIsOpenNoPartitionIsSettled() {
        PLATFORM.growths.add(new GrowthInfo(
                1, 2, NOTICED, NOTICED, true, List.of(new EarlierPartition("0", null, 8L, List.of(), false))));
        JsonNode growth =
                get("/api/v1/queues/orders/growths", 200).path("growths").path(0);
        assertThat(growth.path("ends").asString()).isEqualTo("open");
        assertThat(growth.path("partitions").path(0).has("end")).isFalse();
        assertThat(growth.path("partitions").path(0).path("settled").asBoolean(true))
                .isFalse();
    }

    @Test
    void thereMayBeNone() {
        assertThat(get("/api/v1/queues/orders/growths", 200).path("growths")).isEmpty();
        get("/api/v1/queues/none/growths", 404);
    }
}
