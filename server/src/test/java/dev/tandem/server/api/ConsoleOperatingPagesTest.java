package dev.tandem.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.server.access.AuditEntry;
import dev.tandem.server.access.Role;
import dev.tandem.server.inspect.ExecutorInfo;
import dev.tandem.server.inspect.UnavailableException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The pages of the console that are about the whole platform: who sees them, and what they say. */
class ConsoleOperatingPagesTest extends ConsoleTestBase {

    private static final Instant TIME = Instant.parse("2026-11-20T10:00:00Z");

    @Test
    void theNavigationHasThePagesThatTheCallerMaySee() {
        assertThat(page(Role.ADMIN, "/"))
                .contains("<a href=\"/executors\"", "<a href=\"/schedules\"", "<a href=\"/fan-outs\"")
                .contains("<a href=\"/limits\"", "<a href=\"/operations\"", "<a href=\"/audit\"");
        assertThat(page(Role.VIEWER, "/")).contains("<a href=\"/executors\"").doesNotContain("/audit");
        assertThat(page(Role.WORKER, "/")).doesNotContain("/executors", "/audit", "/running");
        assertThat(loggedIn(Role.ADMIN, "mail").open("/").page.body())
                .contains("<a href=\"/running\"")
                .doesNotContain("/executors", "/audit");
    }

    @Test
    void aPageIsRefusedToThoseToWhomTheRouteOfTheApiIs() {
        for (String path : List.of("/executors", "/schedules", "/fan-outs", "/limits", "/operations", "/audit")) {
            assertThat(loggedIn(Role.WORKER).open(path).status()).as(path).isEqualTo(403);
            assertThat(loggedIn(Role.ADMIN, "mail").open(path).status())
                    .as(path)
                    .isEqualTo(403);
        }
        Browser operator = loggedIn(Role.OPERATOR).open("/audit");
        assertThat(operator.status()).isEqualTo(403);
        assertThat(operator.page.body()).contains("role=\"alert\"", "does not permit this request");
    }

    @Test
    void runningTasksAreThoseOfTheQueuesThatTheCallerMaySee() {
        ApiTestBase.claim("orders", "1:17", "host-1", 1);
        ApiTestBase.claim("mail", "1:5", "host-1", 2);
        ApiTestBase.tell("host-1", "orders", "1:17", SCRIPT, SCRIPT);
        ApiTestBase.PLATFORM.live = Set.of("host-1");

        String all = page(Role.OPERATOR, "/running");
        assertThat(all)
                .contains("data-live", "running-orders-@0/1:17", "running-mail-@0/1:5", "2026-11-20 10:02:00 UTC")
                .contains("/api/v1/queues/orders/tasks/%400%2F1%3A17/cancel", " 4 / 10", "of card 4711");
        assertShownAsText(all);
        String mail =
                loggedIn(Role.VIEWER, "mail").open("/running?queue=orders").page.body();
        assertThat(mail).contains("running-mail-").doesNotContain("orders", "/cancel");
        assertThat(page(Role.VIEWER, "/running?type=ship")).doesNotContain("running-mail-");
        assertThat(page(Role.WORKER, "/running")).contains("No task runs").doesNotContain("orders");
    }

    @Test
    void aPageSaysThatRedisDoesNotAnswer() {
        ApiTestBase.PLATFORM.failure = new UnavailableException("Redis does not answer", null);

        Browser browser = loggedIn(Role.VIEWER).open("/executors");

        assertThat(browser.status()).isEqualTo(503);
        assertThat(browser.page.body()).contains("role=\"alert\"", "Redis does not answer");
    }

    @Test
    void executorsAreShownWithTheirQueuesAndWhatTheyLack() {
        ApiTestBase.PLATFORM.executors = List.of(
                new ExecutorInfo(
                        "host-1",
                        SCRIPT,
                        TIME,
                        TIME,
                        List.of(
                                new ExecutorInfo.Share(
                                        "orders", 12, 3, List.of("pay", SCRIPT), List.of("ship", SCRIPT)),
                                new ExecutorInfo.Share("mail", null, null))),
                new ExecutorInfo("host-2", null, null, null, List.of()));

        String page = page(Role.VIEWER, "/executors");

        assertThat(page)
                .contains("rowspan=\"2\">host-1</th>", "datetime=\"2026-11-20T10:00:00Z\"", "2026-11-20 10:00:00 UTC")
                .contains(">12</td>", "pay, ", "ship, ", "href=\"/queues/mail\"", "It works on no queue.");
        assertShownAsText(page);

        ApiTestBase.PLATFORM.executors = List.of();
        assertThat(page(Role.VIEWER, "/executors")).contains("No executor is alive.");
    }

    @Test
    void aPageHasABoundedNumberOfExecutors() {
        List<ExecutorInfo> many = new ArrayList<>();
        for (int i = 0; i < 303; i++) {
            many.add(new ExecutorInfo("host-%03d".formatted(i), null, null, null, List.of()));
        }
        ApiTestBase.PLATFORM.executors = many;

        assertThat(page(Role.VIEWER, "/executors"))
                .contains("executor-host-098", "303</span>", "href=\"/executors?after=host-299\"", "3 more executors")
                .doesNotContain("executor-host-300", "First page");
        assertThat(page(Role.VIEWER, "/executors?after=host-299"))
                .contains("executor-host-300", "executor-host-302", "303</span>", "href=\"/executors\">First page")
                .doesNotContain("executor-host-299", "Next page");
        assertThat(page(Role.VIEWER, "/executors?after=zzz")).contains("No executor is behind this place any more.");
    }

    private static AuditEntry entry(String id, String subject, int status, String result) {
        return AuditEntries.of(subject).id(id).at(TIME).answered(status, result).entry();
    }

    @Test
    void eachPartOfTheAuditLogIsShown() {
        ApiTestBase.AUDIT.entries.add(entry("1-0", "queue " + SCRIPT, 202, SCRIPT));
        ApiTestBase.AUDIT.refused.add(entry("2-0", "queue mail", 409, "It is \"refused\""));
        ApiTestBase.AUDIT.published.add(entry("3-0", "queue orders", 202, "").published(12_000));
        Browser browser = loggedIn(Role.ADMIN).open("/audit");

        assertThat(browser.page.body())
                .contains("nobody <span class=\"quiet\">operator</span>", "192.0.2.7", "2026-11-20 10:00:00 UTC")
                .contains("<a href=\"/audit?kind=changes\" aria-current=\"page\">Changes</a>")
                .contains("href=\"/api/v1/audit?kind=changes&amp;limit=1000\"");
        assertShownAsText(browser.page.body());
        assertThat(browser.open("/audit?kind=refused").page.body())
                .contains("queue mail", "class=\"number bad\">409", "It is ")
                .doesNotContain("script>alert");
        assertThat(browser.open("/audit?kind=published").page.body()).contains("12,000 tasks, 1 requests");
        assertThat(browser.open("/audit?kind=failed-logins").page.body()).contains("Nothing is recorded here.");

        Browser none = loggedIn(Role.ADMIN).open("/audit?kind=none");
        assertThat(none.status()).isEqualTo(400);
        assertThat(none.page.body())
                .contains("role=\"alert\"", "changes, refused, logins, login-links, failed-logins, published");
    }

    @Test
    void theAuditLogGoesOnByItsCursor() {
        for (int i = 0; i < 50; i++) {
            ApiTestBase.AUDIT.entries.add(entry("7-" + i, "queue orders", 202, ""));
        }
        Browser browser = loggedIn(Role.ADMIN).open("/audit");
        assertThat(browser.page.body()).contains("data-live=\"yes\"").doesNotContain(">Latest</a>");

        Matcher older = Pattern.compile("href=\"(/audit\\?kind=changes&amp;cursor=[^\"]+)\">Older")
                .matcher(browser.page.body());
        assertThat(older.find()).isTrue();
        browser.open(older.group(1).replace("&amp;", "&"));
        assertThat(browser.status()).isEqualTo(200);
        assertThat(browser.page.body())
                .contains("<a class=\"button\" href=\"/audit?kind=changes\">Latest</a>")
                .doesNotContain("data-live");

        assertThat(browser.open("/audit?kind=logins&cursor=wrong").status()).isEqualTo(400);
    }
}
