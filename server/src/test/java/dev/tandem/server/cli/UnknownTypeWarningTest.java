package dev.tandem.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What {@code submit --type} says of a type that nobody has a handler for. */
class UnknownTypeWarningTest {

    private static final String EXECUTORS = "GET /api/v1/executors";

    private final PreparedServer server = new PreparedServer();

    @AfterEach
    void stop() {
        server.close();
    }

    private void announce(String types) {
        server.answers.put(
                EXECUTORS,
                "{\"executors\": [{\"id\": \"a\", \"queues\": [{\"queue\": \"mail\", \"types\": [\"htpp\"]},"
                        + " {\"queue\": \"orders\"" + types + "}]}]}");
    }

    private String submit(String... more) {
        server.answers.put("POST /api/v1/queues/orders/tasks", "{\"id\": \"a\"}");
        String[] line = {"submit", "orders", "--payload", "1"};
        String[] all = new String[line.length + more.length];
        System.arraycopy(line, 0, all, 0, line.length);
        System.arraycopy(more, 0, all, line.length, more.length);
        assertThat(server.run(all)).isZero();
        assertThat(server.out.toString()).contains("Published to orders as a");
        return server.err.toString();
    }

    @Test
    void typeThatNoExecutorOfTheQueueHasIsNamedWithTheKnownOnes() {
        announce(", \"types\": [\"http\", \"refund\"]");

        assertThat(submit("--type", "htpp"))
                .isEqualTo(
                        "Warning: no executor of orders has a handler for the type 'htpp'. Known types: http, refund."
                                + " The task waits for such an executor, and is dead after the queue's unknown-type-grace\n");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            , "types": ["http", "htpp"] | htpp
            , "types": ["*", "http"]    | htpp
            , "types": []               | htpp
            , "running": 1              | htpp
            """)
    void nothingIsSaidOfATypeThatIsKnownOrMayBe(String types, String type) {
        announce(types);

        assertThat(submit("--type", type)).isEmpty();
    }

    @Test
    void taskIsPublishedWhereTheExecutorsAreNotTold() {
        announce(", \"types\": [\"http\"]");
        server.statuses.put(EXECUTORS, 503);

        assertThat(submit("--type", "htpp")).isEmpty();
    }

    @Test
    void warningsOfTheServerAreShown() {
        server.answers.put("POST /api/v1/queues/orders/tasks", "{\"id\": \"a\", \"warnings\": [\"No order\"]}");
        assertThat(server.run("submit", "orders", "--payload", "1", "--key", "c"))
                .isZero();
        assertThat(server.err.toString()).isEqualTo("Warning: No order\n");
    }

    @Test
    void executorsAreNotAskedForATaskThatNamesNoType() {
        announce(", \"types\": [\"http\"]");

        assertThat(submit()).isEmpty();
        assertThat(server.requests).noneMatch(request -> request.startsWith("GET"));
    }
}
