package dev.tandem.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.server.access.Needs;
import dev.tandem.server.access.Role;
import dev.tandem.server.inspect.ClaimedTask;
import dev.tandem.server.inspect.PartitionInfo;
import dev.tandem.server.inspect.TaskCounts;
import dev.tandem.server.inspect.UnavailableException;
import dev.tandem.task.Partition;
import dev.tandem.task.store.PartitionReport;
import dev.tandem.task.store.PermitView;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/** The pages of the console: who sees what, and that what comes from outside is shown as text. */
class ConsolePagesTest extends ConsoleTestBase {

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
    void buttonsAreForThoseWhoMayUseTheirRoutes() {
        assertThat(loggedIn(Role.VIEWER).open("/").page.body()).doesNotContain("data-url");
        assertThat(loggedIn(Role.OPERATOR).open("/").page.body())
                .contains("data-method=\"POST\" data-url=\"/api/v1/queues/orders/pause\"");

        ApiTestBase.PLATFORM.paused = true;
        assertThat(loggedIn(Role.OPERATOR).open("/queues/orders").page.body())
                .contains("data-url=\"/api/v1/queues/orders/resume\"")
                .doesNotContain("orders/pause");
    }

    @Test
    void aPageThatTheCallerMayNotSeeSaysSoAsAPage() {
        Browser worker = loggedIn(Role.WORKER, "orders").open("/queues/orders");

        assertThat(worker.status()).isEqualTo(403);
        assertThat(worker.page.body()).contains("role=\"alert\"", "does not permit this request");

        Browser viewer = loggedIn(Role.VIEWER).open("/queues/none");
        assertThat(viewer.status()).isEqualTo(404);
        assertThat(viewer.page.body()).contains("There is no queue 'none'");
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
                .contains(
                        "<span class=\"state held\">1 halted</span> 1</a>",
                        "<span class=\"state held\">3 halted</span></dd>"));
        assertThat(loggedIn(Role.VIEWER, "mail").open("/").page.body())
                .contains("<span class=\"state held\">1 halted</span></dd>");
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
    void onlyPagesWithChartsLoadTheLibraryThatDrawsThem() {
        assertThat(loggedIn(Role.VIEWER).open("/").page.body()).doesNotContain("uplot");
        assertThat(loggedIn(Role.VIEWER).open("/queues/orders").page.body()).contains("/uplot.js", "/uplot.css");
    }

    @Test
    void theOverviewHasOnlyTheQueuesThatTheCallerMaySee() {
        assertThat(loggedIn(Role.VIEWER, "mail").open("/").page.body())
                .contains("queue-mail", "You may not see 2 more queues")
                .doesNotContain("orders");
        assertThat(loggedIn(Role.WORKER, "orders").open("/").page.body()).doesNotContain("queue-orders");
    }

    @Test
    void whatComesFromOutsideIsShownAsText() {
        Browser browser = loggedIn(Role.VIEWER).open("/queues/%3Cscript%3Ealert(1)%3C%2Fscript%3E");

        assertThat(browser.status()).isEqualTo(404);
        assertThat(browser.page.body()).doesNotContain("<script>alert").contains("&lt;script&gt;alert(1)");
    }

    @Test
    void pagesPermitOnlyFilesOfThisServer() {
        Browser browser = loggedIn(Role.VIEWER).open("/");

        assertThat(browser.page.headers().firstValue("Content-Security-Policy"))
                .hasValueSatisfying(policy -> assertThat(policy)
                        .contains(
                                "default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'")
                        .doesNotContain("unsafe"));
        assertThat(browser.page.headers().firstValue("Cache-Control")).hasValue("no-store");
        assertThat(browser.page.body()).doesNotContain("style=\"", "onclick", "http://", "https://");
    }

    @Test
    void filesOfPagesAreKeptByBrowsersForEverAndNeedNoLogin() {
        Matcher path = Pattern.compile("/assets/[0-9a-f]+/console\\.js")
                .matcher(loggedIn(Role.VIEWER).open("/").page.body());
        assertThat(path.find()).isTrue();

        Browser nobody = new Browser(ApiTestBase.port(api)).open(path.group());
        assertThat(nobody.status()).isEqualTo(200);
        assertThat(nobody.page.headers().firstValue("Content-Type")).hasValue("text/javascript;charset=UTF-8");
        assertThat(nobody.page.headers().firstValue("Cache-Control")).hasValue("public, max-age=31536000, immutable");
        assertThat(nobody.open(path.group().replace("console.js", "live.js")).status())
                .as("the modules name one another by their names")
                .isEqualTo(200);
        assertThat(nobody.open("/assets/0000/console.js").status()).isEqualTo(404);
        assertThat(nobody.open("/assets/0000/..%2Fapplication.yaml").status()).isEqualTo(404);
    }

    @Test
    void theLanguageIsTheOneOfTheBrowserUntilTheUserChoosesAnother() {
        Browser browser = loggedIn(Role.VIEWER);
        browser.send(browser.request("/").header("Accept-Language", "zh-CN,zh;q=0.9,en;q=0.5"));
        assertThat(browser.page.body()).contains("<html lang=\"zh\">", "概览");

        browser.send(browser.request("/language/en")
                .header("X-CSRF-TOKEN", csrf(browser))
                .POST(noBody()));
        assertThat(browser.status()).isEqualTo(204);
        browser.send(browser.request("/").header("Accept-Language", "zh-CN"));
        assertThat(browser.page.body()).contains("<html lang=\"en\">", "Overview");
    }

    private static BodyPublisher noBody() {
        return BodyPublishers.noBody();
    }

    private static String csrf(Browser browser) {
        Matcher proof = Pattern.compile("data-csrf=\"([^\"]+)\"").matcher(browser.page.body());
        assertThat(proof.find()).isTrue();
        return proof.group(1);
    }

    /** It is what the script sends for a button. */
    @Test
    void theProofOfAPageIsGoodForTheRoutesOfTheApi() {
        Browser browser = loggedIn(Role.OPERATOR).open("/");

        browser.send(browser.request("/api/v1/queues/orders/pause")
                .header("X-CSRF-TOKEN", csrf(browser))
                .POST(noBody()));

        assertThat(browser.status()).as(browser.page.body()).isEqualTo(202);
        browser.send(browser.request("/api/v1/queues/orders/pause").POST(noBody()));
        assertThat(browser.status()).isEqualTo(403);
    }

    @Test
    void aPageSendsWhatChangesToThoseWhoLookAtIt() throws Exception {
        Browser browser = loggedIn(Role.OPERATOR);
        var request = browser.request("/queues/orders")
                .setHeader("Accept", "text/event-stream")
                .build();
        var answer = HttpClient.newHttpClient().send(request, BodyHandlers.ofInputStream());
        assertThat(answer.headers().firstValue("Content-Type")).hasValue("text/event-stream;charset=UTF-8");

        try (InputStream body = answer.body();
                BufferedReader lines = new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8))) {
            assertThat(event(lines)).containsExactly("retry: 1000");
            List<String> first = event(lines);
            assertThat(first).first().isEqualTo("event: content");
            assertThat(first).anyMatch(line -> line.startsWith("data: ") && line.contains("orders/pause"));
            assertThat(first).noneMatch(line -> line.contains("<html"));

            ApiTestBase.PLATFORM.paused = true;
            assertThat(event(lines)).anyMatch(line -> line.contains("orders/resume"));
        }
    }

    /** Each rendering says another time, so that callers with one time share a rendering. */
    @Test
    void callersWithTheSameRightsShareWhatIsRendered() throws Exception {
        ApiTestBase.claim("orders", "1:17", "host-1", 1);
        ClaimedTask one = ApiTestBase.PLATFORM.claimed.get("orders").get(0);
        AtomicLong renderings = new AtomicLong();
        ApiTestBase.PLATFORM.claimed.put("orders", new AbstractList<>() {
            @Override
            public ClaimedTask get(int index) {
                return new ClaimedTask(one.task(), Instant.ofEpochSecond(renderings.incrementAndGet()));
            }

            @Override
            public int size() {
                return 1;
            }
        });

        try (BufferedReader first = running(loggedIn(Role.VIEWER));
                BufferedReader second = running(loggedIn(Role.VIEWER));
                BufferedReader operator = running(loggedIn(Role.OPERATOR))) {
            List<String> seen = List.of(claimEnd(second), claimEnd(second));
            List<String> others = List.of(claimEnd(operator), claimEnd(operator));
            List<String> all = new ArrayList<>();
            while (all.size() < 20 && !all.containsAll(seen)) {
                all.add(claimEnd(first));
            }
            assertThat(all).containsAll(seen).doesNotContainAnyElementsOf(others);
        }
    }

    private static BufferedReader running(Browser browser) throws Exception {
        var request = browser.request("/running")
                .setHeader("Accept", "text/event-stream")
                .build();
        InputStream body = HttpClient.newHttpClient()
                .send(request, BodyHandlers.ofInputStream())
                .body();
        return new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8));
    }

    /** Returns when the claim of the next content ends. */
    private static String claimEnd(BufferedReader lines) throws IOException {
        String text = "";
        while (!text.contains("datetime=\"1970-")) {
            text = String.join("\n", event(lines));
        }
        return text.replaceAll("(?s).*datetime=\"(1970-[^\"]+)\".*", "$1");
    }

    private static List<String> event(BufferedReader lines) throws IOException {
        List<String> event = new ArrayList<>();
        for (String line = lines.readLine(); line != null && !line.isEmpty(); line = lines.readLine()) {
            event.add(line);
        }
        return event;
    }

    @Test
    void everyPageSaysWhatItsCallersNeed() {
        List<HandlerMethod> pages = api
                .getBean("requestMappingHandlerMapping", RequestMappingHandlerMapping.class)
                .getHandlerMethods()
                .values()
                .stream()
                .filter(method -> method.getBeanType().getPackageName().equals("dev.tandem.server.console"))
                .toList();

        assertThat(pages)
                .isNotEmpty()
                .allSatisfy(method -> assertThat(method.hasMethodAnnotation(Needs.class)
                                || method.getBeanType().isAnnotationPresent(Needs.class))
                        .as(method.toString())
                        .isTrue());
    }
}
