package dev.tandem.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The command that shows how tasks ended. */
class ArchiveCommandTest {

    private static final String END =
            "{\"at\": \"2026-11-20T10:00:00Z\", \"queue\": \"orders\", \"ref\": \"@3/0:1\", \"id\": \"a\","
                    + " \"state\": \"dead\", \"type\": \"ship\", \"key\": \"k\", \"attempt\": 2, \"error\": \"HTTP status 500\"}";

    @Test
    void endsAreListedAndATaskHasItsAttempts() throws Exception {
        try (PreparedServer server = new PreparedServer()) {
            server.answers.put(
                    "GET /api/v1/archive?queue=orders&state=dead&limit=50",
                    "{\"outcomes\": [" + END + "], \"next\": \"c\"}");
            server.answers.put("GET /api/v1/queues/orders/archive/a", "{\"outcomes\": [" + END + "]}");

            assertThat(server.run("archive", "orders", "--state", "dead")).isZero();
            assertThat(server.run("archive", "orders", "a")).isZero();

            assertThat(server.out.toString())
                    .containsPattern("orders +a +dead +ship +k +2 +HTTP status 500\n")
                    .contains("--cursor c")
                    .containsPattern("dead +2 +- +HTTP status 500\n");
        }
    }
}
