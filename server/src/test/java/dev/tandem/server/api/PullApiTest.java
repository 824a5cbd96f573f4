package dev.tandem.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.executor.pull.LeaseAnswer;
import dev.tandem.executor.pull.LeaseCall;
import dev.tandem.executor.pull.LeaseName;
import dev.tandem.executor.pull.LeaseRequest;
import dev.tandem.executor.pull.LeasedTask;
import dev.tandem.server.pull.LeaseOrder;
import dev.tandem.task.TaskState;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** Tests the requests of pull workers over HTTP, and their answers. */
class PullApiTest extends ApiTestBase {

    private static final String PULL = "/api/v1/queues/exports/pull/";
    private static final String LEASE = "3:1764000000000017:1:web-1-0a1b2c3d";

    private static LeasedTask task(long token, @Nullable String key, Map<String, String> headers, byte[] payload) {
        LeaseName lease = new LeaseName("3", token, 1, "web-1-0a1b2c3d");
        return new LeasedTask(lease, 30_000, "e-1", "3/1:17", "csv", key, null, 2, 8, 3_600_000, headers, payload);
    }

    private static JsonNode order(String verb, String body) {
        return json(PULL + verb, body, 202);
    }

    private static LeaseRequest said(String verb, String body) {
        PULLED.orders.clear();
        order(verb, body);
        LeaseOrder order = PULLED.orders.get(0);
        assertThat(order.lease().toString()).isEqualTo(LEASE);
        return order.request();
    }

    @Test
    void finishSaysThatTheQueueKeepsNoResults() {
        assertThat(json(PULL + "finish", "{\"lease\": \"" + LEASE + "\", \"result\": 1}", 202)
                        .path("warnings")
                        .toString())
                .contains("result is dropped", "tandem.queues.exports.max-result-bytes");
        assertThat(json(PULL + "finish", "{\"lease\": \"" + LEASE + "\"}", 202).has("warnings"))
                .isFalse();
    }

    // ---- lease ----

    @Test
    void tasksAreLeasedWithAllThatAWorkerNeeds() {
        PULLED.leased = CompletableFuture.completedFuture(List.of(
                task(1_764_000_000_000_017L, "c-7", Map.of("x-tenant", "acme"), bytes("{\"n\": 1.50}")),
                task(9, null, Map.of(), bytes("plain")),
                task(10, null, Map.of(), new byte[] {-1})));

        JsonNode tasks = json(
                        PULL + "lease",
                        "{\"max\": 3, \"wait\": \"20s\", \"leaseTime\": \"1m\", \"worker\": \"w\\n1\", \"maxBytes\": 9}",
                        200)
                .path("tasks");

        assertThat(PULLED.calls).containsExactly(new LeaseCall(3, 9, 20_000, 60_000, "w?1"));
        assertThat(tasks.get(0).toString())
                .isEqualTo("{\"lease\":\"" + LEASE + "\",\"leaseMillis\":30000,\"id\":\"e-1\",\"ref\":\"@3/1:17\","
                        + "\"type\":\"csv\",\"key\":\"c-7\",\"attempt\":2,\"maxAttempts\":8,\"timeoutMillis\":3600000,"
                        + "\"token\":1764000000000017,\"headers\":{\"x-tenant\":\"acme\"},\"payload\":{\"n\":1.50}}");
        assertThat(tasks.get(1).path("payloadText").asString()).isEqualTo("plain");
        assertThat(tasks.get(2).path("payloadBase64").asString()).isEqualTo("/w==");
    }

    @Test
    void aWorkerNeedNotSayAnything() {
        assertThat(post(PULL + "lease", 200).path("tasks").size()).isZero();
        assertThat(PULLED.calls).containsExactly(new LeaseCall(1, 4 << 20, 0, 0, ""));
    }

    @Test
    void aCallIsAnsweredWhenTasksHaveCome() {
        CompletableFuture<List<LeasedTask>> later = new CompletableFuture<>();
        PULLED.leased = later;
        CompletableFuture<JsonNode> answer =
                CompletableFuture.supplyAsync(() -> json(PULL + "lease", "{\"wait\": \"20s\"}", 200));
        await().until(() -> PULLED.calls.size() == 1);
        assertThat(answer).isNotDone();

        later.complete(List.of(task(1, null, Map.of(), bytes("1"))));

        assertThat(answer.join().path("tasks").size()).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {"max": 0}                        | max is 0
            {"max": 1001}                     | Use 1 to 1000
            {"max": "many"}                   | not JSON as expected
            {"maxBytes": 99999999}            | maxBytes
            {"wait": "1m"}                    | Use 0s to 30s
            {"wait": "soon"}                  | wait
            {"leaseTime": "1ms"}              | Use 1s to 3600s
            {"count": 1}                      | no field
            {"lease": "3:1:1:x"}              | no field
            {"leases": [{"lease": "3:1:1:x"}]}| no field
            [1]                               | not JSON as expected
            null                              | null
            """)
    void whatIsNoCallIsRefused(String body, String named) {
        assertThat(json(PULL + "lease", body, 400).toString()).contains(named);
        assertThat(PULLED.calls).isEmpty();
    }

    @Test
    void onlyTasksOfAQueueWhoseHandlerIsPullAreLeased() {
        assertThat(post("/api/v1/queues/orders/pull/lease", 409).path("detail").asString())
                .isEqualTo("The tasks of queue 'orders' are not pulled: its handler is noop");
        assertThat(post("/api/v1/queues/none/pull/lease", 404).path("detail").asString())
                .contains("'none'");
    }

    // ---- what a worker says ----

    @Test
    void everyVerbSaysItsPart() {
        String lease = "\"lease\": \"" + LEASE + "\"";
        assertThat(said("finish", "{" + lease + "}")).isEqualTo(new LeaseRequest.Finish(null));
        assertThat(said("finish", "{" + lease + ", \"result\": {\"n\": 1.50}}"))
                .as("byte for byte")
                .isEqualTo(new LeaseRequest.Finish("{\"n\": 1.50}"));
        assertThat(said("fail", "{" + lease + ", \"error\": \"no\", \"delay\": \"5m\"}"))
                .isEqualTo(new LeaseRequest.Fail("no", 300_000));
        assertThat(said("fail", "{" + lease + "}"))
                .isEqualTo(new LeaseRequest.Fail("its pull worker gave no reason", -1));
        assertThat(said("release", "{" + lease + ", \"delay\": \"90s\"}")).isEqualTo(new LeaseRequest.Release(90_000));
        assertThat(said("bury", "{" + lease + ", \"reason\": \"no such customer\"}"))
                .isEqualTo(new LeaseRequest.Bury("no such customer"));
        assertThat(said("discard", "{" + lease + "}")).isEqualTo(new LeaseRequest.Discard());
        assertThat(said("extend", "{" + lease + "}")).isEqualTo(new LeaseRequest.Extend(0));
        assertThat(said("extend", "{" + lease + ", \"leaseTime\": \"2m\"}"))
                .isEqualTo(new LeaseRequest.Extend(120_000));
        assertThat(said("progress", "{" + lease + ", \"done\": 4, \"total\": 9, \"text\": \"pages\", \"log\": \"x\"}"))
                .isEqualTo(new LeaseRequest.Progress(4, 9, "pages", "x", 0));
        assertThat(said("checkpoint", "{" + lease + "}")).isEqualTo(new LeaseRequest.ReadCheckpoint());
        assertThat(((LeaseRequest.SaveCheckpoint) said("checkpoint", "{" + lease + ", \"value\": [7]}")).value())
                .asString()
                .isEqualTo("[7]");
    }

    @Test
    void aResultThatNoQueueWouldKeepIsRefusedWithItsBound() {
        String longest = "\"" + "x".repeat((32 << 10) - 2) + "\"";
        assertThat(said("finish", "{\"lease\": \"" + LEASE + "\", \"result\": " + longest + "}"))
                .isEqualTo(new LeaseRequest.Finish(longest));
        PULLED.orders.clear();

        String tooLong = longest.replaceFirst("x", "xx");
        JsonNode problem = json(
                PULL + "finish",
                "{\"leases\": [{\"lease\": \"0:7:2:e\"}, {\"lease\": \"" + LEASE + "\", \"result\": " + tooLong + "}]}",
                400);
        assertThat(problem.path("detail").asString())
                .isEqualTo("The result of the task with the lease " + LEASE + " has 32769 bytes");
        assertThat(problem.path("remedy").asString()).contains("Send 32768 bytes at most");
        assertThat(PULLED.orders).as("nothing is done of such a request").isEmpty();
    }

    @Test
    void severalTasksAreEndedAtOnce() {
        JsonNode answer = order(
                "finish", "{\"leases\": [{\"lease\": \"" + LEASE + "\", \"result\": 1}, {\"lease\": \"0:7:2:e\"}]}");

        assertThat(answer.path("changed").asInt()).isEqualTo(2);
        assertThat(PULLED.orders)
                .extracting(LeaseOrder::request)
                .containsExactly(new LeaseRequest.Finish("1"), new LeaseRequest.Finish(null));
    }

    @Test
    void anExtensionSaysForHowLongTheWorkerHasItsTasks() {
        PULLED.answers = order -> LeaseAnswer.leased(order.lease().token() == 7 ? 8_000 : 30_000);
        JsonNode answer = order("extend", "{\"leases\": [{\"lease\": \"" + LEASE + "\"}, {\"lease\": \"0:7:2:e\"}]}");
        assertThat(answer.toString()).isEqualTo("{\"changed\":2,\"leaseMillis\":8000}");
    }

    @Test
    void aCheckpointIsShown() {
        PULLED.answers = order -> LeaseAnswer.checkpoint(bytes("{\"row\":7}"));
        assertThat(order("checkpoint", "{\"lease\": \"" + LEASE + "\"}").toString())
                .isEqualTo("{\"changed\":1,\"checkpoint\":{\"row\":7}}");
        PULLED.answers = order -> LeaseAnswer.checkpoint(null);
        assertThat(order("checkpoint", "{\"lease\": \"" + LEASE + "\"}").has("checkpoint"))
                .isFalse();
    }

    @Test
    void aLostLeaseIsAConflictAndNamedWithTheOthersThatAreLost() {
        PULLED.answers =
                order -> order.lease().token() == 7 ? LeaseAnswer.lost("its lease has run out") : LeaseAnswer.done();

        JsonNode answer = json(
                PULL + "finish",
                "{\"leases\": [{\"lease\": \"" + LEASE + "\"}, {\"lease\": \"0:7:2:e\"}, {\"lease\": \"1:7:2:e\"}]}",
                409);

        assertThat(answer.path("changed").asInt()).isEqualTo(1);
        assertThat(answer.path("lost").toString())
                .isEqualTo("[{\"lease\":\"0:7:2:e\",\"why\":\"its lease has run out\"},"
                        + "{\"lease\":\"1:7:2:e\",\"why\":\"its lease has run out\"}]");
        assertThat(answer.path("detail").asString())
                .isEqualTo("You do not have the task with the lease 0:7:2:e any more: its lease has run out. So it is"
                        + " with 1 more");
        assertThat(answer.path("remedy").asString()).contains("Stop working on it");
    }

    @Test
    void whatIsNotKnownYetMayBeSentAgain() {
        PULLED.answers =
                order -> order.lease().token() == 7 ? LeaseAnswer.unknown("no answer") : LeaseAnswer.lost("gone");
        JsonNode answer =
                json(PULL + "finish", "{\"leases\": [{\"lease\": \"" + LEASE + "\"}, {\"lease\": \"0:7:2:e\"}]}", 503);

        assertThat(answer.path("unknown").get(0).path("lease").asString()).isEqualTo("0:7:2:e");
        assertThat(answer.path("lost").size()).isEqualTo(1);
        assertThat(answer.path("remedy").asString()).contains("again");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            finish     | {}                                                  | The field lease is missing
            finish     | {"lease": "7"}                                      | is no lease
            finish     | {"lease": "0:7:2:e", "delay": "1s"}                 | no field
            finish     | {"leases": []}                                      | Use 1 to 1000
            finish     | {"leases": [null]}                                  | Use 1 to 1000
            finish     | {"leases": [{"leases": []}]}                        | no field
            finish     | {"leases": [{"lease": "0:7:2:e"}], "result": 1}     | no field
            release    | {"lease": "0:7:2:e", "delay": "-1s"}                | delay
            fail       | {"lease": "0:7:2:e", "delay": "9999d"}              | Use 0s to
            checkpoint | {"leases": [{"lease": "0:7:2:e"}]}                  | no field
            discard    | {"lease": "0:7:2:e", "id": "x"}                     | both a lease and an id
            """)
    void whatIsNoOrderIsRefused(String verb, String body, String named) {
        assertThat(json(PULL + verb, body, 400).toString()).contains(named);
        assertThat(PULLED.orders).isEmpty();
    }

    // ---- tasks that nobody has ----

    @Test
    void deadTasksAreShownWithTheirPayloads() {
        put("0", "1:1", TaskState.DEAD, named("a"));
        put("0", "1:2", TaskState.DEAD, named("b"));
        put("0", "1:3", TaskState.SCHEDULED, named("c"));

        assertThat(get(PULL + "peek", 200).path("tasks").size()).isEqualTo(1);
        JsonNode dead = get(PULL + "peek?max=9", 200).path("tasks");
        assertThat(dead.size()).isEqualTo(2);
        assertThat(dead.get(0).path("payloadText").asString()).isEqualTo("x");
        assertThat(dead.get(0).path("error").asString()).isEqualTo("it failed");
        assertThat(get(PULL + "peek?state=scheduled", 200)
                        .path("tasks")
                        .get(0)
                        .path("id")
                        .asString())
                .isEqualTo("c");
        assertThat(get(PULL + "peek?state=active", 400).toString()).contains("dead, parked, retry, scheduled");
        assertThat(get(PULL + "peek?max=51", 400).toString()).contains("Use 1 to 50");
    }

    @Test
    void deadTasksAreKicked() {
        put("0", "1:1", TaskState.DEAD, named("a"));
        put("0", "1:2", TaskState.DEAD, named("b"));
        put("0", "1:3", TaskState.DEAD, named("c"));

        assertThat(order("kick", "{\"max\": 2}").path("changed").asInt()).isEqualTo(2);
        assertThat(order("kick", "{\"id\": \"c\"}").path("changed").asInt()).isEqualTo(1);

        assertThat(PLATFORM.changes)
                .hasSize(3)
                .allSatisfy(change -> assertThat(change).contains("retry"));
        assertThat(json(PULL + "kick", "{\"id\": \"none\"}", 404).toString()).contains("none");
    }

    @Test
    void aTaskThatNobodyHasIsDiscardedByItsId() {
        put("0", "1:1", TaskState.DEAD, named("a"));

        assertThat(order("discard", "{\"id\": \"a\"}").path("changed").asInt()).isEqualTo(1);

        assertThat(PLATFORM.changes).singleElement().asString().contains("delete");
        assertThat(PULLED.orders).isEmpty();
    }

    @Test
    void onlyChangesOfTasksThatNobodyHasAreInTheAuditLog() {
        put("0", "1:1", TaskState.DEAD, named("a"));
        post(PULL + "lease", 200);
        order("finish", "{\"lease\": \"" + LEASE + "\"}");
        order("discard", "{\"lease\": \"" + LEASE + "\"}");
        order("kick", "{\"max\": 1}");
        PLATFORM.tasks.clear();
        order("kick", "{\"max\": 1}");
        put("0", "1:2", TaskState.DEAD, named("b"));
        order("discard", "{\"id\": \"b\"}");

        await().until(() -> AUDIT.entries.size() == 2);
        assertThat(AUDIT.entries).extracting(entry -> entry.action()).containsExactlyInAnyOrder("kick", "discard");
        assertThat(AUDIT.refused).isEmpty();
    }
}
