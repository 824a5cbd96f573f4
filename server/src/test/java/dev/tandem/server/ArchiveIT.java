package dev.tandem.server;

import static dev.tandem.testkit.Brokers.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.kit.TcpProxy;
import dev.tandem.task.UrlText;
import dev.tandem.testkit.UniqueNames;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** The archive of ended tasks: real PostgreSQL, Redis and brokers of both kinds. */
class ArchiveIT extends ArchiveTestBase {

    private static final Map<String, String> QUEUES =
            Map.of("kafka", UniqueNames.fresh("archived-k"), "rabbit", UniqueNames.fresh("archived-r"));

    private RunningServer server;

    @BeforeAll
    void start() {
        server = RunningServer.healthy(settings());
    }

    @AfterAll
    void stop() {
        if (server != null) {
            server.close();
        }
    }

    private Map<String, String> settings() {
        Map<String, String> settings = RunningServer.settings("kafka", "rabbit");
        settings.put("tandem.archive.url", postgres.address());
        settings.put("tandem.archive.name", UniqueNames.fresh("archive"));
        QUEUES.forEach((source, queue) -> {
            addQueue(settings, queue, source);
            String prefix = "tandem.queues." + queue + ".";
            settings.put(prefix + "types", "*");
            settings.put(prefix + "max-attempts", "2");
            settings.put(prefix + "backoff.initial", "50ms");
            settings.put(prefix + "events.kinds", "succeeded,dead,expired,cancelled,failed");
        });
        return settings;
    }

    @ParameterizedTest
    @ValueSource(strings = {"kafka", "rabbit"})
    void eachEndIsArchivedWithItsAttempts(String source) {
        String queue = QUEUES.get(source);
        String run = UniqueNames.fresh("run");
        endpoint.replyFirst(run + "-key", 500);
        endpoint.reply(run + "-dead", 500, null);
        submit(queue, run + "-retried", "\"key\": \"" + run + "-key\"");
        submit(queue, run + "-dead", "\"type\": \"ship\"");
        submit(queue, run + "-expired", "\"expiresAt\": 1000");
        submit(queue, run + "-cancelled", "\"delay\": \"1h\"");
        cancel(queue, run + "-cancelled");

        assertThat(awaitEnd(queue, run + "-retried", "succeeded")).containsExactly("failed/1", "succeeded/2");
        assertThat(awaitEnd(queue, run + "-dead", "dead")).containsExactly("failed/1", "dead/2");
        assertThat(awaitEnd(queue, run + "-expired", "expired")).hasSize(1);
        assertThat(awaitEnd(queue, run + "-cancelled", "cancelled")).hasSize(1);

        JsonNode dead = archived(queue, run + "-dead").json();
        assertThat(dead.path("type").asString()).isEqualTo("ship");
        assertThat(dead.path("outcomes").get(1).path("error").asString()).contains("500");
        assertThat(ids("queue=" + queue + "&state=dead"))
                .contains(run + "-dead")
                .doesNotContain(run + "-retried");
        assertThat(ids("queue=" + queue + "&type=http&id=" + run + "-retried")).containsExactly(run + "-retried");
        assertThat(ids("key=" + run + "-key")).containsExactly(run + "-retried");
        assertThat(ids("queue=" + queue + "&type=ship&id=" + run + "-dead")).containsExactly(run + "-dead");
        assertThat(ids("queue=" + queue + "&until=2026-01-01T00:00:00Z")).isEmpty();
    }

    @Test
    void tasksGoOnWhilePostgresIsAwayAndTheirEndsAreArchivedLater() {
        String run = UniqueNames.fresh("away");
        postgres.kill(); // An orderly stop would wait for the connections.
        for (String queue : QUEUES.values()) {
            submit(queue, run, "\"key\": \"" + run + "\"");
        }
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(endpoint.calls(run)).hasSize(2));
        await().atMost(PATIENCE)
                .untilAsserted(
                        () -> assertThat(server.get("/api/v1/doctor").body()).contains("The archive stores nothing"));
        assertThat(server.get("/api/v1/archive").status()).isEqualTo(503);
        assertThat(server.get("/actuator/health").status()).isEqualTo(200);

        postgres.start();

        for (String queue : QUEUES.values()) {
            assertThat(awaitEnd(queue, run, "succeeded")).containsExactly("succeeded/1");
        }
        assertThat(MonitoringFiles.exposed(server.get("/actuator/prometheus").body()))
                .containsAll(MonitoringFiles.OF_ARCHIVE);
    }

    @Test
    void theEndOfATaskThatRanBeforePostgresWasFirstReachedIsArchived() {
        String queue = UniqueNames.fresh("archived-first");
        Map<String, String> settings = settings(queue, "rabbit");
        settings.put("tandem.archive.name", UniqueNames.fresh("archive"));
        try (TcpProxy proxy = new TcpProxy(0, postgres.port())) {
            proxy.set(TcpProxy.Mode.BROKEN);
            settings.put("tandem.archive.url", address(proxy));
            try (RunningServer first = RunningServer.healthy(settings)) {
                submit(first, queue, "early", ", \"type\": \"http\"");
                await("the event")
                        .atMost(PATIENCE)
                        .until(() -> first.metric("tandem_events_published_total", queue) > 0);
                assertThat(first.get("/api/v1/doctor").body()).contains("The archive stores nothing");

                proxy.set(TcpProxy.Mode.OPEN);

                await("the end")
                        .atMost(PATIENCE)
                        .untilAsserted(() -> assertThat(first.get("/api/v1/queues/" + queue + "/archive/early")
                                        .json()
                                        .path("state")
                                        .asString(""))
                                .isEqualTo("succeeded"));
            }
        }
    }

    private void submit(String queue, String id, String more) {
        submit(server, queue, id, ", " + more);
    }

    private void cancel(String queue, String id) {
        await().atMost(PATIENCE)
                .until(() -> server.post("/api/v1/queues/" + queue + "/tasks/" + id + "/cancel")
                                .status()
                        == 202);
    }

    private RunningServer.Answer archived(String queue, String id) {
        return server.get("/api/v1/queues/" + queue + "/archive/" + UrlText.pathSegment(id));
    }

    /** Waits until the archive has the end of a task. Returns its outcomes, with the attempt of each. */
    private List<String> awaitEnd(String queue, String id, String state) {
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(
                                archived(queue, id).json().path("state").asString(""))
                        .isEqualTo(state));
        return StreamSupport.stream(archived(queue, id).json().path("outcomes").spliterator(), false)
                .map(outcome -> outcome.path("state").asString() + "/"
                        + outcome.path("attempt").asInt())
                .toList();
    }

    private List<String> ids(String query) {
        RunningServer.Answer answer = server.get("/api/v1/archive?" + query);
        assertThat(answer.status()).as(answer.body()).isEqualTo(200);
        return StreamSupport.stream(answer.json().path("outcomes").spliterator(), false)
                .map(outcome -> outcome.path("id").asString())
                .toList();
    }
}
