package dev.tandem.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.server.access.Role;
import dev.tandem.server.inspect.TaskInfo;
import dev.tandem.server.inspect.TaskRef;
import dev.tandem.server.inspect.UnavailableException;
import dev.tandem.task.Envelope;
import dev.tandem.task.Task;
import dev.tandem.task.TaskNotes;
import dev.tandem.task.TaskState;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The console's lists of tasks: who sees what and may do what, and that what tasks bring with them is shown as text. */
class ConsoleTaskListPagesTest extends ConsoleTestBase {

    private static final String TASKS = "/queues/orders/tasks";
    private static final String NASTY = "</td><script>alert(1)</script>";
    private static final String QUOTED = "a\" onload=\"x";
    /** A quote that ends the value of an attribute, so that the rest becomes another one. Quotes in texts do no harm. */
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
}
