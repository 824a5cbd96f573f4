package dev.tandem.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.kafka.LoggedTask;
import dev.tandem.server.inspect.KeyLog;
import dev.tandem.server.inspect.TaskInfo;
import dev.tandem.server.inspect.TaskRef;
import dev.tandem.server.inspect.UnavailableException;
import dev.tandem.task.AttemptRecord;
import dev.tandem.task.Envelope;
import dev.tandem.task.Task;
import dev.tandem.task.TaskNotes;
import dev.tandem.task.TaskState;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The timeline of a key: from the log as far as it is read, and from Redis. */
class TimelineApiTest extends ApiTestBase {

    private static final String TIMELINE = "/api/v1/queues/orders/keys/k/timeline?partition=0";
    private static final long PUBLISHED = 1_700_000_000_000L;

    private static LoggedTask logged(long offset, String id) {
        return new LoggedTask(offset, id, "bill", PUBLISHED + offset, 0, true);
    }

    /** Puts a task that waited 500 ms and then failed and succeeded, or failed twice. */
    private static void put(String position, TaskState state, String id) {
        Task task = new Task(id, "orders", "bill", "k", bytes("x"), Map.of(), PUBLISHED, 0, 0, 0, null);
        put(new TaskInfo(
                new TaskRef("0", position),
                state,
                Instant.ofEpochMilli(PUBLISHED + 5_000),
                "k",
                2,
                null,
                null,
                new Envelope(task, 2, 9, "it failed"),
                null,
                List.of(
                        new AttemptRecord(1, PUBLISHED + 500, 30, "host-1", "it failed"),
                        new AttemptRecord(2, PUBLISHED + 2_000, 90, "host-2", "")),
                TaskNotes.NONE));
    }

    @Test
    void recordsOfTheLogAreShownWithWhatRedisKnowsOfThem() {
        LOG.tasks = List.of(logged(99, "new"), logged(95, "known"), logged(90, "newer"), logged(41, "old"));
        put("1:95", TaskState.SUCCEEDED, "known");
        put("1:7", TaskState.DEAD, "older");

        JsonNode timeline = get(TIMELINE, 200);

        JsonNode tasks = timeline.path("tasks");
        assertThat(tasks.valueStream().map(each -> each.path("id").asString()))
                .containsExactly("new", "known", "newer", "old", "older");
        // What is below 80 is settled. The backlog that is remembered would say 93.
        assertThat(tasks.valueStream().map(each -> each.path("state").asString()))
                .containsExactly("in-broker", "succeeded", "in-broker", "not-kept", "dead");
        JsonNode known = tasks.get(1);
        assertThat(known.path("offset").asInt()).isEqualTo(95);
        assertThat(known.path("ref").asString()).isEqualTo("@0/1:95");
        assertThat(known.path("waitMillis").asInt()).isEqualTo(500);
        assertThat(known.path("history").get(1).path("executor").asString()).isEqualTo("host-2");
        assertThat(tasks.get(4).has("offset")).isFalse();
        assertThat(timeline.path("waits").path("count").asInt()).isEqualTo(2);
        assertThat(timeline.path("runs").path("p50Millis").asInt()).isEqualTo(30);
        assertThat(timeline.path("runs").path("maxMillis").asInt()).isEqualTo(90);
    }

    @Test
    void theAnswerSaysWhatWasReadAndWhereItGoesOn() {
        JsonNode timeline = get(TIMELINE, 200);

        JsonNode log = timeline.path("log");
        assertThat(log.path("from").asInt()).isEqualTo(40);
        assertThat(log.path("to").asInt()).isEqualTo(100);
        assertThat(log.path("records").asInt()).isEqualTo(60);
        assertThat(log.path("stop").asString()).isEqualTo("records");
        assertThat(timeline.path("next").asInt()).isEqualTo(40);
        assertThat(LOG.reads).containsExactly("orders 0 k -1");

        put("1:7", TaskState.DEAD, "older");
        assertThat(get(TIMELINE + "&before=40", 200).path("tasks"))
                .as("only the log")
                .isEmpty();
        assertThat(LOG.reads).contains("orders 0 k 40");
    }

    @Test
    void aLogThatCannotBeReadLeavesWhatRedisHas() {
        put("1:7", TaskState.DEAD, "older");
        LOG.failure = new UnavailableException("Kafka's log cannot be read: not authorized");

        JsonNode timeline = get(TIMELINE, 200);

        assertThat(timeline.path("logProblem").asString()).contains("not authorized");
        assertThat(timeline.path("tasks").get(0).path("id").asString()).isEqualTo("older");
        assertThat(get("/api/v1/queues/orders/keys/k/timeline", 200)
                        .path("logProblem")
                        .asString())
                .contains("how many partitions");
    }

    @Test
    void tooManyWhoReadAtOnceAreRefused() {
        LOG.failure = new KeyLog.BusyException("2 others read logs here at this moment");

        assertThat(get(TIMELINE, 503).path("type").asString()).isEqualTo("urn:tandem:problem:busy");
        assertThat(get(TIMELINE + "&before=-1", 400)
                        .path("errors")
                        .get(0)
                        .path("parameter")
                        .asString())
                .isEqualTo("before");
        assertThat(get("/api/v1/queues/orders/keys/k/timeline?partition=x", 400)
                        .path("detail")
                        .asString())
                .contains("numbers");
    }

    @Test
    void aQueueOfRabbitHasNoLog() {
        JsonNode timeline = get("/api/v1/queues/mail/keys/k/timeline", 200);

        assertThat(timeline.has("log")).isFalse();
        assertThat(timeline.has("logProblem")).isFalse();
        assertThat(LOG.reads).isEmpty();
    }
}
