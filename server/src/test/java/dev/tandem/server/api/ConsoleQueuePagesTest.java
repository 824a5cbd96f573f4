package dev.tandem.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.server.access.Role;
import dev.tandem.server.inspect.PartitionInfo;
import dev.tandem.server.inspect.TaskCounts;
import dev.tandem.server.inspect.UnavailableException;
import dev.tandem.task.Partition;
import dev.tandem.task.store.PartitionReport;
import dev.tandem.task.store.PermitView;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The overview and the pages of queues: their states, their numbers, and what of them a caller may not see. */
class ConsoleQueuePagesTest extends ConsoleTestBase {

    @Test
    void theOverviewShowsAllQueuesAndTheirStates() {
        Browser browser = loggedIn(Role.VIEWER).open("/");

        assertThat(browser.status()).isEqualTo(200);
        assertThat(browser.page.body())
                .contains("<title>Overview – Tandem</title>", "href=\"/queues/orders\"", "href=\"/queues/mail\"")
                .contains("the viewer · viewer");
    }

    @Test
    void totalsAreUnknownWhileRedisDoesNotAnswer() {
        ApiTestBase.PLATFORM.failure = new UnavailableException("Redis is away", null);

        String body = loggedIn(Role.VIEWER).open("/").page.body();

        assertThat(body).contains("<dt>Dead</dt><dd class=\"\"><a href=\"/dead\">–</a>");
        assertThat(body).contains("<dt>Waiting</dt><dd class=\"\"><a href=\"/?with=waiting\">–</a>");
    }

    @Test
    void aTotalLeadsToTheListOfWhatItCountsOrToTheQueuesThatHaveSome() {
        // Of each queue, there are five dead tasks, and three run in the one that executors name.
        assertThat(loggedIn(Role.VIEWER).open("/").page.body())
                .contains("<a href=\"/dead\">15</a>", "<a href=\"/queues/orders/tasks?state=active\">3</a>");
        assertThat(loggedIn(Role.VIEWER, "mail").open("/").page.body())
                .contains("<a href=\"/dead\">5</a>", "<a href=\"/?with=running\">0</a>");

        assertThat(loggedIn(Role.VIEWER).open("/?with=running").page.body())
                .contains("Only queues that have some: Running.", "queue-orders", "Show all queues")
                .doesNotContain("queue-mail");
        assertThat(loggedIn(Role.VIEWER, "mail").open("/?with=running").page.body())
                .contains("No queue has any now.");
    }

    @Test
    void theTasksThatRunStandBesideTheLimitOfTheQueue() {
        PermitView.Holder holder = new PermitView.Holder("one", 40, 26, 2, 800, List.of());
        ApiTestBase.PLATFORM.limits.put("queue:mail", new PermitView("queue:mail", 50, null, List.of(holder)));
        String shown = "<span aria-hidden=\"true\">26 / 50</span><span class=\"hidden\">26 of at most 50</span>";

        Browser viewer = loggedIn(Role.VIEWER);
        assertThat(viewer.open("/").page.body())
                .contains("class=\"number\">" + shown)
                .containsOnlyOnce("of at most");
        assertThat(viewer.open("/queues/mail").page.body()).contains("<dt>Running</dt><dd>" + shown);
        assertThat(viewer.open("/queues/orders").page.body()).doesNotContain("of at most");
    }

    @Test
    void thePagesOfQueuesSaySinceWhenTheOldestTaskWaits() {
        PartitionInfo waits = new PartitionInfo("0", "one", 0, TaskCounts.NONE, Map.of(), 0, 0, 90_000L, null);
        PartitionInfo unknown = new PartitionInfo("1", "one", 0, TaskCounts.NONE, Map.of(), 0, 0, null, null);
        PartitionInfo none = new PartitionInfo("0", "one", 0, TaskCounts.NONE, Map.of(), 0, 0, 0L, null);
        ApiTestBase.PLATFORM.partitions.put("orders", List.of(waits, unknown));
        ApiTestBase.PLATFORM.partitions.put("mail", List.of(none));
        Browser viewer = loggedIn(Role.VIEWER);

        String cell = "data-label=\"Oldest waiting\" class=\"number\">";
        String since = cell + "<time data-relative datetime=\"";
        assertThat(viewer.open("/").page.body()).contains(since, cell + "none");
        assertThat(viewer.open("/queues/orders").page.body())
                .contains(since, cell + "–")
                .doesNotContain(cell + "none");
    }

    @Test
    void haltedKeysStandOutAmongThoseThatAreBlocked() {
        // Another test may have asked within the last five seconds.
        Browser browser = loggedIn(Role.VIEWER);
        await().untilAsserted(() -> assertThat(browser.open("/").page.body()).doesNotContain("halted"));

        ApiTestBase.PLATFORM.deadGroups = DeadGroupsApiTest.someGroups();

        await().untilAsserted(() -> assertThat(browser.open("/").page.body())
                .containsPattern("<span class=\"state held\">1 halted</span>\\s+1</a>")
                .containsPattern("<span class=\"state held\">3 halted</span>\\s*</dd>"));
        assertThat(loggedIn(Role.VIEWER, "mail").open("/").page.body())
                .containsPattern("<span class=\"state held\">1 halted</span>\\s*</dd>");
    }

    @Test
    void theOverviewReadsOnlyWhatHaltsKeysOfQueuesThatTheCallerMaySee() {
        for (String queue : List.of("orders", "mail")) {
            ApiTestBase.PLATFORM.partitions.put(queue, List.of(OrdinaryPlatform.halting("overview-1")));
        }

        loggedIn(Role.VIEWER, "mail").open("/");

        assertThat(ApiTestBase.PLATFORM.askedGroups)
                .filteredOn(each -> each.name().equals("overview-1"))
                .containsExactly(new Partition("mail", "overview-1"));
    }

    @Test
    void theOverviewHasTheEndsOfTheLastHalfHourFromTheStatistics() {
        ConsoleContent.addLastMinute("orders", 90, 60, 0, 30);

        // The last minute that is over is at the top of the small chart, and the others are at its bottom.
        Browser browser = loggedIn(Role.VIEWER);
        await().untilAsserted(
                        () -> assertThat(browser.open("/").page.body()).contains("0.0,26.0 ", "115.9,26.0 120.0,2.0"));
    }

    @Test
    void whatAnOwnerDoesNotSayOfItsMemoryIsUnknownAndNotNothing() {
        TaskCounts none = TaskCounts.NONE;
        ApiTestBase.PLATFORM.partitions.put(
                "mail",
                Stream.of("0", "1", "2", "3")
                        .map(each -> new PartitionInfo(each, "host-1", 0, none, Map.of(), 0, 0, 0L, null))
                        .toList());
        ApiTestBase.PLATFORM.counted.add(report("0", 1_234, 1_234 * 812));
        ApiTestBase.PLATFORM.counted.add(report("1", 0, 0));
        ApiTestBase.PLATFORM.counted.add(report("3", 7, PartitionReport.NOT_COUNTED));

        // Another test may have asked within the last five seconds.
        Browser browser = loggedIn(Role.VIEWER);
        await().until(() ->
                !inMemory(browser.open("/queues/mail").page.body(), "0").contains("–"));
        String page = browser.page.body();
        assertThat(inMemory(page, "0")).containsExactly("1,234", "979 KiB");
        assertThat(inMemory(page, "1")).containsExactly("0", "0 B");
        assertThat(inMemory(page, "2")).containsExactly("–", "–");
        assertThat(inMemory(page, "3")).as("of an earlier version").containsExactly("7", "–");
    }

    private static PartitionReport report(String partition, int inMemory, long bytes) {
        return new PartitionReport(partition, "host-1", -1, inMemory, 0, bytes, false, false, false, 0, true, "");
    }

    /** Returns the last two numbers in the row of a partition. */
    private static List<String> inMemory(String page, String partition) {
        String row = page.substring(page.indexOf("<th scope=\"row\">" + partition + "</th>"));
        String cell = "<td data-label=\"(?:In memory|Memory used)\" class=\"number\">([^<]*)</td>\\s*";
        Matcher cells = Pattern.compile(cell + cell).matcher(row);
        assertThat(cells.find()).isTrue();
        return List.of(cells.group(1), cells.group(2));
    }

    @Test
    void theOverviewHasOnlyTheQueuesThatTheCallerMaySee() {
        assertThat(loggedIn(Role.VIEWER, "mail").open("/").page.body())
                .contains("queue-mail", "You may not see 2 more queues")
                .doesNotContain("orders");
        assertThat(loggedIn(Role.WORKER, "orders").open("/").page.body()).doesNotContain("queue-orders");
    }
}
