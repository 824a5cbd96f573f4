package dev.tandem.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Commands for schedules, against a server with prepared answers. */
class ScheduleCommandsTest {

    private static final String NIGHTLY = """
            {"id": "nightly", "state": "active", "queue": "reports", "type": "report", "cron": "0 30 2 * * *",
             "zone": "Europe/Berlin", "when": "every day at 02:30 Europe/Berlin", "misfire": "one", "overlap": "allow", "firings": 412, "missed": 1, "skipped": 0,
             "fired": "2026-10-24T00:30:00Z", "next": ["2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"],
             "now": "2026-10-24T10:00:00Z"}
            """;

    private final PreparedServer server = new PreparedServer();

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void theListShowsInHowMuchTimeEachFires() {
        server.answers.put("GET /api/v1/schedules", """
                {"now": "2026-10-24T10:00:00Z", "schedules": [%s,
                 {"id": "old", "state": "gone", "queue": "reports", "every": "PT10M", "when": "every 10 minutes", "firings": 3, "missed": 0,
                  "seen": "2026-10-20T10:00:00Z", "next": []}]}
                """.formatted(NIGHTLY));

        assertThat(server.run("schedules", "list")).isZero();

        assertThat(server.out.toString().lines().limit(3))
                .containsExactly(
                        "SCHEDULE  QUEUE    TYPE    WHEN                              STATE   FIRED  MISSED  NEXT",
                        "nightly   reports  report  every day at 02:30 Europe/Berlin  active    412       1  in 14 h 30 min, 1 d 15 h",
                        "old       reports  -       every 10 minutes                  gone        3       0  -");
        assertThat(server.out.toString())
                .contains("No program has had the schedule old since 2026-10-20")
                .contains("./tandem schedules forget old");
    }

    @Test
    void oneIsShownWithItsNextTimesInItsOwnZone() {
        server.answers.put("GET /api/v1/schedules/nightly", NIGHTLY);

        assertThat(server.run("schedules", "show", "nightly")).isZero();

        assertThat(server.out.toString())
                .contains("Schedule nightly: every day at 02:30 Europe/Berlin (0 30 2 * * *), active")
                .contains("Fired 412 times, missed 1, skipped 0")
                .contains("in 14 h 30 min: Sun 2026-10-25 02:30:00 Europe/Berlin")
                .contains("in 1 d 15 h: Mon 2026-10-26 02:30:00 Europe/Berlin");
    }

    @Test
    void changesAreAskedOfTheServer() {
        for (String change : new String[] {"pause", "resume", "fire", "forget"}) {
            assertThat(server.run("schedules", change, "nightly")).isZero();
        }
        assertThat(server.requests)
                .containsExactly(
                        "POST /api/v1/schedules/nightly/pause",
                        "POST /api/v1/schedules/nightly/resume",
                        "POST /api/v1/schedules/nightly/fire",
                        "DELETE /api/v1/schedules/nightly");
        assertThat(server.out.toString())
                .contains("is paused", "goes on", "fires now, by a program that has it", "is forgotten");
    }

    @Test
    void oneIsCreatedAndChangedByWhatIsGiven() {
        server.answers.put(
                "POST /api/v1/schedules/nightly/create", NIGHTLY.replace("\"state\"", "\"created\": true, \"state\""));

        assertThat(server.run("schedules", "create", "nightly", "--queue", "orders", "--cron", "0 30 2 * * *"))
                .isZero();
        assertThat(server.out.toString())
                .contains("every day at 02:30 Europe/Berlin", "Created by API or command", "in 14 h 30 min");
        assertThat(server.run("schedules", "delete", "nightly")).isZero();
        assertThat(server.requests)
                .containsExactly(
                        "POST /api/v1/schedules/nightly/create {\"queue\":\"orders\",\"cron\":\"0 30 2 * * *\"}",
                        "DELETE /api/v1/schedules/nightly");
        assertThat(server.out.toString()).contains("The schedule nightly is deleted", "schedules restore");
    }

    @Test
    void aDeletedOneIsRestoredAndShown() {
        server.answers.put("POST /api/v1/schedules/nightly/restore", NIGHTLY);

        assertThat(server.run("schedules", "restore", "nightly")).isZero();

        assertThat(server.requests).containsExactly("POST /api/v1/schedules/nightly/restore");
        assertThat(server.out.toString()).contains("every day at 02:30 Europe/Berlin", "in 14 h 30 min");
    }

    @ParameterizedTest
    @CsvSource({"PT0S, 0 s", "PT59.6S, 1 min", "PT3M20S, 3 min 20 s", "PT2H, 2 h", "PT49H5M, 2 d 1 h", "PT24H3S, 1 d"})
    void durationsAreWrittenWithTheirTwoLargestUnits(Duration duration, String words) {
        assertThat(ScheduleRows.words(duration)).isEqualTo(words);
    }

    @Test
    void typeWithoutAHandlerIsWarnedOfWhenAScheduleIsCreated() {
        server.answers.put("POST /api/v1/schedules/nightly/create", NIGHTLY);
        server.answers.put(
                "GET /api/v1/executors",
                "{\"executors\": [{\"id\": \"a\", \"queues\": [{\"queue\": \"reports\", \"types\": [\"http\"]}]}]}");

        assertThat(server.run("schedules", "create", "nightly", "--queue", "reports", "--type", "htp", "--every", "1h"))
                .isZero();
        assertThat(server.err.toString()).contains("no executor of reports has a handler for the type 'htp'");
    }
}
