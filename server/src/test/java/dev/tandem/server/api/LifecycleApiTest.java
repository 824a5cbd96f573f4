package dev.tandem.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.server.inspect.Administration.CancelResult;
import dev.tandem.server.inspect.Administration.Change;
import dev.tandem.server.inspect.TaskInfo;
import dev.tandem.task.Envelope;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.TaskPlace;
import dev.tandem.task.TaskState;
import dev.tandem.task.store.HeldTask;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** Cancelling tasks and giving them other times, over HTTP. */
class LifecycleApiTest extends ApiTestBase {

    private static final String TASKS = "/api/v1/queues/orders/tasks/";

    @BeforeEach
    void forget() {
        PLATFORM.cancelResult = CancelResult.CANCELLED;
        PLATFORM.rescheduled = Change.DONE;
    }

    @Test
    void aTaskIsCancelledByItsIdOrItsReference() {
        put("0", "1:1", TaskState.SCHEDULED, named("a"));

        assertThat(post(TASKS + "a/cancel", 202).path("state").asString()).isEqualTo("cancelled");
        post(TASKS + "%400%2F1%3A1/cancel", 202);

        assertThat(PLATFORM.changes).containsExactly("cancel orders @0/1:1", "cancel orders @0/1:1");
    }

    @Test
    void executorsLookForATaskThatRedisDoesNotKnow() {
        post(TASKS + "fresh/cancel", 202);
        assertThat(PLATFORM.changes).containsExactly("cancel orders fresh");
    }

    @Test
    void aHandlerThatHasNotEndedYetIsSaidToBeInterrupted() {
        put("0", "1:1", TaskState.ACTIVE, named("a"));
        PLATFORM.cancelResult = CancelResult.INTERRUPTED;
        assertThat(post(TASKS + "a/cancel", 202).path("state").asString()).isEqualTo("interrupted");
    }

    @ParameterizedTest
    @CsvSource({
        "SUCCEEDED, ENDED, 409, has succeeded",
        "EXPIRED, ENDED, 409, has expired",
        "CANCELLED, ENDED, 409, was cancelled",
        "DEAD, ENDED, 409, is dead",
        "ACTIVE, NOT_INTERRUPTED, 409, no executor could interrupt it",
        "ACTIVE, NOT_FOUND, 404, no executor has it"
    })
    void aCancellationThatHasNoEffectSaysWhy(TaskState state, CancelResult result, int status, String detail) {
        put("0", "1:1", state, named("a"));
        PLATFORM.cancelResult = result;
        JsonNode problem = post(TASKS + "a/cancel", status);
        assertThat(problem.path("detail").asString()).contains(detail);
        assertThat(problem.path("remedy").asString()).isNotEmpty();
    }

    @Test
    void aTaskGetsAnotherTime() {
        put("0", "1:1", TaskState.SCHEDULED, named("a"));

        assertThat(post(TASKS + "a/reschedule?at=2090-01-31T08:00:00Z", 202)
                        .path("at")
                        .asString())
                .isEqualTo("2090-01-31T08:00:00Z");
        Instant soon = Instant.parse(
                post(TASKS + "a/reschedule?delay=5m", 202).path("at").asString());
        assertThat(soon).isBetween(Instant.now().plusSeconds(290), Instant.now().plusSeconds(300));
        Instant now =
                Instant.parse(post(TASKS + "a/reschedule?at=0", 202).path("at").asString());
        assertThat(now).isBetween(Instant.now().minusSeconds(10), Instant.now());
        assertThat(PLATFORM.changes).hasSize(3).containsOnly("reschedule orders @0/1:1");
        post(TASKS + "a/reschedule?delay=5m&attempts=0", 202);
        assertThat(PLATFORM.changes).endsWith("reschedule orders @0/1:1 after 0");
    }

    /** A task that its owner has starts whatever is said. */
    @Test
    void aTaskThatItsOwnerWasGivenKeepsItsTime() {
        TaskInfo task = info("0", "1:1", TaskState.RETRY, named("a"), null);
        put(task);
        TaskPlace place = new TaskPlace(new Partition("orders", "0"), new Position("1:1"));
        PLATFORM.held.put("1:1", task.withHeld(new HeldTask(place, "e-1", Envelope.of(named("a")), false, null)));

        JsonNode problem = post(TASKS + "a/reschedule?delay=5m", 409);

        assertThat(problem.path("type").asString()).endsWith("task-running");
        assertThat(PLATFORM.changes).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "at=soon, use epoch milliseconds",
        "at=999999999999999, use epoch milliseconds",
        "delay=9999999d, use milliseconds or a duration",
        "delay=-5s, which is less than zero",
        "at=1&delay=1, one of at and delay",
        "'', one of at and delay"
    })
    void aTimeThatIsWrongIsRefused(String query, String detail) {
        put("0", "1:1", TaskState.SCHEDULED, named("a"));
        assertThat(post(TASKS + "a/reschedule?" + query, 400).path("detail").asString())
                .contains(detail);
        assertThat(PLATFORM.changes).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "ACTIVE, RUNNING, is running",
        "PARKED, OTHER_STATE, is parked behind",
        "DEAD, OTHER_STATE, is dead",
        "SUCCEEDED, OTHER_STATE, has succeeded",
        "SCHEDULED, WOULD_EXPIRE, expires before",
        "SCHEDULED, NOT_FOUND, has changed"
    })
    void aTaskThatCannotHaveAnotherTimeSaysWhy(TaskState state, Change change, String detail) {
        put("0", "1:1", state, named("a"));
        PLATFORM.rescheduled = change;
        assertThat(post(TASKS + "a/reschedule?delay=1h", 409).path("detail").asString())
                .contains(detail);
    }

    /** The owner is asked before anything is changed. */
    @Test
    void aTimeThatNobodyCouldAnswerForIsNotSaidToMaybeBeChanged() {
        put("0", "1:1", TaskState.SCHEDULED, named("a"));
        PLATFORM.tooManyAsk = true;

        assertThat(post(TASKS + "a/reschedule?delay=1h", 503).path("remedy").asString())
                .startsWith("Try again");

        assertThat(PLATFORM.changes).isEmpty();
        // The entry is made when the answer is sent already.
        await().untilAsserted(() -> assertThat(AUDIT.refused)
                .singleElement()
                .satisfies(
                        entry -> assertThat(entry.result()).isEqualTo("failed with status 503, and nothing was done")));
    }
}
