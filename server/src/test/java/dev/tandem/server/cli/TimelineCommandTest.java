package dev.tandem.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TimelineCommandTest {

    private final PreparedServer server = new PreparedServer();

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void theTimelineSaysWhatWasReadAndHowToGoOn() {
        server.answers.put("GET /api/v1/queues/orders/keys/a%20b/timeline?before=90", """
                {"log": {"partition": "3", "first": 0, "end": 100, "from": 40, "to": 90, "records": 50, "stop": "records"},
                 "tasks": [{"offset": 41, "id": "pay-1", "state": "dead", "type": "pay", "error": "no card"}],
                 "runs": {"count": 2, "p50Millis": 10, "p95Millis": 20, "maxMillis": 20}, "next": 40}""");

        assertThat(server.run("keys", "timeline", "orders", "a b", "--before", "90"))
                .isZero();

        assertThat(server.out.toString())
                .contains("partition 3, offsets 40 to 90 of 0 to 100, 50 records; stopped: records")
                .contains("runs: p50 10 ms, p95 20 ms, max 20 ms (2 known)")
                .contains("pay-1", "no card", "There may be more: --before 40");
    }
}
