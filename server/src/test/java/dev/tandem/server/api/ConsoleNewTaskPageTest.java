package dev.tandem.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.server.access.Role;
import dev.tandem.server.inspect.ExecutorInfo;
import dev.tandem.server.inspect.ExecutorInfo.Share;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The console's form for a new task: who gets it, and what it suggests. What it sends is tried in a browser. */
class ConsoleNewTaskPageTest extends ConsoleTestBase {

    private static final String FORM = "/queues/orders/new";

    private static void executors(List<String> types) {
        ApiTestBase.PLATFORM.executors = List.of(
                new ExecutorInfo("e-1", null, null, null, List.of(new Share("orders", 1, 0, types, null))),
                new ExecutorInfo("e-2", null, null, null, List.of(new Share("mail", 1, 0, List.of("send"), null))));
    }

    @Test
    void theFormCallsTheRouteThatPublishesAndSuggestsTheTypesOfTheQueue() {
        executors(List.of("ship", "bill", SCRIPT));

        String page = page(Role.OPERATOR, FORM);

        assertThat(page)
                .contains("data-send=\"/api/v1/queues/orders/tasks\"", "data-tasks=\"/queues/orders/tasks/\"")
                .contains("<option value=\"bill\"></option>", "<option value=\"ship\"></option>", "data-unknown=")
                .doesNotContain("value=\"send\"", "data-live=\"yes\"");
        assertThat(page).contains("&#34;x=").doesNotContain("<script>alert");
    }

    @Test
    void noTypeIsUnknownWhereAnExecutorTakesAny() {
        executors(List.of("*"));

        assertThat(page(Role.OPERATOR, FORM)).doesNotContain("data-unknown", "<option value=\"*\"");
    }

    @Test
    void theQueuesPageLeadsToTheFormForThoseWhoMayPublish() {
        assertThat(page(Role.OPERATOR, "/queues/orders")).contains("href=\"/queues/orders/new\"");
        assertThat(page(Role.VIEWER, "/queues/orders")).doesNotContain("/new\"");
    }

    @Test
    void whoMayOnlyPublishSeesNothingElseOfTheQueue() {
        executors(List.of("ship"));

        assertThat(page(Role.PUBLISHER, FORM)).doesNotContain("ship", "data-tasks", "href=\"/queues/orders\"");
        assertThat(loggedIn(Role.PUBLISHER, "mail").open(FORM).status()).isEqualTo(403);
        assertThat(loggedIn(Role.VIEWER).open(FORM).status()).isEqualTo(403);
        assertThat(loggedIn(Role.OPERATOR).open("/queues/none/new").status()).isEqualTo(404);
    }
}
