package dev.tandem.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.fanout.FanOutAnswer.Code;
import dev.tandem.task.fanout.FanOutAnswer.Stop;
import dev.tandem.task.fanout.FanOutPlan;
import dev.tandem.task.fanout.FanOutPlan.Rule;
import dev.tandem.task.fanout.FanOutRecord;
import dev.tandem.task.fanout.FanOutRecord.Phase;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** What the API says of fan-outs, and how it cancels them. */
class FanOutsApiTest extends ApiTestBase {

    private static final String ID = "00112233445566778899";

    /** Returns a fan-out whose subtasks have not all ended. */
    static FanOutRecord running(String id) {
        return record(id, Phase.SEALED, Stop.NO, false);
    }

    static FanOutRecord record(Phase phase, Stop stop, boolean finished) {
        return record(ID, phase, stop, finished);
    }

    private static FanOutRecord record(String id, Phase phase, Stop stop, boolean finished) {
        FanOutPlan plan = new FanOutPlan(
                "orders", "3/1:17", "import-1", "import", "", 1, Rule.PARTIAL, 0.05, "orders", new byte[0], 1, 1);
        return new FanOutRecord(
                id,
                plan,
                phase,
                stop,
                stop == Stop.NO ? "" : "asked for",
                100,
                phase == Phase.OPEN ? -1 : 100,
                42,
                2,
                1,
                1_000,
                phase == Phase.COMPLETE ? 5_000 : 0,
                finished,
                0,
                "",
                List.of(new FanOutRecord.Failure(7, "no such row")),
                1,
                FanOutRecord.Master.NOT_AWAITED);
    }

    @Test
    void aFanOutIsShownWithItsProgressAndFirstErrors() {
        FAN_OUTS.records.put(ID, record(Phase.SEALED, Stop.CANCELLED, false));

        JsonNode shown = get("/api/v1/fan-outs/" + ID, 200);

        assertThat(shown.path("state").asString()).isEqualTo("running");
        assertThat(shown.path("stopped").asString()).isEqualTo("cancelled");
        assertThat(shown.path("subtasks").asInt()).isEqualTo(100);
        assertThat(shown.path("succeeded").asInt()).isEqualTo(39);
        assertThat(shown.path("failed").asInt()).isEqualTo(2);
        assertThat(shown.path("master").path("ref").asString()).isEqualTo("@3/1:17");
        assertThat(shown.path("errors").get(0).path("number").asInt()).isEqualTo(7);
        assertThat(shown.has("endedAt")).isFalse();
        assertThat(get("/api/v1/fan-outs/" + ID + "/recount", 200).path("missing"))
                .hasSize(2);
    }

    @Test
    void listsShowOpenOrEndedOnes() {
        FAN_OUTS.records.put(ID, record(Phase.COMPLETE, Stop.NO, true));

        assertThat(get("/api/v1/fan-outs", 200).path("fanOuts")).isEmpty();
        JsonNode ended = get("/api/v1/fan-outs?ended=true&limit=1", 200);

        assertThat(ended.path("fanOuts").get(0).path("state").asString()).isEqualTo("completed");
        assertThat(ended.path("next").asString())
                .isEqualTo(Cursors.of("fan-outs", true).next("next"));
        get("/api/v1/fan-outs?limit=1000", 400);
        get("/api/v1/fan-outs?cursor=%3F", 400);
        get("/api/v1/fan-outs?cursor=" + Cursors.of("fan-outs", false).next("?"), 400);
        get("/api/v1/fan-outs?cursor=" + Cursors.of("fan-outs", true).next("1"), 400);
    }

    @Test
    void oneThatIsStoppedIsEnded() {
        FAN_OUTS.records.put(ID, record(Phase.SEALED, Stop.NO, false));
        assertThat(post("/api/v1/fan-outs/" + ID + "/end", 409).toString()).contains("Cancel it first");
        assertThat(FAN_OUTS.changes).isEmpty();

        FAN_OUTS.records.put(ID, record(Phase.SEALED, Stop.CANCELLED, false));
        post("/api/v1/fan-outs/" + ID + "/end", 202);
        assertThat(FAN_OUTS.changes).containsExactly(ID + " ended by an operator");
        FAN_OUTS.code = Code.CLOSED;
        post("/api/v1/fan-outs/" + ID + "/end", 409);
        post("/api/v1/fan-outs/ffffffffffffffffffff/end", 404);

        FAN_OUTS.records.put(ID, record(Phase.COMPLETE, Stop.CANCELLED, true));
        assertThat(get("/api/v1/fan-outs/" + ID, 200).path("cancelled").asInt())
                .as("with those that were given up")
                .isEqualTo(59);
    }

    @Test
    void oneIsCancelledUnlessItHasEnded() {
        FAN_OUTS.records.put(ID, record(Phase.OPEN, Stop.NO, false));

        post("/api/v1/fan-outs/" + ID + "/cancel", 202);
        FAN_OUTS.code = Code.CLOSED;
        post("/api/v1/fan-outs/" + ID + "/cancel", 409);

        assertThat(FAN_OUTS.changes).hasSize(2).first().asString().startsWith(ID);
        post("/api/v1/fan-outs/ffffffffffffffffffff/cancel", 404);
        get("/api/v1/fan-outs/ffffffffffffffffffff", 404);
        get("/api/v1/fan-outs/..%2Fqueues", 400);
        get("/api/v1/fan-outs/42", 400);
    }
}
