package dev.tandem.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.schedule.ScheduleBook;
import dev.tandem.task.schedule.ScheduleBook.Change;
import dev.tandem.task.schedule.ScheduleBook.Entry;
import dev.tandem.task.schedule.ScheduleBook.Result;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** Schedules over HTTP. */
class SchedulesApiTest extends ApiTestBase {

    private static final long NOW = Instant.parse("2026-10-24T10:00:00Z").toEpochMilli();
    private static final String DEFINITION = """
            {"id": "nightly", "queue": "orders", "type": "report", "cron": "0 30 2 * * *",
             "zone": "Europe/Berlin", "misfire": "one", "misfireAfter": "PT1M", "misfireMax": 100, "overlap": "skip",
             "jitter": "PT0S", "added-later": 1}
            """;

    private static Entry entry(String definition, long seen, long paused) {
        return new Entry(
                "nightly", definition, seen, NOW - 1_000, paused, ScheduleBook.NONE, NOW - 9_000, 7, 2, 1, false);
    }

    private static void have(Entry... entries) {
        SCHEDULES.now = NOW;
        SCHEDULES.entries = List.of(entries);
    }

    @Test
    void schedulesAreListedWithTheirNextInstants() {
        have(entry(DEFINITION, NOW - 5_000, ScheduleBook.NONE));

        JsonNode answer = get("/api/v1/schedules?next=3", 200);
        JsonNode schedule = answer.path("schedules").get(0);

        assertThat(answer.path("now").asString()).isEqualTo("2026-10-24T10:00:00Z");
        assertThat(schedule.path("state").asString()).isEqualTo("active");
        assertThat(schedule.path("queue").asString()).isEqualTo("orders");
        assertThat(schedule.path("cron").asString()).isEqualTo("0 30 2 * * *");
        assertThat(schedule.path("overlap").asString()).isEqualTo("skip");
        assertThat(schedule.path("firings").asInt()).isEqualTo(7);
        assertThat(schedule.path("open").asString()).isEqualTo("2026-10-24T09:59:51Z");
        assertThat(schedule.path("next").values())
                .extracting(JsonNode::asString)
                .containsExactly("2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z", "2026-10-27T01:30:00Z");
    }

    @Test
    void oneThatDoesNotFireHasNoNextInstants() {
        have(entry(DEFINITION, NOW - 60_000, ScheduleBook.NONE));
        assertThat(get("/api/v1/schedules/nightly", 200).path("state").asString())
                .isEqualTo("gone");
        have(entry(DEFINITION, NOW, NOW - 100));
        assertThat(get("/api/v1/schedules/nightly", 200).path("state").asString())
                .isEqualTo("paused");
        have(entry("{\"cron\": \"of a later version\"}", NOW, ScheduleBook.NONE));
        JsonNode unreadable = get("/api/v1/schedules/nightly", 200);
        assertThat(unreadable.path("state").asString()).isEqualTo("unreadable");
        assertThat(unreadable.path("next").isEmpty()).isTrue();
    }

    @Test
    void operatorsChangeThem() {
        have(entry(DEFINITION, NOW, ScheduleBook.NONE));

        post("/api/v1/schedules/nightly/pause", 202);
        post("/api/v1/schedules/nightly/resume", 202);
        post("/api/v1/schedules/nightly/fire", 202);
        send("DELETE", "/api/v1/schedules/nightly", null, null, 202);

        assertThat(SCHEDULES.changes)
                .containsExactly(
                        Change.PAUSE + " nightly",
                        Change.RESUME + " nightly",
                        Change.FIRE + " nightly",
                        Change.FORGET + " nightly");
    }

    @Test
    void aChangeThatIsRefusedSaysWhatToDo() {
        SCHEDULES.result = Result.NOT_FOUND;
        assertThat(post("/api/v1/schedules/none/pause", 404).path("detail").asString())
                .isEqualTo("There is no schedule 'none'");
        SCHEDULES.result = Result.CURRENT;
        assertThat(send("DELETE", "/api/v1/schedules/nightly", null, null, 409)
                        .path("remedy")
                        .asString())
                .contains("Remove it from the settings");
        SCHEDULES.result = Result.STALE;
        assertThat(post("/api/v1/schedules/nightly/fire", 409).path("detail").asString())
                .contains("nobody would fire it");
        assertThat(get("/api/v1/schedules/none", 404).path("remedy").asString()).contains("schedules list");
    }

    @Test
    void aScheduleIsCreatedChangedAndShownWithItsNextInstants() {
        SCHEDULES.now = NOW;
        JsonNode created = json("/api/v1/schedules/nightly/create", """
                {"queue": "orders", "type": "report", "cron": "0 30 2 * * *", "zone": "Europe/Berlin",
                 "payload": "{\\"secret\\": 1}", "jitter": "5s"}
                """, 202);

        assertThat(created.path("created").asBoolean()).isTrue();
        assertThat(created.path("next").size()).isEqualTo(5);
        assertThat(created.path("next").get(0).asString()).isEqualTo("2026-10-25T00:30:00Z");
        assertThat(get("/api/v1/schedules", 200).toString() + created).doesNotContain("secret");
        assertThat(SCHEDULES.definitions.get("nightly").payload()).isEqualTo("{\"secret\": 1}");

        JsonNode changed = json("/api/v1/schedules/nightly/change", "{\"every\": \"15m\", \"jitter\": null}", 202);
        assertThat(changed.has("cron") || changed.has("zone")).isFalse();
        assertThat(changed.path("every").asString()).isEqualTo("PT15M");
        assertThat(changed.path("jitter").asString()).isEqualTo("PT0S");
        assertThat(changed.path("type").asString()).isEqualTo("report");
        assertThat(SCHEDULES.definitions.get("nightly").payload()).isEqualTo("{\"secret\": 1}");

        send(
                "PUT",
                "/api/v1/schedules/nightly",
                "application/json",
                "{\"queue\": \"orders\", \"type\": \"t\", \"every\": 60000}",
                202);
        assertThat(SCHEDULES.definitions.get("nightly").payload()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {}                                                            | queue is not set
            {"queue": "none", "type": "t", "every": "1m"}                 | queue is 'none'
            {"queue": "orders", "type": "t"}                              | cron is not set
            {"queue": "orders", "type": "t", "cron": "0 0 17-9 * * *"}    | 17-9
            {"queue": "orders", "type": "t", "cron": "0 0 0 30 2 *"}      | cron is '0 0 0 30 2 *'
            {"queue": "orders", "type": "t", "every": "1ms"}              | every is '1ms'
            {"queue": "orders", "type": "t", "every": "soon"}             | every 'soon' is no duration
            {"queue": "orders", "type": "t", "every": "1m", "zone": 1, "cron": "@daily"} | every is set too
            {"queue": "orders", "type": "t", "cron": "@daily", "zone": "Mars"} | zone is 'Mars'
            {"queue": "orders", "type": "t", "every": "1m", "overlap": "x"} | overlap is 'x'
            {"queue": "orders", "type": "t", "every": "1m", "misfireMax": "x"} | misfireMax is 'x'
            {"queue": "orders", "type": "t", "every": "1m", "misfireMax": 0} | misfire-max is '0'
            {"queue": "orders", "type": "t", "every": "1m", "payload": {"a": 1}} | payload is no text
            {"queue": "orders", "type": "t", "evry": "1m"}                | There is no field 'evry'
            []                                                            | no JSON object
            {                                                             | not a schedule as JSON
            """)
    void whatCannotFireIsRefused(String body, String detail) {
        assertThat(json("/api/v1/schedules/nightly/create", body, 400)
                        .path("detail")
                        .asString())
                .contains(detail);
        assertThat(SCHEDULES.definitions).isEmpty();
    }

    @Test
    void aScheduleOfAProgramIsNotChangedHere() {
        String body = "{\"queue\": \"orders\", \"type\": \"t\", \"every\": \"1m\"}";
        have(entry(DEFINITION, NOW, ScheduleBook.NONE));
        SCHEDULES.result = Result.CURRENT;
        assertThat(json("/api/v1/schedules/nightly/create", body, 409)
                        .path("remedy")
                        .asString())
                .contains("settings or the code");
        assertThat(json("/api/v1/schedules/nightly/change", body, 409)
                        .path("remedy")
                        .asString())
                .contains("settings or the code");
        assertThat(json("/api/v1/schedules/none/change", body, 404)
                        .path("detail")
                        .asString())
                .contains("There is no schedule");
        SCHEDULES.result = Result.STALE;
        assertThat(json("/api/v1/schedules/nightly/create", body, 409)
                        .path("remedy")
                        .asString())
                .contains("schedules forget nightly");
        SCHEDULES.result = Result.NO_ROOM;
        assertThat(json("/api/v1/schedules/other/create", body, 409)
                        .path("detail")
                        .asString())
                .contains("too many");
        SCHEDULES.result = Result.DONE;
        json("/api/v1/schedules/other/create", body, 202);
        assertThat(json("/api/v1/schedules/other/create", body, 409)
                        .path("remedy")
                        .asString())
                .contains("schedules change other");
    }

    @Test
    void createdSchedulesTogetherFireNotTooOften() {
        String body = "{\"queue\": \"orders\", \"type\": \"t\", \"every\": \"1s\"}";
        for (int i = 0; i < 100; i++) {
            json("/api/v1/schedules/fast-" + i + "/create", body, 202);
        }
        assertThat(json("/api/v1/schedules/one-more/create", body, 400)
                        .path("detail")
                        .asString())
                .contains("101 times a second");
        json("/api/v1/schedules/fast-1/change", body, 202);
    }

    @Test
    void aDeletedScheduleIsRestored() {
        SCHEDULES.now = NOW;
        String body = "{\"queue\": \"orders\", \"type\": \"t\", \"every\": \"1m\", \"payload\": \"secret\"}";
        json("/api/v1/schedules/nightly/create", body, 202);
        send("DELETE", "/api/v1/schedules/nightly", null, null, 202);
        get("/api/v1/schedules/nightly", 404);

        JsonNode restored = post("/api/v1/schedules/nightly/restore", 202);

        assertThat(restored.path("every").asString()).isEqualTo("PT1M");
        assertThat(restored.toString()).doesNotContain("secret");
        assertThat(SCHEDULES.definitions.get("nightly").payload()).isEqualTo("secret");
    }

    @Test
    void aScheduleThatCannotBeRestoredSaysWhy() {
        SCHEDULES.result = Result.NOT_FOUND;
        assertThat(post("/api/v1/schedules/none/restore", 404).path("remedy").asString())
                .contains("ten minutes");
        SCHEDULES.result = Result.CURRENT;
        assertThat(post("/api/v1/schedules/nightly/restore", 409).path("type").asString())
                .endsWith("schedule-of-program");
        SCHEDULES.result = Result.STALE;
        assertThat(post("/api/v1/schedules/nightly/restore", 409).path("type").asString())
                .endsWith("already-exists");
        SCHEDULES.result = Result.NO_ROOM;
        assertThat(post("/api/v1/schedules/nightly/restore", 409).path("type").asString())
                .endsWith("too-many");
    }

    @Test
    void aRestoredScheduleCountsAmongThoseThatFireTooOften() {
        String body = "{\"queue\": \"orders\", \"type\": \"t\", \"every\": \"1s\"}";
        json("/api/v1/schedules/first/create", body, 202);
        send("DELETE", "/api/v1/schedules/first", null, null, 202);
        for (int i = 0; i < 100; i++) {
            json("/api/v1/schedules/fast-" + i + "/create", body, 202);
        }
        assertThat(post("/api/v1/schedules/first/restore", 400).path("detail").asString())
                .contains("101 times a second");
    }

    @Test
    void aScheduleOfWhichAnotherOneWasDeletedMeanwhileIsNotRestored() {
        String body = "{\"queue\": \"orders\", \"type\": \"t\", \"every\": \"1s\"}";
        json("/api/v1/schedules/nightly/create", body, 202);
        send("DELETE", "/api/v1/schedules/nightly", null, null, 202);
        SCHEDULES.looked = new ScheduleBook.Deleted(false, "an earlier one", "{}");

        assertThat(post("/api/v1/schedules/nightly/restore", 409).path("type").asString())
                .endsWith("conflict");

        get("/api/v1/schedules/nightly", 404);
        post("/api/v1/schedules/nightly/restore", 202);
    }

    @Test
    void theNumberOfInstantsHasABound() {
        have(entry(DEFINITION, NOW, ScheduleBook.NONE));
        assertThat(get("/api/v1/schedules?next=101", 400).path("detail").asString())
                .isEqualTo("next is 101");
    }
}
