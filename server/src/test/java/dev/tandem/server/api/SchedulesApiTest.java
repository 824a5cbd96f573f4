package dev.tandem.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.schedule.ScheduleBook;
import dev.tandem.task.schedule.ScheduleBook.Change;
import dev.tandem.task.schedule.ScheduleBook.Entry;
import dev.tandem.task.schedule.ScheduleBook.Result;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Schedules over HTTP. */
class SchedulesApiTest extends ApiTestBase {

    private static final long NOW = Instant.parse("2026-10-24T10:00:00Z").toEpochMilli();
    private static final String DEFINITION = """
            {"id": "nightly", "queue": "orders", "type": "report", "payload": "secret", "cron": "0 30 2 * * *",
             "zone": "Europe/Berlin", "misfire": "one", "misfireAfter": "PT1M", "misfireMax": 100, "overlap": "skip",
             "jitter": "PT0S", "added-later": 1}
            """;

    private static Entry entry(String definition, long seen, long paused) {
        return new Entry("nightly", definition, seen, NOW - 1_000, paused, ScheduleBook.NONE, NOW - 9_000, 7, 2, 1);
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
        assertThat(answer.toString()).doesNotContain("secret");
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
    void theNumberOfInstantsHasABound() {
        have(entry(DEFINITION, NOW, ScheduleBook.NONE));
        assertThat(get("/api/v1/schedules?next=101", 400).path("detail").asString())
                .isEqualTo("next is 101");
    }
}
