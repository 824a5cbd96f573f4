package dev.tandem.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the command line says of topics that got more partitions. */
class PartitionsCommandTest {

    private static final String GROWTHS = "GET /api/v1/queues/orders/growths";

    private final PreparedServer server = new PreparedServer();

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void formerPartitionsAreShownWithTheKeysThatAreAwaited() {
        server.answers.put(GROWTHS, """
                {"growths": [{"from": 2, "to": 4, "since": "2026-11-23T10:00:00Z", "openUntil": "2026-11-23T10:06:00Z",
                  "ends": "taken", "settled": false, "partitions": [
                    {"partition": "0", "end": 7, "settledTo": 8, "settled": true, "movedKeys": [], "more": false},
                    {"partition": "1", "end": 9, "settledTo": 9, "settled": false,
                     "movedKeys": ["a", "b", "c", "d", "e", "f", "g"], "more": false}]}]}""");

        assertThat(server.run("partitions", "orders")).isZero();

        assertThat(server.out.toString())
                .startsWith("From 2 to 4 partitions, noticed at 2026-11-23 ")
                .contains(
                        "PARTITION  END  SETTLED TO  STATE    MOVED KEYS NOT SETTLED",
                        "        0    7           8  settled  -",
                        "        1    9           9  awaited  a, b, c, d, e, 2 more")
                .doesNotContain("Producers");
    }

    @Test
    void whileItIsOpenProducersMayUseTheFormerNumber() {
        server.answers.put(GROWTHS, """
                {"growths": [{"from": 1, "to": 2, "since": "2026-11-23T10:00:00Z", "openUntil": "2026-11-23T10:06:00Z",
                  "ends": "open", "settled": false, "partitions": [
                    {"partition": "0", "settledTo": 8, "settled": false, "movedKeys": [], "more": true}]}]}""");

        assertThat(server.run("partitions", "orders")).isZero();

        assertThat(server.out.toString())
                .contains(
                        "Producers may use the former number until 2026-11-23 ", "do not add further partitions before")
                .contains("        0    -           8  awaited  perhaps more");
    }

    @Test
    void aTopicGetsMorePartitionsAfterAConfirmation() {
        server.answers.put("GET /api/v1/queues/orders/partitions", "{\"partitions\": 8}");
        server.answers.put("POST /api/v1/queues/orders/partitions?from=8&to=16", "{\"partitions\": 16}");

        assertThat(server.run("partitions", "orders", "--to", "16")).isNotZero();
        assertThat(server.err.toString()).contains("has 8 partitions. Give it 16?", "--yes");
        assertThat(server.requests).containsExactly("GET /api/v1/queues/orders/partitions");

        assertThat(server.run("partitions", "orders", "--to", "16", "--yes")).isZero();
        assertThat(server.out.toString()).contains("has 16 partitions", "./tandem partitions orders");
    }

    @Test
    void fewerPartitionsAreRefusedBeforeAnythingIsAsked() {
        server.answers.put("GET /api/v1/queues/orders/partitions", "{\"partitions\": 24}");

        assertThat(server.run("partitions", "orders", "--to", "12")).isNotZero();
        assertThat(server.err.toString()).contains("has 24 partitions already").doesNotContain("Give it");
    }

    @Test
    void mostlyNothingWaits() {
        server.answers.put(GROWTHS, "{\"growths\": []}");
        assertThat(server.run("partitions", "orders")).isZero();
        assertThat(server.out.toString()).startsWith("No task of orders waits for an earlier partition of its key. If");
    }
}
