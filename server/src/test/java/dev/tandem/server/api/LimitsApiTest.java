package dev.tandem.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.store.PermitRequest.PermitRun;
import dev.tandem.task.store.PermitView;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** What the API says of limits over several executors. */
class LimitsApiTest extends ApiTestBase {

    @Test
    void aLimitIsShownWithItsHolders() {
        PermitRun run = new PermitRun("orders", "3/1:17", "order-7", 1_800_000_000_000L);
        PLATFORM.limits.put(
                "queue:orders",
                new PermitView(
                        "queue:orders",
                        5,
                        List.of(
                                new PermitView.Holder("two", 1, 0, 4, 900, List.of()),
                                new PermitView.Holder("one", 4, 3, 2, 800, List.of(run)))));

        JsonNode limit = get("/api/v1/limits/queue:orders", 200);

        assertThat(limit.path("max").asInt()).isEqualTo(5);
        assertThat(limit.path("held").asInt()).isEqualTo(5);
        assertThat(limit.path("running").asInt()).isEqualTo(3);
        assertThat(limit.path("waiting").asInt()).isEqualTo(6);
        JsonNode first = limit.path("executors").path(0);
        assertThat(first.path("id").asString()).isEqualTo("one");
        assertThat(first.path("leaseMillis").asInt()).isEqualTo(800);
        assertThat(first.path("runs").path(0).path("ref").asString()).isEqualTo("@3/1:17");
        assertThat(get("/api/v1/limits", 200).path("limits").path(0)).isEqualTo(limit);
    }

    @Test
    void anUnknownLimitIsNotFound() {
        assertThat(get("/api/v1/limits/none", 404).path("detail").asString()).contains("There is no limit 'none'");
        assertThat(get("/api/v1/limits", 200).path("limits")).isEmpty();
    }
}
