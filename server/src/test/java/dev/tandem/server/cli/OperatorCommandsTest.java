package dev.tandem.server.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands for dead tasks and blocked keys, against a server with prepared answers. */
class OperatorCommandsTest {

    private static final String TASK = "/api/v1/queues/orders/tasks/";
    private static final String KEYS = "/api/v1/queues/orders/keys";

    private final PreparedServer server = new PreparedServer();
    private final List<String> requests = server.requests;
    private final Map<String, String> answers = server.answers;
    private final Map<String, Integer> statuses = server.statuses;
    private final StringWriter out = server.out;
    private final StringWriter err = server.err;

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void personAtATerminalIsAsked() {
        List<String> asked = new ArrayList<>();

        ConfirmOptions.confirm("Delete 2 tasks?", question -> {
            asked.add(question);
            return "Y";
        });
        assertThat(asked).containsExactly("Delete 2 tasks? [y/N] ");
        for (String answer : new String[] {"", "n", "what", null}) {
            assertThatThrownBy(() -> ConfirmOptions.confirm("Delete 2 tasks?", question -> answer))
                    .isInstanceOf(CliException.class)
                    .hasMessage("Nothing was changed");
        }
    }

    @Test
    void waitingTasksAreCancelled() {
        assertThat(run("tasks", "cancel", "orders", "a", "b")).isZero();

        assertThat(requests).containsExactly("POST " + TASK + "a/cancel", "POST " + TASK + "b/cancel");
        assertThat(out.toString()).isEqualTo("2 tasks cancelled\n");
        assertThat(run("tasks")).isEqualTo(CliException.USAGE);
        assertThat(run("tasks", "cancel", "orders")).isEqualTo(CliException.USAGE);
    }

    @Test
    void handlerThatHasNotEndedYetIsNamed() {
        answers.put("POST " + TASK + "a/cancel", "{\"changed\":1,\"state\":\"interrupted\"}");

        assertThat(run("tasks", "cancel", "orders", "a")).isZero();

        assertThat(out.toString())
                .isEqualTo("1 task cancelled\nIts executor was told to end a, and its end is not recorded yet.\n");
    }

    @Test
    void tasksGetAnotherTime() {
        assertThat(run("tasks", "reschedule", "orders", "a", "b", "--delay", "5m"))
                .isZero();
        assertThat(run("tasks", "reschedule", "orders", "a", "--now")).isZero();
        assertThat(run("tasks", "reschedule", "orders", "a", "--at", "2030-01-31T08:00:00Z"))
                .isZero();

        assertThat(requests)
                .containsExactly(
                        "POST " + TASK + "a/reschedule?delay=5m",
                        "POST " + TASK + "b/reschedule?delay=5m",
                        "POST " + TASK + "a/reschedule?delay=0",
                        "POST " + TASK + "a/reschedule?at=2030-01-31T08%3A00%3A00Z");
        assertThat(out.toString()).startsWith("2 tasks rescheduled\n");
        assertThat(run("tasks", "reschedule", "orders", "a")).isEqualTo(CliException.USAGE);
        assertThat(run("tasks", "reschedule", "orders", "a", "--now", "--delay", "5m"))
                .isEqualTo(CliException.USAGE);
    }

    @Test
    void aTaskGetsAnotherPayload(@TempDir Path folder) throws IOException {
        answers.put("PUT " + TASK + "a/payload", "{\"changed\":1,\"bytes\":3}");
        answers.put("GET " + TASK + "a/payload", "{\"n\": 1}");

        assertThat(run("tasks", "edit", "orders", "a", "--payload", "new", "--etag", "5d0e"))
                .isZero();
        assertThat(out.toString()).isEqualTo("The task a has another payload of 3 bytes\n");
        assertThat(run("tasks", "edit", "orders", "a", "--payload", "new")).isZero();
        Path file = folder.resolve("payload");
        assertThat(run("tasks", "edit", "orders", "a", "--save", file.toString()))
                .isZero();

        assertThat(requests)
                .containsExactly(
                        "PUT " + TASK + "a/payload new",
                        "GET " + TASK + "a/payload",
                        "PUT " + TASK + "a/payload new",
                        "GET " + TASK + "a/payload");
        assertThat(file).hasContent("{\"n\": 1}");
        statuses.put("PUT " + TASK + "a/payload", 412);
        assertThat(run("tasks", "edit", "orders", "a", "--payload", "new", "--etag", "5d0e"))
                .isEqualTo(CliException.REFUSED);
    }

    @Test
    void changeOfAKeyPrintsWhatWasDone() {
        answers.put("POST " + KEYS + "/k/retry", "{\"changed\":1,\"did\":\"The task @0/1:1 was not dead.\"}");

        run("keys", "retry", "orders", "k");
        run("keys", "skip", "orders", "k");
        run("keys", "drain", "orders", "k", "--force");

        assertThat(requests)
                .containsExactly(
                        "GET " + KEYS + "/k",
                        "POST " + KEYS + "/k/retry",
                        "GET " + KEYS + "/k",
                        "POST " + KEYS + "/k/skip",
                        "GET " + KEYS + "/k",
                        "POST " + KEYS + "/k/drain?force=true");
        assertThat(out.toString()).isEqualTo("The task @0/1:1 was not dead.\nDone\nDone\n");
    }

    /** The key may get another head between two commands, or between the two requests of one. */
    @Test
    void onlyTheHeadThatWasSeenIsChanged() {
        String dead = "{\"key\": \"k\", \"blocked\": true, \"why\": \"halted\", \"head\": \"@0/1:1\", \"headTask\":"
                + " {\"id\": \"a\", \"state\": \"dead\", \"error\": \"boom\\nat x\"}";
        answers.put("GET " + KEYS + "/k", dead + "}");
        answers.put(
                "GET " + KEYS + "/two",
                dead + ", \"more\": [{\"key\": \"two\", \"why\": \"head\", \"head\": \"@3/1:9\"}]}");
        answers.put("POST " + KEYS + "/k/skip?head=%400%2F1%3A1", "{\"changed\": 1, \"did\": \"Skipped.\"}");
        statuses.put("POST " + KEYS + "/two/skip?force=true&head=%403%2F1%3A9", 409);

        assertThat(run("keys", "skip", "orders", "k")).isZero();
        assertThat(run("keys", "skip", "orders", "two", "--force")).isEqualTo(CliException.REFUSED);
        run("keys", "drain", "orders", "k", "--head", "@0/1:7");

        assertThat(requests)
                .containsExactly(
                        "GET " + KEYS + "/k",
                        "POST " + KEYS + "/k/skip?head=%400%2F1%3A1",
                        "GET " + KEYS + "/two",
                        "POST " + KEYS + "/two/skip?head=%400%2F1%3A1",
                        "POST " + KEYS + "/two/skip?force=true&head=%403%2F1%3A9",
                        "POST " + KEYS + "/k/drain?head=%400%2F1%3A7");
        assertThat(out.toString()).isEqualTo("Head @0/1:1: a, dead, boom\nSkipped.\nDone\n");
        assertThat(err.toString()).contains("The skip was done elsewhere: Done");
    }

    @Test
    void headThatCannotBeChangedDoesNotKeepBackThatOfAnotherPartition() {
        answers.put("GET " + KEYS + "/two", """
                {"key": "two", "blocked": true, "why": "head", "head": "@0/1:1",
                 "more": [{"key": "two", "why": "halted", "head": "@3/1:9"}]}
                """);
        answers.put("POST " + KEYS + "/two/skip?head=%403%2F1%3A9", "{\"changed\": 1, \"did\": \"Skipped @3/1:9.\"}");
        statuses.put("POST " + KEYS + "/two/skip?head=%400%2F1%3A1", 409);

        assertThat(run("keys", "skip", "orders", "two")).isEqualTo(CliException.REFUSED);

        assertThat(requests)
                .containsExactly(
                        "GET " + KEYS + "/two",
                        "POST " + KEYS + "/two/skip?head=%400%2F1%3A1",
                        "POST " + KEYS + "/two/skip?head=%403%2F1%3A9");
        assertThat(err.toString()).contains("The skip was done elsewhere: Skipped @3/1:9.");
    }

    @Test
    void haltedKeyIsShownWithItsHeadAndTheCommandsThatHelp() {
        answers.put("GET " + KEYS + "/customer%207", """
                {"key": "customer 7", "blocked": true, "partition": "0", "why": "halted", "since": "2026-11-20T10:00:00Z",
                 "head": "@0/1:1", "parked": 2, "headTask": {"id": "order-7", "type": "http", "state": "dead", "attempts": 8,
                 "maxAttempts": 8, "error": "attempt 8 of 8 was the last: HTTP status 500"},
                 "behind": [{"id": "order-8", "state": "parked"}]}
                """);

        assertThat(run("keys", "show", "orders", "customer 7")).isZero();

        assertThat(out.toString())
                .contains(
                        "head: @0/1:1\n  id: order-7\n  type: http\n  state: dead\n  attempts: 8/8\n  error: attempt 8")
                .contains("parked behind it: 2\nID ")
                .contains("order-8")
                .contains("./tandem keys retry orders 'customer 7' ")
                .contains("./tandem keys skip orders 'customer 7' --head @0/1:1 ")
                .contains("./tandem keys drain orders 'customer 7' ");
    }

    @Test
    void waitingHeadIsShownAsOneThatNeedsNobody() {
        answers.put("GET " + KEYS + "/k", """
                {"key": "k", "blocked": true, "why": "head", "since": "2026-11-20T10:00:00Z", "head": "@0/1:1", "parked": 0,
                 "headTask": {"id": "a", "state": "retry", "at": "2026-11-20T11:00:00Z", "attempts": 2, "maxAttempts": 8}}
                """);
        answers.put("GET " + KEYS + "/open", "{\"key\": \"open\", \"blocked\": false}");

        run("keys", "show", "orders", "k");
        run("keys", "show", "orders", "open");

        assertThat(out.toString())
                .contains("needs nobody", "state: retry, due 20", "skip --force orders k")
                .endsWith("The key open is not blocked: its tasks may run\n");
    }

    @Test
    void keysAreListedWithTheirHeads() {
        answers.put("GET " + KEYS + "?limit=50", """
                {"keys": [{"key": "k", "why": "head", "head": "@0/1:1", "parked": 4, "headTask": {"id": "order-7",
                 "type": "http", "state": "retry", "attempts": 2, "maxAttempts": 8, "at": "2026-11-20T11:00:00Z",
                 "error": "HTTP status 500\\nand its body"}}, {"key": "l", "why": "redelivery", "head": "@1/1:1"}],
                 "next": "x"}
                """);

        assertThat(run("keys", "list", "orders")).isZero();

        assertThat(out.toString())
                .containsPattern("k +head +- +@0/1:1 +order-7 +http +retry +2/8 +20\\d\\d-.* +4 +HTTP status 500\n")
                .containsPattern("l +redelivery +- +@1/1:1 +- +- +- +- +- +- +-\n")
                .contains("There are more: --cursor x");
    }

    @Test
    void payloadIsPrintedAsItWasSent() {
        String payload = "{\"a\":1.10, \"b\":1e400,  \"c\":[ 1 ], \"payload\": \"ä\"}";
        answers.put(
                "GET " + TASK + "p-1", "{\"id\":\"p-1\",\"headers\":{\"payload\":\"x\"},\"payload\":" + payload + "}");
        answers.put("GET " + TASK + "p-2", "{\"id\":\"p-2\",\"payload\":1e400,\"attempts\":1}");

        run("tasks", "orders", "p-1");
        run("tasks", "orders", "p-2");
        assertThat(out.toString()).contains("payload: " + payload + "\n", "payload: 1e400\n");

        out.getBuffer().setLength(0);
        run("tasks", "orders", "p-1", "-o", "json");
        run("tasks", "orders", "p-2", "-o", "json");
        assertThat(out.toString()).contains(payload, "1e400,");
    }

    @Test
    void payloadIsNotForgottenSilently() throws IOException {
        InputStream nothing = InputStream.nullInputStream();
        for (boolean terminal : new boolean[] {true, false}) {
            assertThatThrownBy(() -> SubmitCommand.piped(nothing, terminal))
                    .isInstanceOf(CliException.class)
                    .hasMessageContaining("--payload ''");
        }
        InputStream piped = new ByteArrayInputStream(new byte[] {1, 2});
        assertThat(SubmitCommand.piped(piped, false)).containsExactly(1, 2);
        assertThat(run("submit", "orders", "--payload", "")).isZero();
    }

    @Test
    void submitSendsAKeyByWhichARepeatIsKnown() {
        assertThat(run("submit", "orders", "--payload", "1", "--idempotency-key", "order-7/paid"))
                .isZero();
        assertThat(run("submit", "orders", "--payload", "1")).isZero();
        assertThat(server.idempotencyKeys).containsExactly("order-7/paid");

        assertThat(run("submit", "orders", "--payload", "1", "--idempotency-key", "two words"))
                .isEqualTo(CliException.USAGE);
        assertThat(server.idempotencyKeys).hasSize(1);
    }

    @Test
    void submitPrintsThePlace() {
        answers.put("POST /api/v1/queues/orders/tasks", "{\"id\":\"a\",\"place\":\"orders-0@17\"}");

        run("submit", "orders", "--payload", "1");

        assertThat(out.toString()).isEqualTo("Published to orders as a (orders-0@17)\n");
    }

    @Test
    void noMoreKeysArePrintedThanTheLimit() {
        answers.put("GET " + KEYS + "?limit=2", """
                {"keys": [{"key": "k1", "why": "halted"}, {"key": "k2", "why": "head"}, {"key": "k3", "why": "head"}]}
                """);

        run("keys", "list", "orders", "--limit", "2");

        assertThat(out.toString())
                .contains("k1", "k2", "1 more were found and are not shown: raise --limit to 3")
                .doesNotContain("k3");
    }

    @Test
    void haltedKeysAreFoundAmongAllPages() {
        answers.put(
                "GET " + KEYS + "?limit=500", "{\"keys\": [{\"key\": \"k1\", \"why\": \"head\"}], \"next\": \"x\"}");
        answers.put(
                "GET " + KEYS + "?limit=500&cursor=x",
                "{\"keys\": [{\"key\": \"k2\", \"why\": \"halted\"}, {\"key\": \"k3\", \"why\": \"head\"}]}");

        assertThat(run("keys", "list", "orders", "--why", "halted")).isZero();

        assertThat(out.toString()).contains("k2").doesNotContain("k1", "k3", "There are more");
    }

    @Test
    void wrongUsageIsAnsweredByTheErrorAndAHintOnly() {
        assertThat(run("tasks", "orders", "--sate", "dead")).isEqualTo(CliException.USAGE);

        assertThat(err.toString())
                .startsWith("tandem: Unknown option")
                .contains("'--sate'", "Did you mean --state?", "`./tandem tasks --help`")
                .doesNotContain("Usage:");
        assertThat(err.toString().lines().count()).isLessThanOrEqualTo(3);
    }

    @Test
    void timesSayTheirZone() {
        answers.put(
                "GET /api/v1/queues/orders/tasks?state=dead&limit=50",
                "{\"tasks\":[{\"id\":\"a\",\"at\":\"2026-11-20T10:00:00Z\"}]}");

        run("dead", "list", "orders");

        assertThat(out.toString()).contains("WHEN (" + ZoneId.systemDefault() + ")");
    }

    private int run(String... command) {
        return server.run(command);
    }
}
