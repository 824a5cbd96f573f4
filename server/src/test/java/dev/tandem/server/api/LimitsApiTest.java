package dev.tandem.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.tandem.runtime.queues.ConfiguredLimits;
import dev.tandem.server.access.AuditEntry;
import dev.tandem.server.inspect.TaskInfo;
import dev.tandem.server.inspect.TaskRef;
import dev.tandem.task.AttemptHistory;
import dev.tandem.task.Envelope;
import dev.tandem.task.Task;
import dev.tandem.task.TaskNotes;
import dev.tandem.task.TaskState;
import dev.tandem.task.WaitReason;
import dev.tandem.task.store.PermitRequest.PermitRun;
import dev.tandem.task.store.PermitView;
import dev.tandem.task.store.RateInfo;
import dev.tandem.task.store.RateView;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
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
                        null,
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
                        null,
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
        PLATFORM.limits.put("erp", new PermitView("erp", 5, null, List.of()));
        PLATFORM.rateLimits.put("erp", new RateView(new RateInfo("erp", 10_000, 1, null), null, 0, 0, List.of()));

        JsonNode named = get("/api/v1/limits/erp", 200);

        assertThat(named.path("max").asInt()).isEqualTo(5);
        assertThat(named.path("rateLimit").path("rate").asString()).isEqualTo("100/s");
    }

    /** Before their first use, and once nobody has used them for long. */
    @Test
    void limitsOfTheSettingsAreShownThoughNobodyUsesThem() {
        PLATFORM.limits.put("queue:orders", new PermitView("queue:orders", 0, null, List.of()));
        LimitReader limits = new LimitReader(
                PLATFORM,
                new ConfiguredLimits(
                        new TreeMap<>(Map.of("queue:orders", 1, "erp", 5)),
                        new TreeMap<>(Map.of("mails", new RateInfo("mails", 10_000, 1, null))),
                        Map.of("orders", new TreeSet<>(List.of("queue:orders", "mails")))));

        assertThat(limits.all().limits())
                .extracting(LimitReader.Limit::name, LimitReader.Limit::max)
                .containsExactly(tuple("erp", 5), tuple("queue:orders", 1));
        assertThat(limits.all().rateLimits())
                .extracting(RateViews.RateLimit::name, RateViews.RateLimit::rate)
                .containsExactly(tuple("mails", "100/s"));
        assertThat(limits.ofQueue("orders").limits())
                .extracting(LimitReader.Limit::name, LimitReader.Limit::max)
                .containsExactly(tuple("queue:orders", 1));
        assertThat(limits.ofQueue("orders").rateLimits())
                .extracting(RateViews.RateLimit::name)
                .containsExactly("mails");
        assertThat(limits.ofQueue("mail").limits()).isEmpty();
        assertThat(limits.one("erp").max()).isEqualTo(5);
        assertThat(limits.one("mails").rateLimit()).isNotNull();
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
    void anOperatorSetsAndResetsTheMostTasksAtOnce() {
        PermitView.Holder holder = new PermitView.Holder("one", 40, 37, 2, 800, List.of());
        PLATFORM.limits.put("erp", new PermitView("erp", 50, null, List.of(holder)));

        JsonNode lowered = set("erp", "{\"maxRunning\": 20}", 200);

        assertThat(lowered.path("limit").path("maxRunning").asInt()).isEqualTo(20);
        assertThat(lowered.path("limit").path("maxRunningBefore").asInt()).isEqualTo(50);
        assertThat(lowered.path("limit").path("running").asInt()).isEqualTo(37);
        assertThat(lowered.has("rateLimit")).isFalse();
        JsonNode shown = get("/api/v1/limits/erp", 200);
        assertThat(shown.path("max").asInt()).isEqualTo(20);
        assertThat(shown.path("configured").asInt()).isEqualTo(50);
        assertThat(shown.path("override").path("by").asString()).isEqualTo("anybody");
        assertThat(shown.path("override").path("at").asString()).isEqualTo("2027-01-15T08:07:00Z");
        assertThat(set("erp", "{\"maxRunning\": 100000}", 200)
                        .path("limit")
                        .path("maxRunningBefore")
                        .asInt())
                .as("above the settings, too")
                .isEqualTo(20);
        JsonNode reset = send("DELETE", "/api/v1/limits/erp/override", null, null, 200);
        assertThat(reset.path("limit").path("maxRunning").asInt()).isEqualTo(50);
        assertThat(reset.path("limit").path("maxRunningBefore").asInt()).isEqualTo(100_000);
        assertThat(get("/api/v1/limits/erp", 200).has("override")).isFalse();
        assertThat(AUDIT.entries)
                .extracting(AuditEntry::action, AuditEntry::subject, AuditEntry::result)
                .startsWith(tuple("change", "limit erp", "done: max-running 20, before 50"))
                .endsWith(tuple("reset", "limit erp", "done: max-running 50, before 100000"));
    }

    @Test
    void anOperatorSetsAndResetsARate() {
        PLATFORM.rateLimits.put(
                "mails", new RateView(new RateInfo("mails", 12_000_000, 3, null), null, 0, 0, List.of()));

        JsonNode changed = set("mails", "{\"rate\": \"10/s\"}", 200);

        assertThat(changed.path("rateLimit").path("rate").asString()).isEqualTo("10/s");
        assertThat(changed.path("rateLimit").path("burst").asInt())
                .as("as before")
                .isEqualTo(3);
        assertThat(changed.path("rateLimit").path("rateBefore").asString()).isEqualTo("5/m");
        assertThat(changed.has("limit")).isFalse();
        JsonNode rate = get("/api/v1/limits/mails", 200).path("rateLimit");
        assertThat(rate.path("rate").asString()).isEqualTo("10/s");
        assertThat(rate.path("configured").path("rate").asString()).isEqualTo("5/m");
        assertThat(rate.path("override").has("by")).isTrue();
        assertThat(set("mails", "{\"intervalMicros\": 2500500, \"burst\": 1}", 200)
                        .path("rateLimit")
                        .path("rate")
                        .asString())
                .isEqualTo("1/2500.5ms");
        assertThat(send("DELETE", "/api/v1/limits/mails/override", null, null, 200)
                        .path("rateLimit")
                        .path("rate")
                        .asString())
                .isEqualTo("5/m");
    }

    @Test
    void oneOfTwoLimitsWithOneNameIsReset() {
        PLATFORM.limits.put("erp", new PermitView("erp", 50, null, List.of()));
        PLATFORM.rateLimits.put("erp", new RateView(new RateInfo("erp", 12_000_000, 3, null), null, 0, 0, List.of()));
        set("erp", "{\"maxRunning\": 20}", 200);
        set("erp", "{\"rate\": \"10/s\"}", 200);

        assertThat(send("DELETE", "/api/v1/limits/erp/override?of=running", null, null, 200)
                        .has("rateLimit"))
                .isFalse();

        assertThat(get("/api/v1/limits/erp", 200).path("rateLimit").path("rate").asString())
                .isEqualTo("10/s");
        assertThat(get("/api/v1/limits/erp", 200).path("max").asInt()).isEqualTo(50);
        assertThat(send("DELETE", "/api/v1/limits/erp/override?of=rate", null, null, 200)
                        .path("rateLimit")
                        .path("rate")
                        .asString())
                .isEqualTo("5/m");
        send("DELETE", "/api/v1/limits/erp/override?of=all", null, null, 400);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "mails | 400 | {\"rate\": \"1/30d\", \"burst\": 1000}",
                "erp   | 400 | {\"maxRunning\": 0}",
                "erp   | 400 | {\"maxRunning\": 100001}",
                "erp   | 400 | {\"maxRunning\": \"five\"}",
                "erp   | 400 | {\"maxRunning\": 1.5}",
                "erp   | 400 | {\"maxRunning\": 5, \"rate\": \"1/s\"}",
                "erp   | 400 | {\"maxRunning\": 5, \"burst\": 1}",
                "erp   | 400 | {\"burst\": 1}",
                "erp   | 400 | {}",
                "erp   | 400 | []",
                "erp   | 400 | {\"max\": 5}",
                "erp   | 400 | no JSON",
                "erp   | 400 | {\"rate\": \"1/s\"}",
                "mails | 400 | {\"maxRunning\": 5}",
                "mails | 400 | {\"rate\": \"fast\"}",
                "mails | 400 | {\"rate\": 5}",
                "mails | 400 | {\"rate\": \"1/s\", \"intervalMicros\": 5}",
                "mails | 400 | {\"intervalMicros\": 2592000000001}",
                "mails | 400 | {\"rate\": \"1/s\", \"burst\": 1000001}",
                "none  | 404 | {\"maxRunning\": 5}"
            })
    void otherNumbersAreRefusedAndChangeNothing(String limit, int status, String body) {
        PLATFORM.limits.put("erp", new PermitView("erp", 50, null, List.of()));
        PLATFORM.rateLimits.put(
                "mails", new RateView(new RateInfo("mails", 12_000_000, 3, null), null, 0, 0, List.of()));

        assertThat(set(limit, body, status).path("remedy").asString()).isNotEmpty();

        assertThat(PLATFORM.limits.get("erp").override()).isNull();
        assertThat(PLATFORM.rateLimits.get("mails").override()).isNull();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a permit of erp and other | a permit of erp (at most 7 at once, set by anybody) and other, for a. ",
                "a token of mails          | a token of mails (5/m with a burst of 3), for a, at "
            })
    void whyATaskWaitsNamesTheNumberInForceAndWhoHasSetIt(String waitsFor, String said) {
        PLATFORM.limits.put("erp", new PermitView("erp", 50, null, List.of()));
        PLATFORM.rateLimits.put(
                "mails", new RateView(new RateInfo("mails", 12_000_000, 3, null), null, 0, 0, List.of()));
        set("erp", "{\"maxRunning\": 7}", 200);
        Map<String, String> headers = Map.of(WaitReason.HEADER, waitsFor);
        Task task = new Task("a", "orders", null, "k", bytes("x"), headers, 0, 0, 0, 0, null);
        put(new TaskInfo(
                new TaskRef("0", "1:1"),
                TaskState.RETRY,
                Instant.now().plusSeconds(3_600),
                task.key(),
                1,
                null,
                null,
                new Envelope(task, 1, 9, ""),
                null,
                AttemptHistory.of(task),
                TaskNotes.NONE));

        JsonNode why = get("/api/v1/queues/orders/tasks/@0%2F1:1/why", 200);

        assertThat(why.path("text").asString()).contains("waits for " + said);
    }

    private static JsonNode set(String limit, String body, int status) {
        return send("PUT", "/api/v1/limits/" + limit + "/override", "application/json", body, status);
    }

    @Test
    void anUnknownLimitIsNotFound() {
        assertThat(get("/api/v1/limits/none", 404).path("detail").asString()).contains("There is no limit 'none'");
        assertThat(get("/api/v1/limits", 200).path("limits")).isEmpty();
    }
}
