package dev.tandem.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.server.inspect.TaskInfo;
import dev.tandem.server.inspect.TaskRef;
import dev.tandem.task.AttemptHistory;
import dev.tandem.task.AttemptRecord;
import dev.tandem.task.Envelope;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.PutAside;
import dev.tandem.task.Task;
import dev.tandem.task.TaskNotes;
import dev.tandem.task.TaskPlace;
import dev.tandem.task.TaskState;
import dev.tandem.task.WaitReason;
import dev.tandem.task.store.HeldTask;
import dev.tandem.task.store.PausedTasks;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Listing, showing and changing tasks over HTTP. */
class TasksApiTest extends ApiTestBase {

    private static final WaitReason PERMIT = new WaitReason.Permits(List.of("erp"));

    @Test
    void tasksAreListedInPages() {
        for (int i = 0; i < 3; i++) {
            put(
                    "0",
                    "1:" + i,
                    TaskState.DEAD,
                    Task.of("orders", "k", bytes("x")).withType("t"));
        }

        JsonNode first = get("/api/v1/queues/orders/tasks?state=dead&limit=2", 200);
        JsonNode second = get(
                "/api/v1/queues/orders/tasks?state=dead&limit=2&cursor="
                        + first.path("next").asString(),
                200);

        assertThat(first.path("tasks").size()).isEqualTo(2);
        assertThat(second.path("tasks").size()).isEqualTo(1);
        assertThat(second.has("next")).isFalse();
        JsonNode task = first.path("tasks").get(0);
        assertThat(task.path("ref").asString()).isEqualTo("@0/1:0");
        assertThat(task.path("id").asString()).isEqualTo("orders:0:0");
        assertThat(task.path("state").asString()).isEqualTo("dead");
        assertThat(task.path("error").asString()).isEqualTo("it failed");
        assertThat(task.path("at").asString()).isEqualTo("2026-11-20T10:00:00Z");
        assertThat(task.has("payload")).as("not in lists").isFalse();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            /api/v1/queues/orders/tasks?state=gone           | active, cancelled, dead, expired, parked, retry, scheduled, succeeded
            /api/v1/queues/orders/tasks?state=dead&limit=0   | 1 to 500
            /api/v1/queues/orders/tasks?state=dead&limit=x   | limit
            /api/v1/queues/orders/tasks?state=dead&cursor=x  | cursor
            /api/v1/queues/orders/tasks?state=dead&partition=a%2Fb | partition
            /api/v1/queues/orders/tasks?died-after=-1h       | Add state=dead
            /api/v1/queues/orders/tasks?state=retry&died-after=-1h | The parameter died-after is for state=dead
            /api/v1/queues/orders/tasks?state=dead&died-after=1h   | The parameter died-after is '1h'
            """)
    void invalidParameterIsNamed(String path, String named) {
        assertThat(get(path, 400).toString()).contains(named);
    }

    @Test
    void deadTasksAreChosenByWhenTheyDied() {
        put("0", "1:1", TaskState.DEAD, named("a")); // died at 2026-11-20T10:00:00Z
        put("0", "1:2", TaskState.DEAD, named("b"));

        assertThat(refs("?state=dead&died-after=2026-11-20T10:00:00Z")).containsExactly("@0/1:1", "@0/1:2");
        assertThat(refs("?state=dead&died-after=2026-11-20T10:00:00.001Z")).isEmpty();
        assertThat(refs("?state=dead&died-after=1700000000000")).hasSize(2);
        assertThat(refs("?state=dead&died-after=-1ms")).as("from now").isEmpty();
        assertThat(refs("?state=dead&died-after=2026-11-20T10:00:00Z&id=b")).containsExactly("@0/1:2");
        assertThat(refs("?state=dead&died-after=2026-11-20T10:00:00.001Z&id=b")).isEmpty();
    }

    @Test
    void tasksOfAllStatesAreListedAndChosenByKeyTypeAndId() {
        put("0", "1:1", TaskState.DEAD, named("a"));
        put("0", "1:2", TaskState.RETRY, Task.of("orders", "other", bytes("x")));
        put("1", "1:3", TaskState.SCHEDULED, Task.of("orders", "k", bytes("x")).withType("refund"));
        put("1", "1:4", TaskState.SCHEDULED, named("a"));

        assertThat(refs("")).containsExactly("@0/1:1", "@0/1:2", "@1/1:3", "@1/1:4");
        assertThat(refs("?key=k")).containsExactly("@0/1:1", "@1/1:3", "@1/1:4");
        assertThat(refs("?type=refund")).containsExactly("@1/1:3");
        assertThat(refs("?type=noop&key=k")).as("the queue's handler").containsExactly("@0/1:1", "@1/1:4");
        assertThat(refs("?id=a")).containsExactly("@0/1:1", "@1/1:4");
        assertThat(refs("?id=a&state=dead")).containsExactly("@0/1:1");
        assertThat(refs("?id=a&partition=1")).containsExactly("@1/1:4");
    }

    @Test
    void filteredPagesGoOnUntilEnoughIsFound() {
        for (int i = 0; i < 30; i++) {
            put("0", "1:" + i, TaskState.RETRY, Task.of("orders", i % 10 == 9 ? "k" : "other", bytes("x")));
        }

        JsonNode first = get("/api/v1/queues/orders/tasks?key=k&limit=2", 200);

        assertThat(first.path("tasks").size()).isEqualTo(2);
        assertThat(refs("?key=k&limit=2&cursor=" + first.path("next").asString()))
                .containsExactly("@0/1:29");
    }

    @Test
    void aPageThatEndedEarlySaysSo() {
        put("0", "1:1", TaskState.RETRY, Task.of("orders", "k", bytes("x")));
        assertThat(get("/api/v1/queues/orders/tasks?key=k", 200).has("partial")).isFalse();

        PLATFORM.partial = true;

        assertThat(get("/api/v1/queues/orders/tasks?key=k", 200).path("partial").asBoolean())
                .isTrue();
    }

    @Test
    void aTaskThatWaitsSaysForWhat() {
        put("0", "1:1", TaskState.RETRY, WaitReason.with(Task.of("orders", "a", bytes("x")), PERMIT));
        put("0", "1:2", TaskState.RETRY, PutAside.with(Task.of("orders", "k", bytes("x"))));
        put("0", "1:3", TaskState.ACTIVE, WaitReason.with(Task.of("orders", "b", bytes("x")), PERMIT));
        assertThat(waits()).containsExactly("a permit of erp", "", "");

        PLATFORM.pausedTasks = PausedTasks.ofKey("k");
        assertThat(waits()).containsExactly("a permit of erp", "the key k to be resumed", "");
        PLATFORM.pausedTasks = PausedTasks.ofType("noop");
        assertThat(waits()).containsExactly("the type noop to be resumed", "the type noop to be resumed", "");
        PLATFORM.paused = true;
        assertThat(waits()).containsExactly("the queue to be resumed", "the queue to be resumed", "");
    }

    private static List<String> waits() {
        List<String> waits = new ArrayList<>();
        get("/api/v1/queues/orders/tasks", 200)
                .path("tasks")
                .forEach(task -> waits.add(task.path("waitsFor").asString("")));
        return waits;
    }

    private static List<String> refs(String query) {
        List<String> refs = new ArrayList<>();
        get("/api/v1/queues/orders/tasks" + query, 200)
                .path("tasks")
                .forEach(task -> refs.add(task.path("ref").asString()));
        return refs;
    }

    @Test
    void oneTaskIsShownWithItsUnchangedPayload() {
        put("0", "1:1", TaskState.RETRY, Task.of("orders", "k", bytes("{\"n\":1.10}")));
        put("0", "1:2", TaskState.RETRY, Task.of("orders", "k", bytes("plain")));
        put("0", "1:3", TaskState.RETRY, Task.of("orders", "k", new byte[] {(byte) 0xff, 1}));

        assertThat(get("/api/v1/queues/orders/tasks/@0%2F1:1", 200)
                        .path("payload")
                        .toString())
                .isEqualTo("{\"n\":1.10}");
        assertThat(get("/api/v1/queues/orders/tasks/@0%2F1:2", 200)
                        .path("payloadText")
                        .asString())
                .isEqualTo("plain");
        assertThat(get("/api/v1/queues/orders/tasks/@0%2F1:3", 200)
                        .path("payloadBase64")
                        .asString())
                .isEqualTo("/wE=");
    }

    @Test
    void attemptsOfATaskAreShownAndNotAmongItsHeaders() {
        AttemptRecord failed = new AttemptRecord(1, 1_800_000_000_000L, 30, "web-1", "HTTP status 500");
        put("0", "1:1", TaskState.RETRY, AttemptHistory.with(Task.of("orders", "k", bytes("1")), failed));

        JsonNode task = get("/api/v1/queues/orders/tasks/@0%2F1:1", 200);

        assertThat(task.has("headers")).isFalse();
        assertThat(task.path("history").toString())
                .isEqualTo("[{\"attempt\":1,\"at\":\"2027-01-15T08:00:00Z\",\"durationMillis\":30,"
                        + "\"executor\":\"web-1\",\"error\":\"HTTP status 500\"}]");
    }

    @Test
    void notesOfATaskAreShown() {
        TaskNotes notes = new TaskNotes(
                new TaskNotes.Progress(1_800_000_000_000L, 2, 40, 100, "pages"),
                List.of(new TaskNotes.Line(1_800_000_000_000L, 2, "not confirmed yet")),
                new TaskNotes.Checkpoint(1_800_000_000_000L, 12));
        put(info("0", "1:1", TaskState.RETRY, Task.of("orders", "k", bytes("1")), null)
                .withNotes(notes));
        put("0", "1:2", TaskState.RETRY, Task.of("orders", "k", bytes("1")));

        JsonNode task = get("/api/v1/queues/orders/tasks/@0%2F1:1", 200);

        assertThat(task.path("progress").toString())
                .isEqualTo(
                        "{\"at\":\"2027-01-15T08:00:00Z\",\"attempt\":2,\"done\":40,\"total\":100,\"text\":\"pages\"}");
        assertThat(task.path("checkpoint").toString()).isEqualTo("{\"at\":\"2027-01-15T08:00:00Z\",\"bytes\":12}");
        assertThat(task.path("log").toString())
                .isEqualTo("[{\"at\":\"2027-01-15T08:00:00Z\",\"attempt\":2,\"text\":\"not confirmed yet\"}]");
        assertThat(get("/api/v1/queues/orders/tasks/@0%2F1:2", 200).propertyNames())
                .doesNotContain("progress", "checkpoint", "log");
    }

    @Test
    void aTaskThatOnlyAnExecutorHasIsFoundThere() {
        PLATFORM.held.put("order-1", held(TaskState.DELIVERED, new WaitReason.Turn(false)));

        JsonNode waits = get("/api/v1/queues/orders/tasks/order-1", 200);

        assertThat(waits.path("id").asString()).isEqualTo("order-1");
        assertThat(waits.path("state").asString()).isEqualTo("delivered");
        assertThat(waits.path("executor").asString()).isEqualTo("web-1");
        assertThat(waits.path("waitsFor").asString()).isEqualTo("a free slot");
        assertThat(waits.path("note").asString()).contains("The broker has custody");
        assertThat(waits.propertyNames()).doesNotContain("payload", "payloadText", "payloadBase64", "bytes");
        PLATFORM.paused = true;
        assertThat(get("/api/v1/queues/orders/tasks/order-1", 200)
                        .path("waitsFor")
                        .asString())
                .isEqualTo("the queue to be resumed");
    }

    @Test
    void ofARunningTaskTheExecutorKnowsMore() {
        TaskRef ref = new TaskRef("0", "1:1");
        put(new TaskInfo(ref, TaskState.ACTIVE, null, "k", 1, "web-1", null, null, null, List.of(), TaskNotes.NONE));
        JsonNode claim = get("/api/v1/queues/orders/tasks/@0%2F1:1", 200);
        assertThat(claim.path("id").asString()).isEqualTo("orders:0:1");

        PLATFORM.held.put("0/1:1", held(TaskState.ACTIVE, null));

        JsonNode runs = get("/api/v1/queues/orders/tasks/@0%2F1:1", 200);
        assertThat(runs.path("id").asString()).isEqualTo("order-1");
        assertThat(runs.has("waitsFor")).isFalse();
    }

    private static TaskInfo held(TaskState state, @Nullable WaitReason waitsFor) {
        HeldTask held = new HeldTask(
                new TaskPlace(Partition.of("orders", 0), new Position("1:1")),
                "web-1",
                new Envelope(named("order-1").withPayload(new byte[0]), 0, 0, null),
                waitsFor == null,
                waitsFor);
        TaskRef ref = new TaskRef("0", "1:1");
        return new TaskInfo(ref, state, null, "k", 0, "web-1", null, null, null, List.of(), TaskNotes.NONE)
                .withHeld(held);
    }

    @Test
    void aTaskThatSucceededIsShownWithoutAPayload() {
        TaskRef ref = new TaskRef("0", "1:1");
        Envelope kept = new Envelope(named("order-1"), 2, 0, null);
        PLATFORM.tasks.put(
                ref,
                new TaskInfo(
                        ref, TaskState.SUCCEEDED, null, "k", 2, "web-1", null, kept, 41L, List.of(), TaskNotes.NONE));

        JsonNode task = get("/api/v1/queues/orders/tasks/@0%2F1:1", 200);

        assertThat(task.path("state").asString()).isEqualTo("succeeded");
        assertThat(task.path("id").asString()).isEqualTo("order-1");
        assertThat(task.path("executor").asString()).isEqualTo("web-1");
        assertThat(task.path("durationMillis").asInt()).isEqualTo(41);
        assertThat(task.has("maxAttempts")).as("its limit is not kept").isFalse();
        assertThat(task.path("note").asString()).contains("not kept");
        assertThat(task.propertyNames()).doesNotContain("payload", "payloadText", "payloadBase64", "bytes");
    }

    @Test
    void payloadNestedAsDeepAsJsonMayBeIsShown() {
        for (int levels : new int[] {490, 491, 499, 500, 501, 5_000}) {
            String payload = "[".repeat(levels) + "]".repeat(levels);
            put("0", "1:" + levels, TaskState.DEAD, Task.of("orders", "k", bytes(payload)));

            JsonNode shown = get("/api/v1/queues/orders/tasks/@0%2F1:" + levels, 200);

            assertThat(
                            levels <= 490
                                    ? shown.path("payload").toString()
                                    : shown.path("payloadText").asString())
                    .isEqualTo(payload);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"order%2F7", "a%20b", "50%25", "%C3%A4", "a%5Cb", "x%3By=1", "..%2F..", "a+b", "%3F%23"})
    void idsAndKeysMayContainAnyCharacter(String encoded) {
        String id = java.net.URLDecoder.decode(encoded.replace("+", "%2B"), StandardCharsets.UTF_8);
        put("0", "1:1", TaskState.DEAD, named(id));
        PLATFORM.keys.put(id, key(id));

        assertThat(get("/api/v1/queues/orders/tasks/" + encoded, 200).path("id").asString())
                .isEqualTo(id);
        post("/api/v1/queues/orders/tasks/" + encoded + "/retry", 202);
        post("/api/v1/queues/orders/keys/" + encoded + "/skip", 202);
        assertThat(get("/api/v1/queues/orders/keys/" + encoded, 200).path("key").asString())
                .isEqualTo(id);

        assertThat(PLATFORM.changes).containsExactly("retry orders @0/1:1", "SKIP orders " + id);
    }

    @Test
    void ambiguousIdIsAConflictThatNamesTheRefs() {
        put("0", "1:1", TaskState.DEAD, named("same"));
        put("1", "1:5", TaskState.DEAD, named("same"));

        JsonNode problem = post("/api/v1/queues/orders/tasks/same/retry", 409);

        assertThat(problem.path("remedy").asString()).contains("@0/1:1", "@1/1:5");
        assertThat(PLATFORM.changes).isEmpty();
    }

    @Test
    void changesAreAcceptedOrRefusedWithAReason() {
        put("0", "1:1", TaskState.DEAD, named("a"));
        put("0", "1:2", TaskState.ACTIVE, named("b"));
        put("0", "1:3", TaskState.SUCCEEDED, named("c"));
        PLATFORM.keys.put("k", key("k"));

        post("/api/v1/queues/orders/tasks/a/retry", 202);
        assertThat(send("DELETE", "/api/v1/queues/orders/tasks/a", null, null, 202)
                        .path("changed")
                        .asInt())
                .isEqualTo(1);
        send("DELETE", "/api/v1/queues/orders/tasks/b", null, null, 409);
        post("/api/v1/queues/orders/tasks/c/retry", 409);
        post("/api/v1/queues/orders/tasks/none/retry", 404);
        assertThat(get("/api/v1/queues/orders/tasks/none", 404).path("remedy").asString())
                .contains("among the 12 messages", "LAG 12")
                .doesNotContain("paused");
        PLATFORM.paused = true;
        assertThat(get("/api/v1/queues/orders/tasks/none", 404).path("remedy").asString())
                .contains("the queue is paused (./tandem resume orders)");
        post("/api/v1/queues/orders/keys/k/retry", 202);
        post("/api/v1/queues/orders/keys/k/drain", 202);
        post("/api/v1/queues/orders/keys/other/retry", 409);
        post("/api/v1/queues/orders/pause", 202);
        post("/api/v1/queues/orders/resume", 202);

        assertThat(PLATFORM.changes)
                .containsExactly(
                        "retry orders @0/1:1",
                        "delete orders @0/1:1",
                        "RETRY orders k",
                        "DRAIN orders k",
                        "pause orders",
                        "resume orders");
    }
}
