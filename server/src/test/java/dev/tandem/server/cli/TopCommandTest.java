package dev.tandem.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class TopCommandTest {

    private static JsonNode answer(long succeeded, long dead) {
        return ApiClient.JSON.readTree("""
                {"queues": [
                 {"name": "mails", "state": "running", "lag": 0, "counts": {"retry": 1}, "totals": {"succeeded": 7}},
                 {"name": "orders", "state": "full", "lag": 5, "counts": {"parked": 3, "retry": 0},
                  "totals": {"succeeded": %d, "retried": 1, "dead": %d}}]}
                """.formatted(succeeded, dead));
    }

    private static String print(TopFrame frame, int most) {
        StringWriter out = new StringWriter();
        frame.print(most, new PrintWriter(out, true));
        return out.toString();
    }

    @Test
    void theQueueWhereMostWaitsStandsFirst() {
        try (PreparedServer server = new PreparedServer()) {
            server.answers.put("GET /api/v1/queues", answer(10, 0).toString());
            assertThat(server.run("top", "--once")).isZero();
            assertThat(server.out.toString().lines()).hasSize(3);
            assertThat(server.out.toString()).containsSubsequence("QUEUE", "DONE/S", "orders", "full", "mails");
            assertThat(server.run("top", "--interval", "0")).isEqualTo(2);
        }
    }

    @Test
    void ratesAreTakenFromTwoAnswers() {
        String rates = print(new TopFrame(answer(10, 0), answer(40, 3), 2), 10);
        assertThat(rates.lines().skip(1).findFirst().orElseThrow()).containsSubsequence("orders", "full", "15", "1.5");
        assertThat(rates.lines().skip(2).findFirst().orElseThrow()).containsSubsequence("mails", "0.0");
        String first = print(new TopFrame(null, answer(10, 0), 0), 10);
        assertThat(first).doesNotContain("0.0");
    }

    @Test
    void whatHasNoRoomIsCounted() {
        assertThat(print(new TopFrame(null, answer(1, 0), 0), 1))
                .contains("1 more queues are not shown")
                .doesNotContain("mails");
    }
}
