package dev.tandem.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.server.access.Role;
import dev.tandem.server.operations.Operation;
import dev.tandem.server.operations.OperationInfo;
import dev.tandem.server.operations.OperationJson;
import dev.tandem.server.operations.OperationProgress;
import dev.tandem.server.operations.OperationProgress.State;
import dev.tandem.task.fanout.FanOutAnswer.Stop;
import dev.tandem.task.fanout.FanOutRecord;
import dev.tandem.task.fanout.FanOutRecord.Phase;
import dev.tandem.task.schedule.ScheduleBook;
import dev.tandem.task.schedule.ScheduleBook.Entry;
import dev.tandem.task.store.LimitOverride;
import dev.tandem.task.store.PermitRequest.PermitRun;
import dev.tandem.task.store.PermitView;
import dev.tandem.task.store.RateInfo;
import dev.tandem.task.store.RateView;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The pages of operations, schedules, fan-outs and limits: what they say, and which buttons they have for whom. */
class ConsoleProgressPagesTest extends ConsoleTestBase {

    private static final long NOW = Instant.parse("2026-10-24T10:00:00Z").toEpochMilli();
    private static final String DEFINITION = """
            {"id": "nightly", "queue": "orders", "type": "report", "cron": "0 30 2 * * *",
             "zone": "Europe/Berlin", "misfire": "one", "misfireAfter": "PT1M", "misfireMax": 100, "overlap": "skip",
             "jitter": "PT0S"}
            """;
    private static final String ID = ConsoleContent.FAN_OUT;

    @Test
    void operationsShowHowFarTheyAreAndCanBeStopped() {
        OperationProgress running = new OperationProgress(State.RUNNING, 12_000, 40, 38, 2, "3", 3, 12, null);
        ApiTestBase.OPERATIONS.known.add(ConsoleContent.operation("o-1", SCRIPT, false, running));
        ApiTestBase.OPERATIONS.known.add(ConsoleContent.operation("o-2", "timeout", false, running.failed(SCRIPT)));

        String page = page(Role.OPERATOR, "/operations");

        assertThat(page)
                .contains("<progress max=\"12\" value=\"3\"", "3 of 12 partitions", ">12,000</td>")
                .containsPattern("error:\\s*timeout\\s*</span>")
                .contains("class=\"names\">ann</td>", "<span class=\"state bad\">failed</span>")
                .contains("data-url=\"/api/v1/queues/orders/operations/o-1/stop\"")
                .doesNotContain("o-2/stop");
        assertShownAsText(page);
        assertThat(page(Role.VIEWER, "/operations")).contains("o-1").doesNotContain("data-url");

        Browser ofQueue = loggedIn(Role.OPERATOR, "orders");
        assertThat(ofQueue.open("/operations").status()).isEqualTo(403);
        assertThat(ofQueue.open("/queues/orders/operations/o-1").page.body())
                .contains("3 of 12 partitions", "orders/operations/o-1/stop")
                .doesNotContain("href=\"/operations\"");
        assertThat(loggedIn(Role.OPERATOR, "mail")
                        .open("/queues/orders/operations/o-1")
                        .status())
                .isEqualTo(403);

        ApiTestBase.OPERATIONS.reset();
        assertThat(page(Role.VIEWER, "/operations")).contains("Nobody has changed many tasks");
    }

    @Test
    void operationsLeadToTheirTasksTheGroupOfTheErrorAndWhatDiedSince() {
        OperationProgress done = new OperationProgress(State.DONE, 12_000, 40, 40, 0, null, 12, 12, null);
        OperationInfo operation = ConsoleContent.operation("o-1", "timeout", false, done);
        ApiTestBase.OPERATIONS.known.add(operation);
        ApiTestBase.OPERATIONS.known.add(ConsoleContent.operation("o-2", null, false, done));
        String list = "href=\"/queues/orders/tasks?state=dead";
        String group = "&amp;fingerprint=" + ConsoleContent.FINGERPRINT;
        String since =
                "&amp;died-after=" + operation.began().plusMillis(1).toString().replace(":", "%3A");

        String one = page(Role.VIEWER, "/queues/orders/operations/o-1");
        assertThat(one)
                .contains(list + group + "\" title=\"The tasks that match now\">dead</a>")
                .contains(
                        "href=\"/queues/orders/dead#group-" + ConsoleContent.FINGERPRINT + "\"", "<dt>error group</dt>")
                .contains(list + group + since + "\">the same error</a>", list + since + "\">any error</a>")
                .containsPattern("The list has no filter for</dt><dd>\\s*<span class=\"term\">error</span>");
        assertThat(page(Role.VIEWER, "/operations"))
                .contains(
                        list + group + since, "href=\"/queues/orders/dead#group-" + ConsoleContent.FINGERPRINT + "\"");

        assertThat(page(Role.VIEWER, "/queues/orders/operations/o-2"))
                .contains(list + "\" title")
                .containsPattern("href=\"/queues/orders/tasks\\?state=dead&amp;died-after=[^\"]+\">list</a>")
                .doesNotContain("#group-", "has no filter");
    }

    @Test
    void anOperationThatChoosesByHaltingSaysThatItsListDoesNot() {
        String missing = "The list has no filter for</dt><dd>\\s*<span class=\"term\">halting</span>";
        assertThat(pageOf("SKIP", "")).containsPattern(missing);
        assertThat(pageOf("DELETE", "")).containsPattern(missing);
        assertThat(pageOf("DELETE", ",\"halting\":true")).doesNotContain("The list has no filter for");
        assertThat(pageOf("RETRY", "")).doesNotContain("The list has no filter for");
    }

    /** Returns the page of an operation on dead tasks. @param selection what else it takes, in JSON */
    private String pageOf(String action, String selection) {
        ApiTestBase.OPERATIONS.reset();
        Operation operation = OperationJson.operation("{\"queue\":\"orders\",\"id\":\"o-1\",\"action\":\"" + action
                        + "\",\"selection\":{\"states\":[\"DEAD\"]" + selection + "}}")
                .orElseThrow();
        ApiTestBase.OPERATIONS.known.add(
                new OperationInfo("orders", "o-1", operation, OperationProgress.NONE, Instant.now(), null, null));
        return page(Role.VIEWER, "/queues/orders/operations/o-1");
    }

    @Test
    void onlyARetryOfDeadTasksSaysWhatDiedSince() {
        OperationProgress done = new OperationProgress(State.DONE, 12_000, 40, 40, 0, null, 12, 12, null);
        ApiTestBase.OPERATIONS.known.add(ConsoleContent.operation("o-1", null, true, done));

        assertThat(page(Role.VIEWER, "/queues/orders/operations/o-1"))
                .contains("only counts")
                .doesNotContain("died-after", "Died since");
    }

    @Test
    void dryRunsAreShownWhenSomebodyAsksForThem() {
        OperationProgress done = new OperationProgress(State.DONE, 12_000, 40, 0, 0, null, 12, 12, null);
        ApiTestBase.OPERATIONS.known.add(ConsoleContent.operation("o-1", "timeout", false, done));
        ApiTestBase.OPERATIONS.known.add(ConsoleContent.operation("counts", "timeout", true, done));

        assertThat(page(Role.VIEWER, "/operations"))
                .contains("o-1", "Dry runs hidden: 1.", "href=\"/operations?dry-runs=true\"")
                .doesNotContain("operation-orders-counts");
        assertThat(page(Role.VIEWER, "/operations?dry-runs=true"))
                .contains(
                        "operation-orders-o-1", "operation-orders-counts", "only counts", "href=\"/operations\">Hide");
        ApiTestBase.OPERATIONS.known.remove(1);
        assertThat(page(Role.VIEWER, "/operations")).doesNotContain("Dry runs hidden");
    }

    @Test
    void aPageWithoutLimitsSaysWhichSettingsMakeSome() {
        assertThat(page(Role.VIEWER, "/limits"))
                .contains(
                        "The setting max-running of a queue", "docs/flow-control.md", "max-running: 2", "rate: 100/s");
        ApiTestBase.PLATFORM.limits.put("erp", new PermitView("erp", 7, null, List.of()));
        assertThat(page(Role.VIEWER, "/limits"))
                .doesNotContain("max-running: 2")
                .contains("rate: 100/s");
    }

    private static Entry schedule(String id, String definition, long seen, long paused, boolean created) {
        return new Entry(
                id, definition, seen, NOW - 60_000, paused, ScheduleBook.NONE, ScheduleBook.NONE, 7, 1, 0, created);
    }

    private static String withoutOthers(String page, String id) {
        String row = page.substring(page.indexOf("<tr id=\"schedule-" + id + "\""));
        return row.substring(0, row.indexOf("</tr>"));
    }

    @Test
    void schedulesSayWhenTheyFireAndHaveTheButtonsOfTheirStates() {
        ApiTestBase.SCHEDULES.now = NOW;
        ApiTestBase.SCHEDULES.entries = List.of(
                schedule("nightly", DEFINITION, NOW, ScheduleBook.NONE, false),
                schedule("made", DEFINITION, NOW, NOW - 100, true),
                schedule("gone", DEFINITION, NOW - 60_000, ScheduleBook.NONE, false),
                schedule("later", "{\"cron\": \"of a later version\"}", NOW, ScheduleBook.NONE, false));

        String page = page(Role.OPERATOR, "/schedules");

        // In Berlin, summer time ends in the night of the first firing.
        assertThat(withoutOthers(page, "nightly"))
                .contains("2026-10-25 02:30:00 +02:00", "2026-10-26 02:30:00 +01:00", "Europe/Berlin", "0 30 2 * * *")
                .contains("datetime=\"2026-10-25T00:30:00Z\"", "datetime=\"2026-10-24T09:59:00Z\"")
                .contains("Missed firings: one", "Overlap: skip", "class=\"number bad\">1</td>")
                .contains("data-undo-url=\"/api/v1/schedules/nightly/resume\"", "schedules/nightly/fire\" data-confirm")
                .doesNotContain("DELETE");
        assertThat(withoutOthers(page, "made"))
                .contains("created here", "data-url=\"/api/v1/schedules/made/resume\"", "schedules/made/fire\"")
                .contains("data-method=\"DELETE\" data-url=\"/api/v1/schedules/made\" data-confirm=\"Delete")
                .contains("data-undo-url=\"/api/v1/schedules/made/restore\"");
        assertThat(withoutOthers(page, "gone"))
                .contains("data-method=\"DELETE\" data-url=\"/api/v1/schedules/gone\"")
                .doesNotContain("/fire", "/pause");
        assertThat(withoutOthers(page, "later"))
                .contains("<span class=\"state bad\">unreadable</span>")
                .doesNotContain("data-url");
        assertThat(page(Role.VIEWER, "/schedules")).contains("nightly").doesNotContain("data-url");
    }

    @Test
    void namesOfSchedulesAreShownAsTextAndTheirNumberIsBounded() {
        ApiTestBase.SCHEDULES.now = NOW;
        ApiTestBase.SCHEDULES.entries = List.of(schedule(SCRIPT, DEFINITION, NOW, ScheduleBook.NONE, true));
        String page = page(Role.OPERATOR, "/schedules");
        assertShownAsText(page);
        assertThat(page).contains("/api/v1/schedules/%3Cscript%3Ealert%28%27x%27%29%3C%2Fscript%3E%22x%3D/pause");

        List<Entry> many = new ArrayList<>();
        for (int i = 0; i < 202; i++) {
            many.add(schedule("s-%03d".formatted(i), DEFINITION, NOW, ScheduleBook.NONE, false));
        }
        ApiTestBase.SCHEDULES.entries = many;
        assertThat(page(Role.VIEWER, "/schedules"))
                .contains("schedule-s-199", "202</span>", "href=\"/schedules?after=s-199\"", "2 more schedules")
                .doesNotContain("schedule-s-200");
        assertThat(page(Role.VIEWER, "/schedules?after=s-199"))
                .contains("schedule-s-200", "schedule-s-201", "href=\"/schedules\">First page")
                .doesNotContain("schedule-s-199", "Next page");
        ApiTestBase.SCHEDULES.entries = List.of();
        assertThat(page(Role.VIEWER, "/schedules")).contains("There is no schedule.");
    }

    private static void have(FanOutRecord... records) {
        for (FanOutRecord record : records) {
            ApiTestBase.FAN_OUTS.records.put(record.id(), record);
        }
    }

    @Test
    void fanOutsShowHowFarTheyAreAndTheirFirstErrors() {
        String open = "11112222333344445555";
        have(
                ConsoleContent.fanOut(ID, Phase.SEALED, Stop.NO, SCRIPT),
                ConsoleContent.fanOut(open, Phase.OPEN, Stop.CANCELLED, "no such row"));

        String page = page(Role.OPERATOR, "/fan-outs");

        assertThat(page)
                .contains("<progress max=\"100\" value=\"42\"", "42 of 100 ended", "42 of at least 80 ended")
                .contains("Subtask 9: no such row", "final-1", "href=\"/queues/mail\"")
                .contains(
                        "fan-outs/" + ID + "/cancel\" data-confirm=\"Cancel",
                        "fan-outs/" + open + "/end\" data-confirm")
                .doesNotContain("Subtask 10", ID + "/end", open + "/cancel");
        assertShownAsText(page);
        assertThat(page(Role.VIEWER, "/fan-outs")).contains(ID).doesNotContain("data-url");
        assertThat(page(Role.VIEWER, "/fan-outs?ended=true")).contains("There is no such fan-out.");
    }

    @Test
    void endedFanOutsGoOnByTheirCursor() {
        for (int i = 0; i < 50; i++) {
            have(ConsoleContent.fanOut("000000000000000000" + (10 + i), Phase.COMPLETE, Stop.FAILED, "no such row"));
        }

        Browser browser = loggedIn(Role.OPERATOR).open("/fan-outs?ended=true");

        assertThat(browser.page.body())
                .contains("<span class=\"state bad\">failed</span>", "data-live")
                .doesNotContain("/end\"", "/cancel\"");
        Matcher older = Pattern.compile("href=\"(/fan-outs\\?ended=true&amp;cursor=[^\"]+)\"")
                .matcher(browser.page.body());
        assertThat(older.find()).isTrue();
        browser.open(older.group(1).replace("&amp;", "&"));
        assertThat(browser.status()).isEqualTo(200);
        assertThat(browser.page.body())
                .contains("href=\"/fan-outs?ended=true\">Latest")
                .doesNotContain("data-live");
        assertThat(browser.open("/fan-outs?cursor=wrong").status()).isEqualTo(400);
    }

    @Test
    void aRecountOfAFanOutNamesWhatHasNotEnded() {
        have(ConsoleContent.fanOut(ID, Phase.SEALED, Stop.CANCELLED, SCRIPT));

        String page = page(Role.OPERATOR, "/fan-outs/" + ID);

        assertThat(page)
                .contains("<span class=\"term\">3</span>", "<span class=\"term\">7</span>", "5% may fail", "@3/1:17")
                .contains("fan-outs/" + ID + "/end\"", "asked for", "class=\"number\">10</td>");
        assertShownAsText(page);
        assertThat(loggedIn(Role.VIEWER).open("/fan-outs/ffffffffffffffffffff").status())
                .isEqualTo(404);
        Browser none = loggedIn(Role.VIEWER).open("/fan-outs/none");
        assertThat(none.status()).isEqualTo(400);
        assertThat(none.page.body()).contains("role=\"alert\"", "This is no id of a fan-out");
    }

    private static RateView rate(String name, @Nullable String per, RateView.Bucket... buckets) {
        return new RateView(new RateInfo(name, 12_000_000, 3, per), null, 7, 1, List.of(buckets));
    }

    @Test
    void limitsShowWhoHoldsThemAndRateLimitsTheirBuckets() {
        PermitRun run = new PermitRun("orders", "0/1:1", SCRIPT, NOW);
        ApiTestBase.PLATFORM.limits.put(
                SCRIPT,
                new PermitView(
                        SCRIPT,
                        5,
                        null,
                        List.of(
                                new PermitView.Holder("two", 1, 0, 4, 900, List.of()),
                                new PermitView.Holder("one", 4, 7, 2, 800, List.of(run)))));
        ApiTestBase.PLATFORM.limits.put("idle", new PermitView("idle", 0, null, List.of()));
        ApiTestBase.PLATFORM.rateLimits.put(
                SCRIPT,
                rate(
                        SCRIPT,
                        "header:tenant",
                        new RateView.Bucket("acme", NOW * 1_000, NOW * 1_000 + 60_000_000),
                        new RateView.Bucket(SCRIPT, NOW * 1_000, 0)));
        ApiTestBase.PLATFORM.rateLimits.put("quiet", rate("quiet", null));

        String page = page(Role.VIEWER, "/limits");

        assertThat(page)
                .containsPattern("rowspan=\"2\" class=\"number\">\\s*5\\s*</td>")
                .containsPattern(">\\s*5/m\\s*</td>")
                .contains(">one</td>", ">two</td>", "and 6 more")
                .contains("No executor has a permit or waits for one.", "header:tenant", ">acme</td>")
                .doesNotContain("class=\"change\"", "/override")
                .contains("datetime=\"2026-10-24T10:01:00Z\"", "No bucket is in use.");
        assertShownAsText(page);

        ApiTestBase.PLATFORM.reset();
        assertThat(page(Role.VIEWER, "/limits")).contains("No rate limit is set");
    }

    @Test
    void aChangedLimitSaysFromWhatAndByWhomAndOperatorsHaveTheForm() {
        ApiTestBase.PLATFORM.limits.put(
                SCRIPT, new PermitView(SCRIPT, 50, new LimitOverride.OfPermits(20, SCRIPT, NOW, "16"), List.of()));
        ApiTestBase.PLATFORM.limits.put("erp", new PermitView("erp", 7, null, List.of()));
        RateView rate = rate("mails", null);
        ApiTestBase.PLATFORM.rateLimits.put(
                "mails",
                new RateView(rate.info(), new LimitOverride.OfRate(100_000, 4, "anna", NOW, "17"), 0, 0, List.of()));

        String page = page(Role.OPERATOR, "/limits");

        assertThat(page)
                .contains("from 50, by ", "from 5/m with a burst of 3, by anna", "datetime=\"2026-10-24T10:00:00Z\"")
                .contains(
                        "data-send=\"/api/v1/limits/erp/override?revision=none\"",
                        "erp/override?of=running&amp;revision={revision}\" data-undo-method=\"DELETE\"")
                .contains(
                        "data-send=\"/api/v1/limits/mails/override?revision=17\"",
                        "data-url=\"/api/v1/limits/mails/override?of=rate&amp;revision=17\"",
                        "data-undo-url=\"/api/v1/limits/mails/override?revision={revision}\" data-undo-method=\"PUT\"")
                .contains(
                        "Let at most {maxRunning} tasks of erp run at once, in all executors? Now it is 7, and 0 run.")
                .contains("data-undo-method=\"PUT\"", "{&#34;intervalMicros&#34;:100000,&#34;burst&#34;:4}");
        assertShownAsText(page);
        assertThat(page(Role.VIEWER, "/limits")).contains("from 50, by ").doesNotContain("/override");
    }
}
