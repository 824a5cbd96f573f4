package dev.tandem.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.store.PermitRequest.PermitRun;
import dev.tandem.task.store.PermitView;
import dev.tandem.task.store.RateInfo;
import dev.tandem.task.store.RateView;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** Tests what the API says of limits over several executors. */
class LimitsApiTest extends ApiTestBase {

    @Test
    void aLimitIsShownWithItsHolders() {
        PermitRun run = new PermitRun("orders", "3/1:17", "order-7", 1_800_000_000_000L);
        PLATFORM.limits.put(
                "queue:orders",
                new PermitView(
                        "queue:orders",
                        5,
                        List.of(
                                new PermitView.Holder("two", 1, 0, 4, 900, List.of()),
                                new PermitView.Holder("one", 4, 3, 2, 800, List.of(run)))));

        JsonNode limit = get("/api/v1/limits/queue:orders", 200);

        assertThat(limit.path("max").asInt()).isEqualTo(5);
        assertThat(limit.path("held").asInt()).isEqualTo(5);
        assertThat(limit.path("running").asInt()).isEqualTo(3);
        assertThat(limit.path("waiting").asInt()).isEqualTo(6);
        JsonNode first = limit.path("executors").path(0);
        assertThat(first.path("id").asString()).isEqualTo("one");
        assertThat(first.path("leaseMillis").asInt()).isEqualTo(800);
        assertThat(first.path("runs").path(0).path("ref").asString()).isEqualTo("@3/1:17");
        assertThat(get("/api/v1/limits", 200).path("limits").path(0)).isEqualTo(limit);
    }

    @Test
    void aRateLimitIsShownWithItsBucketsInUse() {
        PLATFORM.rateLimits.put(
                "mails",
                new RateView(
                        new RateInfo("mails", 12_000_000, 3, "header:tenant"),
                        7,
                        1,
                        List.of(
                                new RateView.Bucket("acme", 1_800_000_000_500_000L, 1_800_000_000_400_900L),
                                new RateView.Bucket("", 1_799_999_999_000_000L, 0))));

        JsonNode named = get("/api/v1/limits/mails", 200);

        assertThat(named.has("max")).as("no limit has the name").isFalse();
        JsonNode rate = named.path("rateLimit");
        assertThat(rate.path("rate").asString()).isEqualTo("5/m");
        assertThat(rate.path("burst").asInt()).isEqualTo(3);
        assertThat(rate.path("per").asString()).isEqualTo("header:tenant");
        assertThat(rate.path("bucketsInUse").asInt()).isEqualTo(7);
        assertThat(rate.path("bucketsPaused").asInt()).isEqualTo(1);
        JsonNode paused = rate.path("buckets").path(0);
        assertThat(paused.path("bucket").asString()).isEqualTo("acme");
        assertThat(paused.path("nextAt").asString()).isEqualTo("2027-01-15T08:00:00.500Z");
        assertThat(paused.path("pausedUntil").asString()).isEqualTo("2027-01-15T08:00:00.400Z");
        JsonNode shared = rate.path("buckets").path(1);
        assertThat(shared.has("bucket")).isFalse();
        assertThat(shared.has("pausedUntil")).isFalse();
        assertThat(get("/api/v1/limits", 200).path("rateLimits").path(0)).isEqualTo(rate);
    }

    @Test
    void aLimitAndARateLimitOfOneNameAreShownTogether() {
        PLATFORM.limits.put("erp", new PermitView("erp", 5, List.of()));
        PLATFORM.rateLimits.put("erp", new RateView(new RateInfo("erp", 10_000, 1, null), 0, 0, List.of()));

        JsonNode named = get("/api/v1/limits/erp", 200);

        assertThat(named.path("max").asInt()).isEqualTo(5);
        assertThat(named.path("rateLimit").path("rate").asString()).isEqualTo("100/s");
    }

    @ParameterizedTest
    @CsvSource({
        "10000, 100/s",
        "142857, 7/s",
        "12000000, 5/m",
        "3000000, 20/m",
        "3600000000, 1/h",
        "7000000, 1/7s",
        "1, 1000000/s",
        "7200000000, 1/7200s",
        "2500500, 1/2500.5ms"
    })
    void aRateIsWrittenAsTasksAndATime(long intervalMicros, String rate) {
        assertThat(RateViews.rate(intervalMicros)).isEqualTo(rate);
    }

    @Test
    void anUnknownLimitIsNotFound() {
        assertThat(get("/api/v1/limits/none", 404).path("detail").asString()).contains("There is no limit 'none'");
        assertThat(get("/api/v1/limits", 200).path("limits")).isEmpty();
    }
}
