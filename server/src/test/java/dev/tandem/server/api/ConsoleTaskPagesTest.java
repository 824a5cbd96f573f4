package dev.tandem.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.server.access.AuditEntry;
import dev.tandem.server.access.Role;
import dev.tandem.server.archive.ArchivedOutcome;
import dev.tandem.task.AttemptHistory;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.Task;
import dev.tandem.task.TaskState;
import dev.tandem.task.store.FanOutIds;
import java.net.http.HttpClient;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Instant;
import java.util.Iterator;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The console's pages of one task: what they tell to whom, and what becomes of them when the task is gone. */
class ConsoleTaskPagesTest extends ConsoleTestBase {

    private static final String TASKS = "/queues/orders/tasks";
    private static final String NASTY = "</td><script>alert(1)</script>";
    private static final String ONE = TASKS + "/%400%2F1%3A1";

    private static Task task(String id, String type, String key, String payload) {
        return new Task(id, "orders", type, key, ApiTestBase.bytes(payload), Map.of(), 0, 0, 0, 0, null);
    }

    private static void put(String position, TaskState state, String id) {
        ApiTestBase.put("0", position, state, task(id, "bill", "customer-7", "{}"));
    }

    @Test
    void aTaskIsShownWithThoseThatItWaitsForAndThoseThatWaitForIt() {
        Map<String, String> headers = Map.of(
                "tandem-depends-on",
                "known-" + NASTY.replace(",", "") + ",//mail/later,3,4,5,6,7,8,9,10,11,12,"
                        + "13,14,15,16,17,18,19,20,21,22");
        ApiTestBase.put(
                "0",
                "1:1",
                TaskState.RETRY,
                new Task("b", "orders", null, "k", ApiTestBase.bytes("x"), headers, 0, 0, 0, 0, "own"));
        put("1:3", TaskState.PARKED, NASTY);

        String page = page(Role.VIEWER, ONE);
        assertThat(page)
                .contains("Related tasks", "/queues/orders/tasks/%401%2F1%3A9", ">the other<", ">done<", "not known")
                .contains("2 more")
                .contains("/queues/mail/tasks/%400%2F1%3A3", "&lt;/td&gt;&lt;script&gt;", ">parked<")
                .doesNotContain("<script>alert");
        String own = loggedIn(Role.VIEWER, "orders").open(ONE).page.body();
        assertThat(own)
                .as("nothing of tasks of queues that the caller may not see, but their names")
                .contains("later", "@0/1:3")
                .doesNotContain("/queues/mail/", ">parked<");
        put("1:1", TaskState.RETRY, "b");
        assertThat(page(Role.VIEWER, ONE)).doesNotContain("Related tasks");
    }

    @Test
    void aTaskIsShownWithTheFanOutsThatItBelongsToAndHasBegun() {
        String outer = "0123456789abcdef0123";
        Task subtask = new Task(
                "s-7",
                "orders",
                null,
                null,
                ApiTestBase.bytes("x"),
                Map.of("tandem-fan-out", outer + "/7/1"),
                1_800_000_000_000L,
                0,
                0,
                0,
                null);
        ApiTestBase.put("0", "1:1", TaskState.RETRY, subtask);
        String inner = FanOutIds.of(Partition.of("orders", 0), new Position("1:1"), subtask, "");
        ApiTestBase.FAN_OUTS.records.put(outer, FanOutsApiTest.running(outer));
        ApiTestBase.FAN_OUTS.records.put(inner, FanOutsApiTest.running(inner));

        assertThat(page(Role.VIEWER, ONE))
                .contains(
                        "Subtask 7 of the fan-out", "/fan-outs/" + outer, "Has begun the fan-out", "/fan-outs/" + inner)
                .contains("subtasks so far:");
        assertThat(loggedIn(Role.VIEWER, "orders").open(ONE).page.body())
                .as("fan-outs are seen by those who may see all queues")
                .contains("Subtask 7 of the fan-out", outer)
                .doesNotContain("/fan-outs/", inner);
    }

    private static AuditEntry change(String who, String action, String subject, Instant at) {
        return AuditEntries.of(subject)
                .by(who)
                .action(action)
                .at(at)
                .answered(202, "done")
                .entry();
    }

    @Test
    void theHistoryOfATaskSaysWhatPeopleHaveDoneToItToThoseWhoMayReadTheAuditLog() {
        Map<String, String> headers =
                Map.of(AttemptHistory.HEADER, "1\t1000\t5\thost-1\tit failed\n2\t90000\t5\thost-1\tit failed again\n");
        ApiTestBase.put(
                "0",
                "1:1",
                TaskState.DEAD,
                new Task("a-1", "orders", null, "k", ApiTestBase.bytes("x"), headers, 0, 0, 0, 0, null));
        ApiTestBase.AUDIT.entries.add(
                change("ann", "retry", "task @0/1:1 of queue orders (only=dead)", Instant.ofEpochSecond(60)));
        ApiTestBase.AUDIT.entries.add(change("bob", "edit", "task a-1 of queue orders", Instant.ofEpochSecond(120)));
        ApiTestBase.AUDIT.entries.add(change("eve", "retry", "task a-1 of queue mail", Instant.ofEpochSecond(120)));
        ApiTestBase.AUDIT.entries.add(change("eve", "retry", "task a-10 of queue orders", Instant.ofEpochSecond(120)));

        String page = page(Role.ADMIN, ONE);
        assertThat(page)
                .contains("<h2>History</h2>", "1970-01-01 00:01:00 UTC")
                .containsSubsequence(
                        "it failed</td>", "retried by ann", "it failed again</td>", "payload edited by bob")
                .doesNotContain("eve", "192.0.2.7", "in the audit log");
        assertThat(page(Role.OPERATOR, ONE)).contains("<h2>Attempts</h2>").doesNotContain("by ann", "by bob");
    }

    @Test
    void thatEarlierChangesWereNotReadIsSaidOfATaskWithoutAnyToo() {
        put("1:1", TaskState.SCHEDULED, "a-1");
        for (int i = 0; i < TaskChanges.MOST_READ; i++) {
            ApiTestBase.AUDIT.entries.add(change("eve", "pause", "queue mail", Instant.ofEpochSecond(120)));
        }

        assertThat(page(Role.ADMIN, ONE))
                .contains("older entries were not read. They are in the audit log: <a href=\"/audit\">")
                .doesNotContain("<h2>Attempts</h2>", "eve");
        assertThat(page(Role.OPERATOR, ONE)).doesNotContain("older entries");
    }

    private static String endOfStream(Browser browser) {
        return browser.send(browser.request(ONE).setHeader("Accept", "text/event-stream"))
                .page
                .body();
    }

    @Test
    void aTaskThatHasLeftTheStoreIsSaidToBeGone() {
        Browser viewer = loggedIn(Role.VIEWER);
        assertThat(viewer.open(ONE).status()).isEqualTo(404);
        assertThat(viewer.page.body())
                .contains("Redis holds no task", "/archive/orders/%400%2F1%3A1", "Look for it in the archive")
                .doesNotContain("data-live");
        assertThat(endOfStream(viewer)).startsWith("event: gone\n").contains("Redis holds no task");

        ApiTestBase.ARCHIVE.outcomes.add(new ArchivedOutcome(
                "orders",
                "0",
                "1:1",
                "cancelled",
                Instant.EPOCH,
                "a-1",
                "bill",
                NASTY,
                1,
                NASTY,
                null,
                null,
                1L,
                null,
                1));
        assertThat(viewer.open(ONE).page.body())
                .contains(
                        "This task has ended:", "cancelled", "1970-01-01 00:00:00 UTC", "Its attempts, in the archive")
                .doesNotContain("Redis holds no task", "<script>alert");
        ApiTestBase.ARCHIVE.off = true;
        assertThat(viewer.open(ONE).page.body()).doesNotContain("archive/orders");
    }

    /** A browser keeps what it shows, and opens no further stream. */
    @Test
    void whoeverLooksAtATaskIsToldThatItIsGoneAndTheStreamEnds() throws Exception {
        put("1:1", TaskState.DEAD, "a-1");
        var request = loggedIn(Role.VIEWER)
                .request(ONE)
                .setHeader("Accept", "text/event-stream")
                .build();
        var answer = HttpClient.newHttpClient().send(request, BodyHandlers.ofLines());
        try (Stream<String> lines = answer.body()) {
            Iterator<String> stream = lines.iterator();
            assertThat(readTo(stream, "</dl>")).contains("event: content", "a-1");

            ApiTestBase.PLATFORM.tasks.clear();

            assertThat(readTo(stream, "</p>"))
                    .contains("event: gone", "It was dead: somebody has deleted or skipped it");
            assertThat(readTo(stream, "event: ")).as("the rest of the stream").doesNotContain("event: ");
            assertThat(stream.hasNext()).isFalse();
        }
    }

    /** Returns the lines up to the first one with a text, or up to the end. */
    private static String readTo(Iterator<String> lines, String text) {
        StringBuilder read = new StringBuilder();
        while (lines.hasNext() && read.indexOf(text) < 0) {
            read.append(lines.next()).append('\n');
        }
        return read.toString();
    }

    @Test
    void thePayloadIsEditedByThoseWhoMay() {
        String payload = "\n</textarea>" + SCRIPT;
        ApiTestBase.put("0", "1:1", TaskState.DEAD, task("a-1", "bill", "k", payload));
        ApiTestBase.put("0", "1:2", TaskState.ACTIVE, task("b-2", "bill", "k", payload));
        String dead = TASKS + "/%400%2F1%3A1";
        String link = "href=\"" + dead + "/edit\"";

        assertThat(page(Role.ADMIN, dead)).contains(link);
        assertThat(page(Role.ADMIN, TASKS + "/%400%2F1%3A2")).doesNotContain("/edit\"");
        assertThat(page(Role.OPERATOR, dead)).doesNotContain(link);
        assertThat(loggedIn(Role.OPERATOR).open(dead + "/edit").status()).isEqualTo(403);
        String form = page(Role.ADMIN, dead + "/edit");
        assertShownAsText(form);
        assertThat(form)
                .contains(
                        "aria-describedby=\"payloadText-problem\">\n\n&lt;/textarea&gt;&lt;script&gt;",
                        "data-etag=\"&#34;")
                .contains("data-send=\"/api/v1/queues/orders/tasks/%400%2F1%3A1/payload\"");
        ApiTestBase.put("0", "1:1", TaskState.DEAD, task("a-1", "photo", "k", payload));
        assertThat(loggedIn(Role.ADMIN).open(dead + "/edit").status()).isEqualTo(409);
    }
}
