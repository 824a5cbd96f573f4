package dev.tandem.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.kafka.LoggedTask;
import dev.tandem.server.access.Role;
import dev.tandem.server.inspect.KeyInfo;
import dev.tandem.server.inspect.KeyLog;
import dev.tandem.server.inspect.TaskRef;
import dev.tandem.server.inspect.UnavailableException;
import dev.tandem.task.Task;
import dev.tandem.task.TaskState;
import dev.tandem.task.store.PausedTasks;
import dev.tandem.task.store.StoreAnswer.BlockReason;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The console's pages of one task and of keys, and the search that leads there. */
class ConsoleKeyPagesTest extends ConsoleTestBase {

    private static final String TASKS = "/queues/orders/tasks";
    private static final String KEYS = "/queues/orders/keys";
    private static final String FIRST = TASKS + "/%400%2F1%3A1";
    private static final String NASTY = "</dd><script>alert(1)</script>";
    private static final String TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    private static Task task(String id, String payload, Map<String, String> headers) {
        return new Task(id, "orders", "bill", "k", ApiTestBase.bytes(payload), headers, 0, 0, 0, 0, null);
    }

    private static void putDead(String position, String id, String payload) {
        ApiTestBase.put("0", position, TaskState.DEAD, task(id, payload, Map.of("traceparent", TRACE)));
    }

    @Test
    void aTaskIsShownWithItsPayloadLaidOutAndWhyItWaits() {
        putDead("1:1", "a-1", "{\"n\":1e400,\"list\":[1,2],\"none\":{}}");

        assertThat(page(Role.VIEWER, FIRST))
                .contains("<title>a-1 – Tandem</title>", "class=\"why\"", "it failed", "@0/1:1", "data-live")
                .contains("{\n  \"n\": 1e400,\n  \"list\": [\n    1,\n    2\n  ],\n  \"none\": {}\n}")
                .contains("0af7651916cd43dd8448eb211c80319c", "href=\"/queues/orders/keys/k\"")
                .doesNotContain("data-url");
        assertThat(page(Role.OPERATOR, FIRST)).contains("/tasks/%400%2F1%3A1/retry?only=dead");
    }

    @Test
    void whatIsMaskedInTheApiIsMaskedOnThePage() {
        Task photo = new Task("p", "orders", "photo", "k", ApiTestBase.bytes("secret"), Map.of(), 0, 0, 0, 0, null);
        ApiTestBase.put("0", "1:1", TaskState.DEAD, photo);

        assertThat(page(Role.ADMIN, FIRST)).contains("a photo").doesNotContain("secret");
    }

    @Test
    void anIdLeadsToItsTaskAndSeveralAreListed() {
        putDead("1:1", "a/1", "{}");
        Browser viewer = loggedIn(Role.VIEWER).open(TASKS + "/a%2F1");
        assertThat(viewer.status()).isEqualTo(303);
        assertThat(viewer.location()).endsWith(FIRST);

        putDead("1:2", "a/1", "{}");
        assertThat(viewer.open(TASKS + "/a%2F1").location()).endsWith(TASKS + "?id=a%2F1");
        assertThat(page(Role.VIEWER, TASKS + "?id=a%2F1")).contains("%400%2F1%3A1", "%400%2F1%3A2");

        assertThat(viewer.open(TASKS + "/none").status()).isEqualTo(404);
        assertThat(viewer.page.body()).contains("role=\"alert\"", "Redis holds no task");
    }

    @Test
    void whatATaskBringsWithItIsShownAsText() {
        ApiTestBase.put("0", "1:1", TaskState.DEAD, task(NASTY, NASTY, Map.of("x", NASTY, "traceparent", NASTY)));

        assertThat(page(Role.OPERATOR, FIRST))
                .contains("&lt;script&gt;alert(1)")
                .doesNotContain("<script>alert");
    }

    @Test
    void blockedKeysAreListedAndLeadToTheirPages() {
        assertThat(page(Role.VIEWER, KEYS)).contains("No key is blocked");
        ApiTestBase.PLATFORM.keys.put("k", ApiTestBase.key("k"));

        assertThat(page(Role.VIEWER, KEYS))
                .contains("href=\"/queues/orders/keys/k\"", "its head is dead", "it failed", "data-live")
                .doesNotContain("data-url");
    }

    @Test
    void aKeySaysWhyItDoesNotMoveAndWhatItsButtonsDo() {
        ApiTestBase.PLATFORM.keys.put("k", ApiTestBase.key("k"));
        ApiTestBase.put(ApiTestBase.info(
                "0", "1:7", TaskState.PARKED, task("later-7", "{}", Map.of()), new TaskRef("0", "1:1")));

        assertThat(page(Role.VIEWER, KEYS + "/k"))
                .contains("class=\"why\"", "later-7", "2 more are parked behind these")
                .doesNotContain("data-url");
        assertThat(page(Role.OPERATOR, KEYS + "/k"))
                .contains("/keys/k/retry?head=%400%2F1%3A1", "/keys/k/skip?head=", "/keys/k/drain?head=")
                .contains("Parked behind it and dying too: 3.", "/pause?key=k")
                .doesNotContain("force=true");
    }

    @Test
    void aHeadThatIsAliveIsGivenUpOnlyAfterAQuestionThatSaysSo() {
        KeyInfo alive = ApiTestBase.key("k");
        ApiTestBase.PLATFORM.keys.put(
                "k", new KeyInfo("k", "0", BlockReason.HEAD, alive.since(), alive.head(), 3, alive.headTask()));

        assertThat(page(Role.OPERATOR, KEYS + "/k"))
                .contains("/keys/k/skip?head=%400%2F1%3A1&amp;force=true", "It is alive: it is given up");
    }

    @Test
    void aKeyThatIsOpenOrPausedSaysSo() {
        assertThat(page(Role.OPERATOR, KEYS + "/free")).contains(">open<").doesNotContain("/keys/free/skip");

        ApiTestBase.PLATFORM.pausedTasks = PausedTasks.ofKey("free");
        assertThat(page(Role.OPERATOR, KEYS + "/free"))
                .contains("/resume?key=free")
                .doesNotContain("/pause?key");
    }

    @Test
    void theTimelineOfAKeyShowsTheLogAndSaysWhatWasReadOfIt() {
        ApiTestBase.PLATFORM.keys.put("k", ApiTestBase.key("k"));
        putDead("1:95", "a-1", "{}");
        ApiTestBase.LOG.tasks = List.of(
                new LoggedTask(99, NASTY, null, 1_700_000_000_000L, 0, true),
                new LoggedTask(95, "a-1", "bill", 1_700_000_000_000L, 0, true),
                new LoggedTask(41, "old", "bill", 1_700_000_000_000L, 0, true));

        assertThat(page(Role.VIEWER, KEYS + "/k")).contains("href=\"/queues/orders/keys/k/timeline\"");
        assertThat(page(Role.VIEWER, KEYS + "/k/timeline"))
                .contains("offsets 40 to 99, 60 records of all keys", "enough records were read", "%400%2F1%3A95")
                .contains("in the log", "ended, not kept", "offset 41", "/timeline?before=40&amp;partition=0")
                .contains("&lt;script&gt;alert(1)")
                .doesNotContain("<script>alert", "data-url", "data-live");
        assertThat(page(Role.OPERATOR, KEYS + "/k/timeline?before=40&partition=0"))
                .contains("/keys/k/retry?head=", "/pause?key=k", "href=\"/queues/orders/keys/k/timeline\"");
    }

    @Test
    void aTimelineWithoutALogSaysWhy() {
        ApiTestBase.PLATFORM.keys.put("k", ApiTestBase.key("k"));
        ApiTestBase.LOG.failure = new UnavailableException("Kafka's log cannot be read: it is away");
        assertThat(page(Role.VIEWER, KEYS + "/k/timeline")).contains("it is away", "No task of this key was found");
        assertThat(page(Role.VIEWER, "/queues/mail/keys/k/timeline")).contains("RabbitMQ keeps no log");

        ApiTestBase.LOG.failure = new KeyLog.BusyException("2 others read logs here");
        assertThat(loggedIn(Role.VIEWER).open(KEYS + "/k/timeline").status()).isEqualTo(503);
        assertThat(loggedIn(Role.WORKER, "orders").open(KEYS + "/k/timeline").status())
                .isEqualTo(403);
    }

    @Test
    void keysOfAnyCharactersAreShownAsText() {
        ApiTestBase.PLATFORM.keys.put(NASTY, ApiTestBase.key(NASTY));

        for (String path : new String[] {KEYS, KEYS + "/%3C%2Fdd%3E%3Cscript%3Ealert(1)%3C%2Fscript%3E"}) {
            assertThat(page(Role.OPERATOR, path))
                    .contains("&lt;script&gt;alert(1)")
                    .doesNotContain("<script>alert");
        }
    }

    @Test
    void whoMayNotSeeTheQueueSeesNeitherTasksNorKeys() {
        for (String path : new String[] {FIRST, KEYS, KEYS + "/k"}) {
            assertThat(loggedIn(Role.WORKER, "orders").open(path).status())
                    .as(path)
                    .isEqualTo(403);
            assertThat(loggedIn(Role.VIEWER, "mail").open(path).status())
                    .as(path)
                    .isEqualTo(403);
        }
        Browser viewer = loggedIn(Role.VIEWER);
        ApiTestBase.PLATFORM.failure = new UnavailableException("Redis is not available: it is away");
        assertThat(viewer.open(KEYS).status()).isEqualTo(503);
        assertThat(viewer.open(KEYS + "/k").status()).isEqualTo(503);
    }

    @Test
    void theSearchLeadsToWhatHasExactlyThisName() {
        putDead("1:1", "a-1", "{}");
        ApiTestBase.PLATFORM.keys.put("k", ApiTestBase.key("k"));

        Browser viewer = loggedIn(Role.VIEWER).open("/search?queue=orders&q=%20a-1");
        assertThat(viewer.status()).isEqualTo(303);
        assertThat(viewer.location()).endsWith(FIRST);
        assertThat(viewer.open("/search?queue=orders&q=%400%2F1%3A1").location())
                .endsWith(FIRST);
        assertThat(viewer.open("/search?queue=orders&q=k").location()).endsWith(KEYS + "/k");
        assertThat(page(Role.VIEWER, "/search?q=a-1")).contains("/queues/orders/tasks/", "/queues/mail/tasks/");
        assertThat(page(Role.VIEWER, "/search")).contains("<option value=\"orders\"");
        assertThat(page(Role.VIEWER, "/search?queue=orders&q=%3Cscript%3Ealert(1)"))
                .contains("No task in the store has the id", "&lt;script&gt;alert(1)")
                .doesNotContain("<script>alert");
    }

    @Test
    void theSearchFindsNothingInQueuesThatTheCallerMayNotSee() {
        putDead("1:1", "a-1", "{}");

        Browser mail = loggedIn(Role.VIEWER, "mail").open("/search?queue=orders&q=a-1");
        assertThat(mail.location()).contains("/queues/mail/").doesNotContain("orders");
        Browser worker = loggedIn(Role.WORKER, "orders").open("/search?queue=orders&q=a-1");
        assertThat(worker.status()).isEqualTo(200);
        assertThat(worker.page.body()).contains("No task in the store").doesNotContain("/queues/orders");
    }

    /** A browser would take lone dots as steps within the path. */
    @Test
    void aKeyOfLoneDotsHasAPageAndButtonsOfItsOwn() {
        ApiTestBase.PLATFORM.keys.put("..", ApiTestBase.key(".."));
        Browser browser = loggedIn(Role.OPERATOR);
        assertThat(browser.open(KEYS).page.body()).contains("href=\"" + KEYS + "/..;\"");

        String page = browser.open(KEYS + "/..;").page.body();

        assertThat(page).contains("<title>.. – Tandem</title>", "/queues/orders/tasks?key=..\"");
        String url = page.replaceAll("(?s).*data-url=\"([^\"]+/retry[^\"]*)\".*", "$1")
                .replace("&amp;", "&");
        assertThat(url).startsWith("/api/v1/queues/orders/keys/..;/retry");
        String csrf = page.replaceAll("(?s).*data-csrf=\"([^\"]+)\".*", "$1");
        browser.send(browser.request(url).header("X-CSRF-TOKEN", csrf).POST(BodyPublishers.noBody()));
        assertThat(browser.status()).as(browser.page.body()).isEqualTo(202);
        assertThat(ApiTestBase.PLATFORM.changes).anyMatch(change -> change.contains(".."));
    }
}
