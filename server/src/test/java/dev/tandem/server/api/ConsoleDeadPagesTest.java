package dev.tandem.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.server.access.Role;
import dev.tandem.task.store.DeadGroup;
import dev.tandem.task.store.DeadGroups;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The console's page of dead tasks by error. */
class ConsoleDeadPagesTest extends ConsoleTestBase {

    private static final String PAGE = "/queues/orders/dead";

    @Test
    void groupsAreShownWithWhatMayBeDoneToThem() {
        ApiTestBase.PLATFORM.deadGroups = DeadGroupsApiTest.someGroups();
        String fingerprint = DeadGroupsApiTest.someGroups().groups().get(0).fingerprint();
        String operation =
                "/api/v1/queues/orders/operations?state=dead&amp;fingerprint=" + fingerprint + "&amp;action=";

        assertThat(page(Role.VIEWER, PAGE))
                .contains("<title>Dead tasks by error – Tandem</title>", "data-live", "no answer within 31 s")
                .contains("href=\"/queues/orders/tasks?state=dead&amp;fingerprint=" + fingerprint + "\"")
                .contains(">1,200</td>", ">16</td>", "died under an earlier version: 2.", "Further types and errors")
                .contains("These are the groups with the most tasks.")
                .doesNotContain("data-url");
        assertThat(page(Role.OPERATOR, PAGE))
                .contains(operation + "retry\"", operation + "skip\"", operation + "delete\"")
                .as("nobody can choose the others, or skip what halts no key")
                .doesNotContain("fingerprint=other", "fingerprint=08a1b2c3d4e5&amp;action=skip");
    }

    @Test
    void aPageWithoutDeadTasksSaysSo() {
        assertThat(page(Role.OPERATOR, PAGE)).contains("No task is dead.").doesNotContain("<table");
        ApiTestBase.PLATFORM.deadGroups = new DeadGroups(3, 3, 0, false, List.of());
        assertThat(page(Role.OPERATOR, PAGE))
                .contains("died under an earlier version: 3.", "No dead task is in a group.");
    }

    @Test
    void thePageOfAllQueuesHasTheGroupsOfThoseThatTheCallerMaySee() {
        ApiTestBase.PLATFORM.deadGroups = DeadGroupsApiTest.someGroups();
        String fingerprint = DeadGroupsApiTest.someGroups().groups().get(0).fingerprint();

        assertThat(page(Role.OPERATOR, "/dead"))
                .contains(
                        "data-live", "id=\"group-orders-" + fingerprint + "\"", "id=\"group-mail-" + fingerprint + "\"")
                .contains(
                        "href=\"/queues/orders/dead\"",
                        "There may be more, and some of these may have more tasks than shown")
                .contains("/api/v1/queues/mail/operations?state=dead&amp;fingerprint=" + fingerprint
                        + "&amp;action=skip\"")
                .contains("<a href=\"/dead\" aria-current=\"page\">Dead</a>");
        assertThat(loggedIn(Role.OPERATOR, "mail").open("/dead").page.body())
                .contains("id=\"group-mail-" + fingerprint + "\"", "<span class=\"quiet\">5</span>")
                .doesNotContain("orders");
        assertThat(page(Role.VIEWER, "/dead")).contains("group-mail-").doesNotContain("data-url");
    }

    @Test
    void aQueueOfWhichRedisDoesNotAnswerIsNamed() {
        ApiTestBase.PLATFORM.silent.add("mail");
        assertThat(loggedIn(Role.VIEWER, "mail").open("/dead").page.body())
                .contains("Redis does not tell how many tasks of these queues are dead: mail.")
                .doesNotContain("No task is dead.");
    }

    @Test
    void haltedKeysAreCountedAsAtLeastSoManyWhereNotAllWereRead() {
        ApiTestBase.PLATFORM.partitions.put("orders", OrdinaryPlatform.tooManyHalting("overview-2-"));
        ApiTestBase.PLATFORM.deadGroups = DeadGroupsApiTest.someGroups();

        assertThat(loggedIn(Role.VIEWER, "orders").open("/").page.body())
                .containsPattern("<span class=\"state held\">at least 16 halted</span>\\s+201</a>")
                .containsPattern("<span class=\"state held\">at least 16 halted</span>\\s*</dd>");
    }

    @Test
    void theListHasTheTasksThatDiedSinceATime() {
        ConsoleContent.put("c-7"); // died in 1970
        String list = "/queues/orders/tasks?state=dead&died-after=";
        assertThat(page(Role.OPERATOR, list + "1970-01-01T00:00:00Z"))
                .contains("id=\"task-@0/1:1\"", "name=\"died-after\" value=\"1970-01-01T00:00:00Z\"", "Without filter")
                .contains("&amp;died-after=1970-01-01T00%3A00%3A00Z&amp;action=retry\"")
                .contains("data-since=\"/queues/orders/tasks\"", "data-died=\"1970-01-01T00:00:00")
                .doesNotContain("state=retry&amp;died-after", "data-live");
        assertThat(page(Role.OPERATOR, "/queues/orders/tasks?state=dead")).contains("data-live");
        assertThat(page(Role.OPERATOR, list + "-1h"))
                .contains("No task matches.")
                .doesNotContain("task-@0/1:1");
        assertThat(loggedIn(Role.VIEWER).open(list + "yesterday").status()).isEqualTo(400);
    }

    @Test
    void whatErrorsSayIsText() {
        String error = "<script>alert('1')</script>";
        ApiTestBase.PLATFORM.deadGroups =
                new DeadGroups(1, 0, 0, false, List.of(new DeadGroup("08a1b2c3d4e5", "<b>", error, 1, 0, 1, 1)));
        assertThat(page(Role.OPERATOR, PAGE)).doesNotContain("<script>alert", "<b>");
    }
}
