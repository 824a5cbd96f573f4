package dev.tandem.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.server.access.AuditEntry;
import dev.tandem.server.access.Role;
import dev.tandem.server.archive.ArchivedOutcome;
import dev.tandem.server.inspect.TaskInfo;
import dev.tandem.server.inspect.TaskRef;
import dev.tandem.server.inspect.UnavailableException;
import dev.tandem.task.AttemptHistory;
import dev.tandem.task.Envelope;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.Task;
import dev.tandem.task.TaskNotes;
import dev.tandem.task.TaskState;
import dev.tandem.task.store.FanOutIds;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Instant;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The console's pages of tasks: who sees what and may do what, and that what tasks bring with them is shown as text. */
class ConsoleTaskPagesTest extends ConsoleTestBase {

    private static final String TASKS = "/queues/orders/tasks";
    private static final String NASTY = "</td><script>alert(1)</script>";
    private static final String QUOTED = "a\" onload=\"x";
    /** It would be an attribute of its own. In a text, quotes are what they are. */
    private static final String BROKEN_OUT = "<[^>]*a\" onload";

    private static Task task(String id, String type, String key, String payload) {
        return new Task(id, "orders", type, key, ApiTestBase.bytes(payload), Map.of(), 0, 0, 0, 0, null);
    }

    private static void put(String position, TaskState state, String id) {
        ApiTestBase.put("0", position, state, task(id, "bill", "customer-7", "{}"));
    }

    @Test
    void tasksAreListedByStateWithTheirCounts() {
        put("1:1", TaskState.DEAD, "a-1");
        put("1:2", TaskState.RETRY, "b-2");

        assertThat(page(Role.VIEWER, TASKS + "?state=dead"))
                .contains("a-1", "bill", "customer-7", "it failed", ">2/8<")
                .contains("<time data-relative datetime=\"2026-11-20T10:00:00Z\" title=\"2026-11-20 10:00:00 UTC\">")
                .contains("?state=dead\" aria-current=\"page\">dead <span class=\"count\">5</span>")
                .contains("data-live")
                .doesNotContain("b-2");
        assertThat(page(Role.VIEWER, TASKS)).contains("a-1", "b-2");
        assertThat(page(Role.VIEWER, TASKS + "?state=parked")).contains("There are no tasks in this state");
    }

    @Test
    void filtersAreThoseOfTheApiAndKeepTheState() {
        put("1:1", TaskState.DEAD, "a-1");
        ApiTestBase.put("0", "1:2", TaskState.DEAD, task("b-2", "mail", "customer-8", "{}"));

        assertThat(page(Role.VIEWER, TASKS + "?state=dead&id=&type=mail&key=&partition="))
                .contains("b-2", "name=\"type\" value=\"mail\"", "type=\"hidden\" name=\"state\" value=\"dead\"")
                .contains("?state=retry&amp;type=mail")
                .doesNotContain("a-1", "data-live");
        assertThat(page(Role.VIEWER, TASKS + "?key=customer-7")).contains("a-1").doesNotContain("b-2");
        assertThat(page(Role.VIEWER, TASKS + "?id=a-1")).contains("@0/1:1").doesNotContain("b-2");
        assertThat(page(Role.VIEWER, TASKS + "?id=none")).contains("No task matches");
    }

    @Test
    void aSearchThatEndedEarlySaysSoAndGoesOn() {
        for (int i = 0; i < 60; i++) {
            put("1:" + i, TaskState.DEAD, "task-" + i);
        }

        String first = page(Role.VIEWER, TASKS + "?state=dead");
        assertThat(first).contains("task-49<", "Next page").doesNotContain("task-50<", "More may match");
        String next = first.replaceAll("(?s).*<a class=\"button\" href=\"([^\"]+)\">Next page.*", "$1")
                .replace("&amp;", "&");
        assertThat(page(Role.VIEWER, next)).contains("task-50<", "First page").doesNotContain("task-49<");

        ApiTestBase.PLATFORM.partial = true;
        assertThat(page(Role.VIEWER, TASKS + "?type=bill")).contains("More may match", "Look further");
    }

    @Test
    void buttonsAreForOperatorsAndWhatTheStateAllows() {
        put("1:1", TaskState.DEAD, "a-1");
        put("1:2", TaskState.SCHEDULED, "b-2");
        put("1:3", TaskState.SUCCEEDED, "c-3");

        assertThat(page(Role.VIEWER, TASKS + "?state=dead")).doesNotContain("data-url", "data-each", "data-pick");
        String task = "data-url=\"/api/v1/queues/orders/tasks/%400%2F1%3A";
        assertThat(page(Role.OPERATOR, TASKS + "?state=dead&type=bill"))
                .contains(task + "1/retry?only=dead\"", task + "1?only=dead-not-halting\"", "data-pick=")
                .contains("/operations?state=dead&amp;type=bill&amp;action=retry\"", "action=delete\"")
                .contains("Retry {matched} dead tasks?")
                .doesNotContain("/cancel", "data-back", "reschedule");
        assertThat(page(Role.OPERATOR, TASKS + "?state=scheduled"))
                .contains(task + "2/retry\"", task + "2/cancel\"", "action=cancel\"", "action=reschedule\" data-time=")
                .contains(
                        "data-each=\"/reschedule\"",
                        "tasks/%400%2F1%3A2/reschedule?at=2026-11-20T10%3A00%3A00Z&amp;attempts=2\"")
                .contains("All of them are due at the same time: {time}. This cannot be undone.")
                .doesNotContain("action=delete", "DELETE");
        assertThat(page(Role.OPERATOR, TASKS + "?state=succeeded"))
                .contains("c-3")
                .doesNotContain("data-url", "data-pick");
    }

    @Test
    void aListTellsDuplicatesFromRuns() {
        ApiTestBase.put(DedupKeysApiTest.duplicateOfFirst("1:8", task("second", "bill", "k", "{}")));

        assertThat(page(Role.VIEWER, TASKS + "?state=succeeded")).contains(">duplicate of first<");
    }

    @Test
    void toDeleteTheDeadTaskThatHaltsItsKeySaysWhatGoesOn() {
        TaskRef head = new TaskRef("0", "1:1");
        ApiTestBase.put(ApiTestBase.info("0", "1:1", TaskState.DEAD, task("a-1", "bill", "customer-7", "{}"), head));

        assertThat(page(Role.OPERATOR, TASKS + "?state=dead"))
                .contains("1:1?only=dead\"".replace(":", "%3A"), "its key customer-7 goes on without it");
    }

    @Test
    void theRouteOfAButtonIsOneOfTheApi() {
        put("1:1", TaskState.DEAD, "a-1");
        Browser browser = loggedIn(Role.OPERATOR).open(TASKS + "?state=dead");
        String url = browser.page.body().replaceAll("(?s).*data-url=\"([^\"]+/retry\\?only=dead)\".*", "$1");
        String csrf = browser.page.body().replaceAll("(?s).*data-csrf=\"([^\"]+)\".*", "$1");

        browser.send(browser.request(url).header("X-CSRF-TOKEN", csrf).POST(BodyPublishers.noBody()));

        assertThat(browser.status()).as(browser.page.body()).isEqualTo(202);
        assertThat(ApiTestBase.PLATFORM.changes).hasSize(1);
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

    private static final String ONE = TASKS + "/%400%2F1%3A1";

    private static AuditEntry change(String who, String action, String subject, Instant at) {
        return new AuditEntry(
                "",
                at,
                who,
                "operator",
                "",
                "token",
                "192.0.2.7",
                action,
                subject,
                null,
                null,
                202,
                "done",
                null,
                null);
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

    private static void putNasty(String position, String text) {
        Envelope envelope = new Envelope(task(text, text, text, "{}"), 2, 9, text);
        ApiTestBase.put(new TaskInfo(
                new TaskRef("0", position),
                TaskState.DEAD,
                Instant.EPOCH,
                text,
                2,
                text,
                null,
                envelope,
                null,
                List.of(),
                TaskNotes.NONE));
    }

    @Test
    void whatTasksBringWithThemIsShownAsText() {
        putNasty("1:1", NASTY);
        putNasty("1:2", QUOTED);

        assertThat(page(Role.OPERATOR, TASKS + "?state=dead"))
                .contains("&lt;script&gt;alert(1)", "a&#34; onload=&#34;x")
                .doesNotContain("<script>alert")
                .doesNotContainPattern(BROKEN_OUT);
        assertThat(page(Role.VIEWER, TASKS + "?type=%3Cscript%3Ealert(1)&key=a%22%20onload=%22x"))
                .contains("value=\"a&#34; onload=&#34;x\"")
                .doesNotContain("<script>alert")
                .doesNotContainPattern(BROKEN_OUT);
    }

    @Test
    void whatIsWrongWithARequestIsSaidAsAPage() {
        Browser viewer = loggedIn(Role.VIEWER);
        assertThat(viewer.open(TASKS + "?state=lost").status()).isEqualTo(400);
        assertThat(viewer.page.body()).contains("role=\"alert\"", "The parameter state is");
        assertThat(viewer.open(TASKS + "?cursor=x").status()).isEqualTo(400);
        assertThat(viewer.open("/queues/none/tasks").status()).isEqualTo(404);
        assertThat(loggedIn(Role.VIEWER, "mail").open(TASKS).status()).isEqualTo(403);
        assertThat(loggedIn(Role.PUBLISHER).open(TASKS).status()).isEqualTo(403);

        ApiTestBase.PLATFORM.failure = new UnavailableException("Redis is not available: it is away");
        assertThat(viewer.open(TASKS).status()).isEqualTo(503);
        assertThat(viewer.page.body()).contains("Redis is not available");
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
