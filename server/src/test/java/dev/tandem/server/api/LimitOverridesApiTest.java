package dev.tandem.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.runtime.queues.ConfiguredLimits;
import dev.tandem.task.store.LimitOverride;
import dev.tandem.task.store.LimitRequest;
import dev.tandem.task.store.PermitView;
import dev.tandem.task.store.RateInfo;
import dev.tandem.task.store.RateView;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Tests which overrides of limits are shown, and that a change takes back no other one. */
class LimitOverridesApiTest extends ApiTestBase {

    @Test
    void aChangeOfWhatSomebodyElseHasChangedMeanwhileIsRefusedWithTheNumberThatIsInForce() {
        PLATFORM.limits.put("erp", new PermitView("erp", 50, null, List.of()));
        PLATFORM.rateLimits.put("erp", new RateView(new RateInfo("erp", 12_000_000, 3, null), null, 0, 0, List.of()));
        String path = "/api/v1/limits/erp/override";
        JsonNode first = send("PUT", path + "?revision=none", "application/json", "{\"maxRunning\": 20}", 200);
        String seen = first.path("limit").path("revision").asString();
        assertThat(get("/api/v1/limits/erp", 200)
                        .path("override")
                        .path("revision")
                        .asString())
                .isEqualTo(seen);
        set("erp", "{\"maxRunning\": 7}", 200);

        for (JsonNode refused : List.of(
                send("PUT", path + "?revision=none", "application/json", "{\"maxRunning\": 30}", 409),
                send("PUT", path + "?revision=" + seen, "application/json", "{\"maxRunning\": 30}", 409),
                send("DELETE", path + "?of=running&revision=" + seen, null, null, 409))) {
            assertThat(refused.path("type").asString()).isEqualTo("urn:tandem:problem:limit-changed");
            assertThat(refused.path("detail").asString())
                    .isEqualTo("Somebody has changed 'erp' since. Now it is at most 7 at once, set by anybody");
        }
        assertThat(get("/api/v1/limits/erp", 200).path("max").asInt()).isEqualTo(7);

        assertThat(send("PUT", path + "?revision=" + seen, "application/json", "{\"rate\": \"1/s\"}", 409)
                        .path("detail")
                        .asString())
                .endsWith("Now it is 5/m with a burst of 3, by the settings");
        send("PUT", path + "?revision=none", "application/json", "{\"rate\": \"1/s\"}", 200);
        assertThat(send("DELETE", path + "?of=rate&revision=none", null, null, 409)
                        .path("detail")
                        .asString())
                .endsWith("Now it is 1/s with a burst of 3, set by anybody");
        assertThat(send("DELETE", path + "?revision=none", null, null, 400)
                        .path("remedy")
                        .asString())
                .contains("of=running");
        send("DELETE", path + "?of=rate&revision=last", null, null, 400);
    }

    /** An executor may have used it longer ago than a day, and this server's settings may not have it. */
    @Test
    void anOverriddenRateThatNobodyUsesIsShownAndReset() {
        LimitOverride.OfRate override = new LimitOverride.OfRate(1_000_000, 4, "anna", 1_800_000_000_000L, "8");
        PLATFORM.rateLimits.put("mails", new RateView("mails", null, override, 0, 0, List.of()));

        JsonNode rate = get("/api/v1/limits/mails", 200).path("rateLimit");

        assertThat(rate.path("rate").asString()).isEqualTo("1/s");
        assertThat(rate.has("configured")).isFalse();
        assertThat(rate.path("override").path("by").asString()).isEqualTo("anna");
        LimitReader reader = new LimitReader(
                PLATFORM,
                new ConfiguredLimits(
                        new TreeMap<>(),
                        new TreeMap<>(Map.of("mails", new RateInfo("mails", 10_000, 1, null))),
                        Map.of()));
        assertThat(reader.all().rateLimits()).singleElement().satisfies(each -> {
            assertThat(each.override()).isNotNull();
            assertThat(each.configured())
                    .satisfies(its -> assertThat(its.rate()).isEqualTo("100/s"));
        });
    }

    /** The list of limits and the overrides are written in two steps. */
    @Test
    void anOverrideOfALimitThatIsNotListedIsShownAndReset() {
        LimitOverride.OfPermits permits = new LimitOverride.OfPermits(5, "anna", 1_800_000_000_000L, "7");
        LimitOverride.OfRate rate = new LimitOverride.OfRate(1_000_000, 4, "anna", 1_800_000_000_000L, "8");
        PLATFORM.limits.put("erp", new PermitView("erp", 0, permits, List.of()));
        PLATFORM.rateLimits.put("mails", new RateView("mails", null, rate, 0, 0, List.of()));
        PLATFORM.unlistedLimits.addAll(List.of("erp", "mails"));

        assertThat(get("/api/v1/limits/erp", 200).path("max").asInt()).isEqualTo(5);
        assertThat(get("/api/v1/limits/mails", 200)
                        .path("rateLimit")
                        .path("burst")
                        .asInt())
                .isEqualTo(4);

        send("DELETE", "/api/v1/limits/erp/override", null, null, 200);
        assertThat(PLATFORM.limits.get("erp").override()).isNull();
    }

    /** The page offers it for some seconds. */
    @Test
    void anUndoOfAResetTakesBackNoLaterOne() {
        PLATFORM.limits.put("erp", new PermitView("erp", 50, null, List.of()));
        set("erp", "{\"maxRunning\": 20}", 200);
        String path = "/api/v1/limits/erp/override";
        JsonNode reset = send("DELETE", path, null, null, 200);
        String revision = reset.path("limit").path("revision").asString();
        set("erp", "{\"maxRunning\": 5}", 200);
        send("DELETE", path, null, null, 200);

        assertThat(send("PUT", path + "?revision=" + revision, "application/json", "{\"maxRunning\": 20}", 409)
                        .path("detail")
                        .asString())
                .endsWith("Now it is at most 50 at once, by the settings");
        send("PUT", path + "?revision=none", "application/json", "{\"maxRunning\": 20}", 200);
    }

    @Test
    void aRateWithoutABurstKeepsTheBurstThatAnotherOperatorSetsAtTheSameTime() {
        PLATFORM.rateLimits.put(
                "mails", new RateView(new RateInfo("mails", 12_000_000, 50, null), null, 0, 0, List.of()));
        LimitRequest other = LimitRequest.set(new LimitRequest.Rate(12_000_000, 1), "anna", null);
        InMemoryLimits.BEFORE_NEXT.set(() -> new InMemoryLimits(PLATFORM).change("mails", other));

        JsonNode changed = set("mails", "{\"rate\": \"10/s\"}", 200).path("rateLimit");

        assertThat(changed.path("burst").asInt()).isEqualTo(1);
        assertThat(changed.path("burstBefore").asInt()).isEqualTo(1);
        assertThat(get("/api/v1/limits/mails", 200)
                        .path("rateLimit")
                        .path("burst")
                        .asInt())
                .isEqualTo(1);
    }

    @Test
    void ofManyLimitsThoseWithAnOverrideAreShown() {
        for (int i = 0; i < 300; i++) {
            String name = "limit-" + (1_000 + i);
            PLATFORM.limits.put(name, new PermitView(name, 50, null, List.of()));
            PLATFORM.rateLimits.put(name, new RateView(new RateInfo(name, 12_000_000, 3, null), null, 0, 0, List.of()));
        }
        set("limit-1299", "{\"maxRunning\": 7}", 200);
        set("limit-1298", "{\"rate\": \"10/s\"}", 200);

        JsonNode all = get("/api/v1/limits", 200);

        JsonNode limits = all.path("limits");
        assertThat(limits).hasSize(200);
        assertThat(limits.path(0).path("name").asString()).isEqualTo("limit-1000");
        assertThat(limits.path(199).path("name").asString()).isEqualTo("limit-1299");
        assertThat(all.path("rateLimits").path(199).path("name").asString()).isEqualTo("limit-1298");
    }

    private static JsonNode set(String limit, String body, int status) {
        return send("PUT", "/api/v1/limits/" + limit + "/override", "application/json", body, status);
    }
}
