package dev.tandem.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.server.access.Role;
import dev.tandem.server.archive.ArchivedOutcome;
import dev.tandem.server.inspect.UnavailableException;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** The pages of the archive: what they show, to whom, and what they say without one. */
class ConsoleArchivePagesTest extends ConsoleTestBase {

    private static void ended(String position, String id, String kind, int attempt) {
        ApiTestBase.ARCHIVE.outcomes.add(new ArchivedOutcome(
                "orders",
                "3",
                position,
                kind,
                Instant.now().minusSeconds(60 - attempt),
                id,
                "ship",
                SCRIPT,
                attempt,
                "web-1",
                SCRIPT,
                null,
                1_234L,
                null,
                attempt));
    }

    @Test
    void endsAreListedAndATaskHasItsAttempts() {
        ended("0:1", "a-1", "failed", 1);
        ended("0:1", "a-1", "dead", 2);

        String list = page(Role.VIEWER, "/archive?queue=orders&state=dead");
        assertThat(list)
                .contains("/archive/orders/%403%2F0%3A1", "a-1", "web-1")
                .doesNotContain(SCRIPT);
        String task = page(Role.VIEWER, "/archive/orders/a-1");
        assertThat(task).contains("failed, tried again", "dead", "1,234 ms").doesNotContain(SCRIPT);
        assertThat(page(Role.VIEWER, "/archive?key=other")).doesNotContain("a-1");
    }

    @Test
    void aSearchForAnIdThatOnlyTheArchiveHasLeadsThere() {
        ended("0:1", "only-there", "succeeded", 1);

        assertThat(loggedIn(Role.VIEWER).open("/search?q=only-there").location())
                .contains("/archive?id=only-there&from=1970");
        assertThat(loggedIn(Role.VIEWER, "orders")
                        .open("/search?queue=orders&q=only-there")
                        .status())
                .as("who may see one queue only does not see the archive of all")
                .isEqualTo(200);
    }

    @Test
    void anArchiveThatIsOffOrAskedWronglySaysSo() {
        ApiTestBase.ARCHIVE.off = true;
        assertThat(page(Role.VIEWER, "/archive")).contains("tandem.archive.url");
        ApiTestBase.ARCHIVE.off = false;
        assertThat(loggedIn(Role.VIEWER).open("/archive?from=yesterday").status())
                .isEqualTo(400);
        assertThat(loggedIn(Role.VIEWER).open("/archive/orders/none").status()).isEqualTo(404);
        assertThat(loggedIn(Role.WORKER).open("/archive").status()).isEqualTo(403);
    }

    @Test
    void whilePostgresIsAwayAPageSaysSoAndDoesNotBlameRedis() {
        ApiTestBase.ARCHIVE.failure = new UnavailableException("The archive in PostgreSQL does not answer: away", null);

        Browser task = loggedIn(Role.VIEWER).open("/archive/orders/x");

        assertThat(task.status()).isEqualTo(503);
        assertThat(task.page.body())
                .contains("The archive in PostgreSQL does not answer", "Load the page again in a few seconds")
                .doesNotContain("Redis");
        assertThat(page(Role.VIEWER, "/archive")).contains("The archive in PostgreSQL does not answer");
    }

    @Test
    void aListSaysThatItHasTheLastDayOnlyIfNoTimeIsGiven() {
        String said = "The last 24 hours are shown";

        assertThat(page(Role.VIEWER, "/archive")).contains(said);
        assertThat(page(Role.VIEWER, "/archive?until=2026-01-01T00:00:00Z")).doesNotContain(said);
        assertThat(page(Role.VIEWER, "/archive?from=2026-01-01T00:00:00Z")).doesNotContain(said);
    }
}
