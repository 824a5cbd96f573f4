package dev.tandem.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Commands that change all tasks that match, against a server with prepared answers. */
class OperationCommandsTest {

    private static final String OPERATIONS = "/api/v1/queues/orders/operations";
    private static final String RETRY = "POST " + OPERATIONS + "?action=retry&state=dead";

    private final PreparedServer server = new PreparedServer();

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void theServerChangesAllThatMatchAndTheCommandSaysHowManyWereChanged() {
        String begin = "POST " + OPERATIONS
                + "?action=retry&key=customer%207&error=refused&died-before=-1h&state=dead&operation=o-1";
        server.answers.put(begin, "{\"operation\":\"o-1\",\"state\":\"waiting\"}");
        server.answers.put(
                "GET " + OPERATIONS + "/o-1",
                "{\"operation\":\"o-1\",\"state\":\"done\",\"changed\":41,\"refused\":2}");

        assertThat(server.run(
                        "dead",
                        "retry",
                        "orders",
                        "--all",
                        "--yes",
                        "--key",
                        "customer 7",
                        "--error",
                        "refused",
                        "--died-before",
                        "-1h",
                        "--operation",
                        "o-1"))
                .isZero();

        assertThat(server.requests).containsExactly(begin, "GET " + OPERATIONS + "/o-1");
        assertThat(server.out.toString()).isEqualTo("41 tasks put back, 2 refused: they had changed meanwhile\n");
    }

    @Test
    void afterARetryTheCommandSaysHowToSeeWhatDiedSince() {
        server.answers.put(
                RETRY,
                "{\"operation\":\"o\",\"state\":\"done\",\"action\":\"retry\",\"selection\":{\"states\":[\"retry\",\"dead\"]},"
                        + "\"changed\":3,\"began\":\"2026-11-20T10:00:00Z\"}");
        String list = "/api/v1/queues/orders/tasks?state=dead&died-after=2026-11-20T10%3A00%3A00.001Z";
        server.answers.put("GET " + list + "&fingerprint=5f0c2a9be471&limit=50", "{\"tasks\": []}");

        assertThat(server.run("dead", "retry", "orders", "--all", "-y")).isZero();
        assertThat(server.out.toString())
                .isEqualTo(
                        "3 tasks put back\n"
                                + "To list what has died since: ./tandem dead list orders --died-after 2026-11-20T10:00:00.001Z\n");
        String[] since = {"--died-after", "2026-11-20T10:00:00.001Z", "--fingerprint", "5f0c2a9be471"};
        assertThat(server.run("dead", "list", "orders", since[0], since[1], since[2], since[3]))
                .isZero();
    }

    @Test
    void withoutAYesTheTasksAreCountedAndThePersonIsAsked() {
        server.answers.put(RETRY + "&dry-run=true", "{\"operation\":\"d\",\"state\":\"done\",\"matched\":2}");
        assertThat(server.run("dead", "retry", "orders", "--all")).isEqualTo(CliException.USAGE);
        assertThat(server.requests).as("nothing is retried").containsExactly(RETRY + "&dry-run=true");
        assertThat(server.err.toString())
                .isEqualTo("tandem: Retry 2 dead tasks of orders? There is no terminal to ask at: say --yes\n");
    }

    @Test
    void aDryRunSaysHowManyMatch() {
        server.answers.put(RETRY + "&dry-run=true", "{\"operation\":\"d\",\"state\":\"done\",\"matched\":1}");
        assertThat(server.run("dead", "retry", "orders", "--all", "--dry-run")).isZero();
        assertThat(server.requests).hasSize(1);
        assertThat(server.out.toString()).isEqualTo("1 dead task of orders matches\n");
    }

    @Test
    void aCommandThatDetachesNamesTheOperation() {
        server.answers.put(
                "POST " + OPERATIONS + "?action=delete&halting=true", "{\"operation\":\"o-2\",\"state\":\"waiting\"}");
        assertThat(server.run("dead", "delete", "orders", "--all", "--halting", "-y", "--detach"))
                .isZero();
        assertThat(server.requests).hasSize(1);
        assertThat(server.out.toString())
                .isEqualTo("The operation o-2 has begun. How far it is: ./tandem operations orders o-2\n");
    }

    @Test
    void theTasksOfAGroupAreSkippedByItsFingerprint() {
        server.answers.put(
                "POST " + OPERATIONS + "?action=skip&fingerprint=5f0c2a9be471",
                "{\"operation\":\"o-3\",\"state\":\"done\",\"changed\":1,\"refused\":0}");
        String[] skip = {"dead", "skip", "orders", "--fingerprint", "5f0c2a9be471", "-y"};
        assertThat(server.run(skip)).as("without --all").isEqualTo(CliException.USAGE);
        assertThat(server.run("dead", "skip", "orders", "--all", "--fingerprint", "5f0c2a9be471", "-y"))
                .isZero();
        assertThat(server.requests).hasSize(1);
        assertThat(server.out.toString()).isEqualTo("1 task skipped\n");
    }

    @Test
    void groupsAreShownWithTheTasksThatAreInNone() {
        server.answers.put("GET /api/v1/queues/orders/dead-groups?limit=50", """
                {"dead": 1242, "ungrouped": 2, "partial": true, "groups": [
                  {"fingerprint": "5f0c2a9be471", "type": "http", "error": "HTTP status 503", "count": 1239, "halting": 16,
                   "firstDied": "2026-11-20T09:12:00Z", "lastDied": "2026-11-20T10:00:00Z"},
                  {"fingerprint": "other", "count": 1, "halting": 0,
                   "firstDied": "2026-11-20T09:12:00Z", "lastDied": "2026-11-20T10:00:00Z"}]}
                """);
        assertThat(server.run("dead", "groups", "orders")).isZero();
        assertThat(server.out.toString())
                .contains(
                        "FINGERPRINT",
                        "5f0c2a9be471   1239      16  2026-11-20 10:00:00",
                        "HTTP status 503",
                        "There may be more groups")
                .contains("2 dead tasks are in no group");
    }

    @Test
    void groupsOfAllQueuesAreShownWithTheirQueues() {
        server.answers.put("GET /api/v1/dead-groups?limit=50", """
                {"dead": 12, "ungrouped": 1, "groups": [
                  {"queue": "orders", "fingerprint": "5f0c2a9be471", "type": "http", "error": "HTTP status 503", "count": 9,
                   "halting": 3, "firstDied": "2026-11-20T09:12:00Z", "lastDied": "2026-11-20T10:00:00Z"}],
                 "unread": {"mail": 2}, "unknown": ["bills"]}
                """);

        assertThat(server.run("dead", "groups")).isZero();

        assertThat(server.out.toString())
                .containsPattern("QUEUE +FINGERPRINT +TASKS +HALTED +LAST DIED")
                .containsPattern("orders +5f0c2a9be471 +9 +3 +2026-11-20 10:00:00")
                .contains("1 dead task is in no group", "mail: 2 dead, not shown above: ./tandem dead groups mail")
                .contains("bills: nobody knows how many are dead");
    }

    @Test
    void waitingTasksAreCancelledAndRescheduled() {
        server.status = 202;
        server.run("tasks", "cancel", "orders", "--all", "-y", "--type", "mail", "--state", "parked,retry");
        server.run("tasks", "reschedule", "orders", "--all", "-y", "--delay", "5m", "--due-before", "+1h");
        assertThat(server.requests)
                .containsExactly(
                        "POST " + OPERATIONS + "?action=cancel&type=mail&state=parked%2Cretry",
                        "POST " + OPERATIONS + "?action=reschedule&due-before=%2B1h&delay=5m");
    }

    @Test
    void anOperationThatDidNotReachItsEndFails() {
        server.answers.put(RETRY, "{\"operation\":\"o\",\"state\":\"stopped\",\"changed\":7}");
        assertThat(server.run("dead", "retry", "orders", "--all", "-y")).isEqualTo(CliException.REFUSED);
        assertThat(server.out.toString()).isEqualTo("7 tasks put back\n");
        assertThat(server.err.toString()).isEqualTo("tandem: The operation was stopped before its end\n");
    }

    @Test
    void tasksAreNamedOrAllAreTaken() {
        assertThat(server.run("tasks", "cancel", "orders")).isEqualTo(CliException.USAGE);
        assertThat(server.run("tasks", "cancel", "orders", "a", "--all")).isEqualTo(CliException.USAGE);
        assertThat(server.run("dead", "delete", "orders", "a", "--key", "k")).isEqualTo(CliException.USAGE);
        assertThat(server.requests).isEmpty();
        assertThat(server.err.toString())
                .contains("Name the tasks by their ids, or say --all", "have an effect with --all only");
    }

    @Test
    void operationsAreListedShownAndStopped() {
        server.answers.put("GET /api/v1/operations", """
                {"operations": [{"queue": "orders", "operation": "o-1", "action": "retry", "state": "running", "askedBy": "ops", "looked": 900,
                 "matched": 800, "changed": 799, "refused": 1, "began": "2026-11-20T10:00:00Z",
                 "selection": {"states": ["dead"], "type": "mail", "diedAfter": "-1h"}}]}
                """);
        server.run("operations");
        assertThat(server.out.toString())
                .containsPattern("QUEUE +OPERATION +ACTION +DRY +STATE +ASKED BY +LOOKED")
                .containsPattern(
                        "orders +o-1 +retry +- +running +ops +900 +800 +799 +1 +2026-11-20.* dead type=mail died-after=-1h");
        server.run("operations", "orders");
        server.run("operations", "orders", "o-1");
        server.run("operations", "stop", "orders", "o-1");
        assertThat(server.requests)
                .containsExactly(
                        "GET /api/v1/operations",
                        "GET " + OPERATIONS,
                        "GET " + OPERATIONS + "/o-1",
                        "POST " + OPERATIONS + "/o-1/stop");
        assertThat(server.out.toString()).endsWith("The operation o-1 stops\n");
    }
}
