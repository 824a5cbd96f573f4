package dev.tandem.server.operations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.server.inspect.TaskInfo;
import dev.tandem.server.inspect.TaskRef;
import dev.tandem.server.operations.Operation.Action;
import dev.tandem.task.Envelope;
import dev.tandem.task.Task;
import dev.tandem.task.TaskNotes;
import dev.tandem.task.TaskState;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests which tasks an operation takes. */
class TaskSelectionTest {

    private static final long BEGAN = 1_800_000_000_000L;
    private static final long HOUR = 3_600_000;
    /** The token of the partition, whose node of Redis is a minute ahead of the one that noted when the operation began. */
    private static final long LAST_TOKEN = (BEGAN + 60_000) * 1_000;

    private static final TaskInfo DEAD = task(TaskState.DEAD, BEGAN - HOUR, "ship", BEGAN - 2 * HOUR, null);

    @Test
    void allThatIsGivenMustFit() {
        assertThat(takes("{'states':['DEAD']}", DEAD)).isTrue();
        assertThat(takes("{'states':['SCHEDULED']}", DEAD)).isFalse();
        String all = "{'states':['DEAD'],'partition':'3','key':'k','type':'ship','id':'order-7','error':'refused',"
                + "'diedAfter':'-61m','diedBefore':'-59m','publishedAfter':'-121m','publishedBefore':'-119m'}";
        assertThat(takes(all, DEAD)).isTrue();
        for (String[] other : new String[][] {
            {"'3'", "'4'"},
            {"'k'", "'l'"},
            {"'ship'", "'mail'"},
            {"'order-7'", "'order-8'"},
            {"'refused'", "'timeout'"},
            {"'-61m'", "'-59m'"},
            {"'-59m'", "'-60m'"},
            {"'-121m'", "'-119m'"},
            {"'-119m'", "'-2h'"}
        }) {
            assertThat(takes(all.replace(other[0], other[1]), DEAD))
                    .as(other[1])
                    .isFalse();
        }
    }

    @Test
    void aTaskWithoutATypeHasTheOneOfTheQueue() {
        TaskInfo plain = task(TaskState.DEAD, BEGAN, null, 0, null);
        assertThat(takes("{'states':['DEAD'],'type':'http'}", plain)).isFalse();
        assertThat(takes("{'states':['DEAD'],'type':'http','orNoType':true}", plain))
                .isTrue();
    }

    @Test
    void aTaskOfWhichATimeIsUnknownIsInNoRange() {
        TaskInfo plain = task(TaskState.PARKED, -1, null, 0, null);
        assertThat(takes("{'states':['PARKED']}", plain)).isTrue();
        assertThat(takes("{'states':['PARKED'],'publishedBefore':'+1h'}", plain))
                .isFalse();
        assertThat(takes("{'states':['PARKED'],'dueBefore':'+1h'}", plain)).isFalse();
        assertThat(takes("{'states':['DEAD'],'dueBefore':'+1h'}", DEAD)).isFalse();
        TaskInfo running = task(TaskState.ACTIVE, BEGAN, null, 0, null);
        assertThat(takes("{'states':['ACTIVE']}", running)).isTrue();
        assertThat(takes("{'states':['ACTIVE'],'dueBefore':'+1h'}", running))
                .as("the time of a running task is when its lease ends")
                .isFalse();
    }

    @Test
    void aTaskThatRanSinceTheOperationCameToItsPartitionIsNotMadeDueAgain() {
        TaskSelection selection = new TaskSelection(
                List.of(TaskState.RETRY),
                null,
                null,
                null,
                false,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                false,
                null);
        for (Action action : List.of(Action.RESCHEDULE, Action.RETRY)) {
            Operation operation =
                    new Operation("orders", "o", action, selection, false, action == Action.RETRY ? null : "+0s", null);
            assertThat(operation.chooser(BEGAN, LAST_TOKEN).test(failed(LAST_TOKEN)))
                    .as(action.word())
                    .isTrue();
            assertThat(operation.chooser(BEGAN, LAST_TOKEN).test(failed(LAST_TOKEN + 1)))
                    .as(action.word())
                    .isFalse();
        }
    }

    /** The clock of its partition is behind, so that it seems to have died before the operation began. */
    @Test
    void aDeadTaskThatRanSinceTheOperationCameToItsPartitionIsNotRetriedAgain() {
        Operation retry = operation("{'states':['DEAD']}", Action.RETRY, null);
        assertThat(retry.chooser(BEGAN, LAST_TOKEN).test(failed(TaskState.DEAD, BEGAN - HOUR, LAST_TOKEN)))
                .isTrue();
        assertThat(retry.chooser(BEGAN, LAST_TOKEN).test(failed(TaskState.DEAD, BEGAN - HOUR, LAST_TOKEN + 1)))
                .isFalse();
        assertThat(retry.chooser(BEGAN, LAST_TOKEN).test(failed(TaskState.DEAD, BEGAN - HOUR, 0)))
                .as("it died without a run")
                .isTrue();
    }

    /** Returns a task that waits for its next attempt. */
    private static TaskInfo failed(long token) {
        return failed(TaskState.RETRY, BEGAN + HOUR, token);
    }

    private static TaskInfo failed(TaskState state, long at, long token) {
        Envelope envelope = new Envelope(Task.of("orders", "k", new byte[0]), 1, token, "failed");
        return new TaskInfo(
                new TaskRef("3", "0:7"),
                state,
                Instant.ofEpochMilli(at),
                "k",
                1,
                null,
                null,
                envelope,
                null,
                List.of(),
                TaskNotes.NONE);
    }

    @Test
    void aTaskThatWasSentLaterIsNotTaken() {
        assertThat(takes("{'states':['RETRY']}", task(TaskState.RETRY, BEGAN, null, BEGAN, null)))
                .isTrue();
        assertThat(takes("{'states':['RETRY']}", task(TaskState.RETRY, BEGAN, null, BEGAN + 1, null)))
                .isFalse();
    }

    @Test
    void aDeadTaskIsTakenEvenIfTheClockOfItsPublisherIsAhead() {
        assertThat(takes("{'states':['DEAD']}", task(TaskState.DEAD, BEGAN - HOUR, null, BEGAN + HOUR, null)))
                .isTrue();
    }

    @Test
    void timesAreAbsoluteOrCountFromTheBeginning() {
        assertThat(OperationTime.millis("at", "17", BEGAN, 0)).isEqualTo(17);
        assertThat(OperationTime.millis("at", "2030-01-31T09:00:00+01:00", BEGAN, 0))
                .isEqualTo(Instant.parse("2030-01-31T08:00:00Z").toEpochMilli());
        assertThat(OperationTime.millis("at", "+30s", BEGAN, 0)).isEqualTo(BEGAN + 30_000);
        assertThat(OperationTime.millis("at", "-PT1H", BEGAN, 0)).isEqualTo(BEGAN - HOUR);
        assertThat(OperationTime.millis("at", null, BEGAN, 7)).isEqualTo(7);
        for (String wrong : List.of(
                "", " ", "soon", "1h", "+", "--1h", "-99999999d", "+9999999d", "9".repeat(18), "x".repeat(99))) {
            assertThatThrownBy(() -> OperationTime.millis("at", wrong, BEGAN, 0))
                    .as(wrong)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("The parameter at is '")
                    .hasMessageContaining("use epoch milliseconds");
        }
    }

    @Test
    void onlyTasksThatAreNotSoAlreadyAreToChange() {
        TaskInfo due = task(TaskState.SCHEDULED, BEGAN, null, 0, null);
        TaskInfo later = task(TaskState.SCHEDULED, BEGAN + HOUR, null, 0, null);
        assertThat(changes(Action.RETRY, null, due)).isFalse();
        assertThat(changes(Action.RETRY, null, later)).isTrue();
        assertThat(changes(Action.RESCHEDULE, "+2h", due)).isFalse();
        assertThat(changes(Action.RESCHEDULE, "+2h", later)).isTrue();
        assertThat(changes(Action.RESCHEDULE, "+1h", later)).isFalse();
    }

    @Test
    void tasksThatHaltTheirKeysAreDeletedOnlyIfThatIsAskedFor() {
        TaskInfo halts = task(TaskState.DEAD, BEGAN, null, 0, new TaskRef("3", "1:7"));
        assertThat(changes(Action.DELETE, null, DEAD)).isTrue();
        assertThat(changes(Action.DELETE, null, halts)).isFalse();
        assertThat(operation("{'states':['DEAD'],'halting':true}", Action.DELETE, null)
                        .chooser(BEGAN, LAST_TOKEN)
                        .test(halts))
                .isTrue();
    }

    @Test
    void anOperationIsReadAsItWasWritten() {
        Operation operation = operation("{'states':['DEAD','RETRY'],'error':'\u00e9'}", Action.RETRY, null);
        assertThat(OperationJson.operation(OperationJson.write(operation))).contains(operation);
        assertThat(OperationJson.operation("{\"action\":\"EXPLODE\"}")).isEmpty();
        assertThat(OperationJson.progress("?")).isEqualTo(OperationProgress.NONE);
    }

    private static boolean changes(Action action, @Nullable String at, TaskInfo task) {
        return operation("{'states':['DEAD','SCHEDULED']}", action, at)
                .chooser(BEGAN, LAST_TOKEN)
                .test(task);
    }

    private static boolean takes(String selection, TaskInfo task) {
        return operation(selection, Action.CANCEL, null)
                .chooser(BEGAN, LAST_TOKEN)
                .test(task);
    }

    private static Operation operation(String selection, Action action, @Nullable String at) {
        String json = "{'queue':'orders','id':'o','action':'" + action + "','selection':" + selection
                + (at == null ? "" : ",'at':'" + at + "'") + "}";
        return OperationJson.operation(json.replace('\'', '"')).orElseThrow();
    }

    private static TaskInfo task(
            TaskState state, long at, @Nullable String type, long published, @Nullable TaskRef head) {
        Task task = new Task("order-7", "orders", type, "k", new byte[0], Map.of(), published, 0, 0, 0, null);
        return new TaskInfo(
                new TaskRef("3", "1:7"),
                state,
                at < 0 ? null : Instant.ofEpochMilli(at),
                "k",
                2,
                null,
                head,
                new Envelope(task, 2, 9, "connection refused"),
                null,
                List.of(),
                TaskNotes.NONE);
    }
}
