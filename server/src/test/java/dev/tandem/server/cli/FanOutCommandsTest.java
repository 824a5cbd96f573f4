package dev.tandem.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Commands for fan-outs, against a server with prepared answers. */
class FanOutCommandsTest {

    private static final String ID = "a94b63d26f30a0f9ec1d";

    private static final String ENDED = """
            {"id": "%s", "state": "completed", "rule": "complete", "subtasks": 4, "published": 4, "ended": 4,
             "succeeded": 3, "failed": 1, "cancelled": 0, "since": "2026-11-23T10:00:00Z", "endedAt": "2026-11-23T10:00:05Z",
             "finalQueue": "imports", "finalTask": "%s-final",
             "master": {"queue": "imports", "type": "import", "id": "import-7", "ref": "@3/1:17"},
             "errors": [{"number": 2, "error": "no such row"}]}
            """.formatted(ID, ID);

    private final PreparedServer server = new PreparedServer();

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void theListShowsHowFarTheyAre() {
        server.answers.put("GET /api/v1/fan-outs?limit=50", """
                {"fanOuts": [{"id": "%s", "state": "publishing", "stopped": "failed", "published": 512, "ended": 17,
                 "failed": 1, "cancelled": 0, "since": "2026-11-23T10:00:00Z",
                 "master": {"queue": "imports", "type": "import"}}]}
                """.formatted(ID));

        assertThat(server.run("fan-outs", "list")).isZero();

        assertThat(server.out.toString()).contains(ID, "imports", "publishing, stopped (failed)", "17 of 512 and more");
    }

    @Test
    void oneIsShownWithItsErrorsAndABar() {
        server.answers.put("GET /api/v1/fan-outs/" + ID, ENDED);

        assertThat(server.run("fan-outs", "show", ID, "--watch")).isZero();

        assertThat(server.err.toString()).contains("[########################################] 4 of 4 completed");
        assertThat(server.out.toString())
                .doesNotContain("##")
                .contains("of task import-7 (import) of queue imports: completed")
                .contains("3 succeeded, 1 failed, 0 were cancelled")
                .contains("subtask 2: no such row")
                .contains("Its final task is " + ID + "-final of queue imports");
    }

    @Test
    void oneThatWaitsForItsMasterOnlySaysSo() {
        server.answers.put(
                "GET /api/v1/fan-outs/" + ID,
                ENDED.replaceFirst("\\{\"id\"", "{\"parent\": \"f00/3/1\", \"awaitsMaster\": true, \"id\""));

        assertThat(server.run("fan-outs", "show", ID)).isZero();

        assertThat(server.out.toString()).contains("Its master is the subtask f00/3/1, which has not ended");
    }

    @Test
    void recountNamesWhatIsMissing() {
        server.answers.put(
                "GET /api/v1/fan-outs/" + ID + "/recount", "{\"fanOut\": " + ENDED + ", \"missing\": [17, 18]}");

        assertThat(server.run("fan-outs", "recount", ID)).isZero();

        assertThat(server.out.toString()).contains("Not ended: 17, 18.").contains(ID + "-17");
    }

    @Test
    void oneIsCancelled() {
        assertThat(server.run("fan-outs", "cancel", ID)).isZero();

        assertThat(server.requests).containsExactly("POST /api/v1/fan-outs/" + ID + "/cancel");
    }

    @Test
    void oneIsEnded() {
        assertThat(server.run("fan-outs", "end", ID)).isZero();

        assertThat(server.requests).containsExactly("POST /api/v1/fan-outs/" + ID + "/end");
        assertThat(server.out.toString()).contains("waits for no subtask any more");
    }
}
