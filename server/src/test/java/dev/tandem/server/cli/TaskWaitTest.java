package dev.tandem.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code tasks QUEUE ID --wait}. */
class TaskWaitTest {

    private static final String END = "GET /api/v1/queues/orders/tasks/a/end?timeout=";

    private final PreparedServer server = new PreparedServer();

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void aTaskThatSucceedsIsPrinted() {
        server.answers.put(END + "30000ms", "{\"ended\":false,\"state\":\"active\"}");
        server.answers.put(
                END + "15000ms",
                "{\"ended\":true,\"state\":\"succeeded\",\"task\":{\"id\":\"a\",\"result\":{\"n\":7}}}");

        assertThat(server.run("tasks", "orders", "a", "--wait", "75s")).isZero();
        assertThat(server.requests).containsExactly(END + "30000ms", END + "30000ms", END + "15000ms");
        assertThat(server.out.toString()).contains("id: a").contains("result: {\"n\":7}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"dead", "expired", "cancelled"})
    void aTaskThatEndsOtherwiseIsPrintedAndSaidToHaveFailed(String state) {
        server.answers.put(END + "500ms", "{\"ended\":true,\"state\":\"" + state + "\",\"task\":{\"id\":\"a\"}}");

        assertThat(server.run("tasks", "orders", "a", "--wait", "500ms")).isEqualTo(CliException.REFUSED);
        assertThat(server.out.toString()).contains("id: a");
        assertThat(server.err.toString()).contains("has not succeeded: its state is " + state);
    }

    @Test
    void aTaskThatDoesNotEndInTimeIsSaidToRunOn() {
        server.answers.put(END + "10000ms", "{\"ended\":false,\"state\":\"retry\"}");
        assertThat(server.run("tasks", "orders", "a", "--wait", "10s")).isEqualTo(CliException.REFUSED);
        assertThat(server.err.toString()).contains("has not ended within 10s: its state is retry");

        server.answers.put(END + "10000ms", "{\"ended\":false}");
        server.run("tasks", "orders", "a", "--wait", "10s");
        assertThat(server.err.toString()).contains("Redis does not know it");
    }

    @ParameterizedTest
    @ValueSource(strings = {"soon", "0", "-1s", "25h"})
    void aWrongTimeIsRefused(String time) {
        assertThat(server.run("tasks", "orders", "a", "--wait", time)).isEqualTo(CliException.USAGE);
        assertThat(server.err.toString()).contains("--wait");
        assertThat(server.requests).isEmpty();
    }

    @Test
    void aTimeWithoutAUnitIsRefused() {
        assertThat(server.run("tasks", "orders", "a", "--wait", "2")).isEqualTo(CliException.USAGE);
        assertThat(server.err.toString()).contains("'--wait'", "'2' has no unit: write 2s for seconds");
        assertThat(server.run("tasks", "reschedule", "orders", "a", "--delay", "30"))
                .isEqualTo(CliException.USAGE);
        assertThat(server.run("submit", "orders", "--payload", "1", "--delay", "5000"))
                .isEqualTo(CliException.USAGE);
        assertThat(server.requests).isEmpty();
    }

    @Test
    void onlyTheEndOfOneTaskIsWaitedFor() {
        assertThat(server.run("tasks", "orders", "--wait", "1s")).isEqualTo(CliException.USAGE);
    }
}
