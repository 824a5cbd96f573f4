package dev.tandem.task.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.BusinessId;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.store.DedupPolicy.Mode;
import dev.tandem.task.store.DedupRequest.Ask;
import dev.tandem.task.store.DedupRequest.Ending;
import dev.tandem.task.store.DedupRequest.Tell;
import dev.tandem.task.store.WaitRequest.Waiter;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The rules of deduplication keys, by which a store answers. */
class DedupModelTest {

    private static final long HOUR = 3_600_000;
    private static final DedupAnswer GO = DedupAnswer.Go.INSTANCE;

    private final DedupModel model = new DedupModel();
    private DedupPolicy policy = new DedupPolicy(Mode.FIRST, 0, true, 0, true, 24 * HOUR);
    private long now = 1_800_000_000_000L;

    private static TaskIdentity record(int number) {
        return TaskIdentity.of("0", Position.of(0, number), false, "task-" + number);
    }

    private static TaskIdentity message(String identity, int arrival, boolean isNew) {
        return TaskIdentity.of("0", new Position(identity + ":w." + arrival), isNew, identity);
    }

    private DedupAnswer arrives(TaskIdentity task, long delayMillis) {
        return model.apply("q", new Ask("id", task, false, delayMillis, policy), now);
    }

    private DedupAnswer begins(TaskIdentity task) {
        return model.apply("q", new Ask("id", task, true, 0, policy), now);
    }

    private void ends(TaskIdentity task, Ending ending) {
        model.apply("q", new Tell("id", task, ending, 0), now);
    }

    private void endsLater(TaskIdentity task, long delayMillis) {
        model.apply("q", new Tell("id", task, Ending.LATER, delayMillis), now);
    }

    private static DedupAnswer duplicateOf(int number) {
        return new DedupAnswer.Duplicate("task-" + number);
    }

    @Test
    void anEndIsRememberedForAsLongAsTasksWaitForThoseOfItsQueue() {
        begins(record(1));
        ends(record(1), Ending.SUCCEEDED);
        now += HOUR;
        assertThat(waits("id", 1)).as("nobody had waited before").isEqualTo(WaitAnswer.State.UNKNOWN);

        model.apply("q", new Tell("other", record(2), Ending.SUCCEEDED, 0), now);
        now += 23 * HOUR;
        assertThat(waits("other", 2)).isEqualTo(WaitAnswer.State.SUCCEEDED);
        now += 30 * 24 * HOUR;
        policy = policy.withKept(2 * HOUR);
        model.apply("q", new Ask("short", record(3), true, 0, policy), now);
        model.apply("q", new Tell("short", record(3), Ending.SUCCEEDED, 0), now);
        now += 3 * HOUR;
        assertThat(waits("short", 3)).as("its queue says so").isEqualTo(WaitAnswer.State.UNKNOWN);
    }

    private WaitAnswer.State waits(String key, int waiter) {
        Waiter task = new Waiter(Partition.of("w", 0), Position.of(0, waiter));
        return model.apply(new WaitRequest.Ask(new BusinessId("q", key), task, 24 * HOUR, 0), now)
                .state();
    }

    @Test
    void theFirstThatComesRunsHoweverLate() {
        assertThat(arrives(record(1), 2 * HOUR)).isEqualTo(GO);
        assertThat(arrives(record(2), 0)).isEqualTo(duplicateOf(1));
        assertThat(begins(record(2))).isEqualTo(duplicateOf(1));
        now += 2 * HOUR;
        assertThat(begins(record(1))).isEqualTo(GO);
    }

    @Test
    void theKeyIsFreeWhenItsTaskHasEndedAndADuplicateStaysOne() {
        begins(record(1));
        assertThat(arrives(record(2), HOUR)).isEqualTo(duplicateOf(1));
        ends(record(1), Ending.SUCCEEDED);
        assertThat(arrives(record(3), 0)).isEqualTo(GO);
        now += HOUR;
        assertThat(begins(record(2))).as("it came while the key was taken").isEqualTo(duplicateOf(1));
        assertThat(begins(record(3))).isEqualTo(GO);
    }

    @Test
    void retentionKeepsTheKeyAfterASuccessAndNotAfterAFailure() {
        policy = new DedupPolicy(Mode.FIRST, 0, true, HOUR, true, 24 * HOUR);
        begins(record(1));
        ends(record(1), Ending.FAILED);
        assertThat(begins(record(2))).isEqualTo(GO);
        ends(record(2), Ending.SUCCEEDED);
        now += HOUR - 1;
        assertThat(begins(record(3))).isEqualTo(duplicateOf(2));
        now += 1;
        assertThat(begins(record(4))).isEqualTo(GO);
    }

    @Test
    void aFailureKeepsTheKeyIfItIsNotToReleaseIt() {
        policy = new DedupPolicy(Mode.FIRST, HOUR, true, 0, false, 24 * HOUR);
        begins(record(1));
        ends(record(1), Ending.FAILED);
        assertThat(begins(record(2))).isEqualTo(duplicateOf(1));
        assertThat(begins(record(1))).as("an operator retries it").isEqualTo(GO);
    }

    @Test
    void aWindowEndsThoughItsTaskHasNotAndThatTaskStillRuns() {
        policy = new DedupPolicy(Mode.FIRST, HOUR, false, 0, true, 24 * HOUR);
        arrives(record(1), 2 * HOUR);
        now += HOUR;
        assertThat(arrives(record(2), 0)).isEqualTo(GO);
        now += HOUR / 2;
        assertThat(begins(record(1))).as("it came first").isEqualTo(GO);
        assertThat(begins(record(3))).isEqualTo(duplicateOf(2));
    }

    @Test
    void aFirstOfWhichNothingIsHeardFreesTheKey() {
        arrives(record(1), 2 * HOUR);
        now += 26 * HOUR - 1;
        assertThat(begins(record(2))).isEqualTo(duplicateOf(1));
        now += 1;
        assertThat(arrives(record(3), 0)).isEqualTo(GO);
        assertThat(begins(record(1))).as("it was not lost after all").isEqualTo(duplicateOf(3));
    }

    @Test
    void theEndOfAForgottenTaskIsKnownToThoseThatComeLater() {
        BusinessId id = new BusinessId("q", "id");
        Waiter waiter = new Waiter(Partition.of("q", 1), Position.of(0, 9));
        begins(record(1));
        now += 25 * HOUR;
        model.apply("q", new Tell("id", record(1), Ending.SUCCEEDED, 0, HOUR), now);

        now += HOUR - 1;
        assertThat(model.apply(new WaitRequest.Ask(id, waiter, HOUR, 0), now).state())
                .isEqualTo(WaitAnswer.State.SUCCEEDED);
        assertThat(begins(record(1))).isEqualTo(DedupAnswer.Done.INSTANCE);
        assertThat(arrives(record(2), 0)).as("the key is free").isEqualTo(GO);
    }

    @Test
    void aTaskThatRunsAgainAfterItsSuccessIsToldSo() {
        begins(record(1));
        ends(record(1), Ending.SUCCEEDED);
        assertThat(begins(record(1))).isEqualTo(DedupAnswer.Done.INSTANCE);
    }

    @Test
    void aMessageThatIsDeliveredAgainIsNoDuplicateOfItself() {
        arrives(message("m1", 1, true), 0);
        assertThat(arrives(message("m1", 2, false), 0)).isEqualTo(GO);
        assertThat(begins(message("m1", 2, false))).isEqualTo(GO);
        assertThat(begins(message("m1", 3, false))).isEqualTo(GO);
        ends(message("m1", 3, false), Ending.SUCCEEDED);
        assertThat(begins(message("m1", 4, false))).isEqualTo(DedupAnswer.Done.INSTANCE);
    }

    @Test
    void aCopyOfAMessageIsADuplicateThoughItsPositionIsKnownLaterOnly() {
        arrives(message("m1", 1, true), HOUR);
        assertThat(arrives(message("m1", 2, true), HOUR)).isEqualTo(new DedupAnswer.Duplicate("m1"));
        now += HOUR;
        assertThat(begins(message("m1", 2, false))).isEqualTo(new DedupAnswer.Duplicate("m1"));
        assertThat(begins(message("m1", 1, false))).isEqualTo(GO);
    }

    @Test
    void messagesOfOneContentThatMayBeDifferentAreNotTakenForEachOtherOnceOneHasEnded() {
        begins(message("h1", 1, true));
        ends(message("h1", 1, false), Ending.SUCCEEDED);
        assertThat(arrives(message("h1", 2, false), 0)).isEqualTo(GO);
    }

    @Test
    void theLastThatComesBeforeAnyBeginsRunsAtItsOwnTimeOrAtThatOfTheFirst() {
        policy = new DedupPolicy(Mode.KEEP_LAST, 0, true, 0, true, 24 * HOUR);
        arrives(record(1), HOUR);
        arrives(record(2), HOUR);
        assertThat(begins(record(1))).isEqualTo(duplicateOf(2));
        assertThat(begins(record(2))).isEqualTo(GO);
        assertThat(arrives(record(3), HOUR)).as("it has begun").isEqualTo(GO);
        assertThat(begins(record(2))).as("its next attempt").isEqualTo(GO);

        policy = new DedupPolicy(Mode.REPLACE, 0, true, 0, true, 24 * HOUR);
        assertThat(arrives(record(4), 0)).isEqualTo(GO);
        assertThat(begins(record(4))).isEqualTo(new DedupAnswer.Wait(HOUR));
        now += HOUR;
        assertThat(begins(record(4))).isEqualTo(GO);
        assertThat(begins(record(3))).isEqualTo(duplicateOf(4));
    }

    @Test
    void aTaskWhoseArrivalIsForgottenDoesNotTakeThePlaceOfAWaitingOne() {
        for (Mode mode : List.of(Mode.KEEP_LAST, Mode.REPLACE)) {
            int first = mode == Mode.REPLACE ? 1 : 11;
            policy = new DedupPolicy(mode, 0, true, 0, true, 24 * HOUR);
            begins(record(first));
            assertThat(arrives(record(first + 1), HOUR)).as("it has begun").isEqualTo(GO);
            ends(record(first), Ending.SUCCEEDED);

            assertThat(begins(record(first)))
                    .as("its executor died before the outcome was recorded")
                    .isEqualTo(GO);
            now += HOUR;
            assertThat(begins(record(first + 1)))
                    .as("the last one runs in any case")
                    .isEqualTo(GO);
            ends(record(first + 1), Ending.SUCCEEDED);
        }
    }

    @Test
    void theLastOneIsKeptThoughThereIsNoRoomForMarks() {
        policy = new DedupPolicy(Mode.KEEP_LAST, 0, true, 0, true, 24 * HOUR);
        int last = DedupModel.MAX_MARKS + 10;
        for (int i = 0; i <= last; i++) {
            assertThat(arrives(record(i), HOUR)).isEqualTo(GO);
        }
        assertThat(begins(record(1))).isEqualTo(duplicateOf(2));
        assertThat(begins(record(last))).isEqualTo(GO);
    }

    @Test
    void aFailureOfARunThatLostItsClaimDoesNotFreeTheKeyOfTheNextRun() {
        assertThat(begins(record(1).inRun(7))).isEqualTo(GO);
        assertThat(begins(record(1).inRun(9)))
                .as("by another executor, after the lease")
                .isEqualTo(GO);
        ends(record(1).inRun(7), Ending.FAILED);
        assertThat(begins(record(2).inRun(3))).isEqualTo(duplicateOf(1));
        ends(record(1).inRun(9), Ending.FAILED);
        assertThat(begins(record(3).inRun(3))).isEqualTo(GO);
    }

    @Test
    void aDelayThatIsToldTooLateDoesNotTakeAKeyThatIsFree() {
        begins(record(1).inRun(1));
        ends(record(1).inRun(2), Ending.SUCCEEDED);
        endsLater(record(1).inRun(1), HOUR);
        assertThat(arrives(record(2), 0)).isEqualTo(GO);
        ends(record(2), Ending.FAILED);
        endsLater(record(2), HOUR);
        assertThat(arrives(record(3), 0)).isEqualTo(GO);
    }

    @Test
    void aSuccessCountsThoughTheTaskHasAnotherPlaceMeanwhile() {
        begins(record(1));
        TaskIdentity again = TaskIdentity.of("0", Position.of(1, 1), false, "task-1");
        assertThat(arrives(again, 0)).as("its log began anew").isEqualTo(GO);
        ends(record(1), Ending.SUCCEEDED);
        assertThat(begins(again)).isEqualTo(DedupAnswer.Done.INSTANCE);

        policy = new DedupPolicy(Mode.FIRST, 0, true, 0, true, 24 * HOUR);
        begins(message("m1", 1, true));
        arrives(message("m1", 2, false), 0);
        ends(message("m1", 1, false), Ending.FAILED);
        assertThat(arrives(message("m2", 3, true), 0)).as("the key is free").isEqualTo(GO);
    }

    @Test
    void aDuplicateThatIsDeliveredAgainStaysOne() {
        begins(message("m1", 1, true));
        assertThat(arrives(message("m2", 2, true), 0)).isEqualTo(new DedupAnswer.Duplicate("m1"));
        ends(message("m1", 1, false), Ending.SUCCEEDED);
        assertThat(begins(message("m2", 3, false)))
                .as("under another position, when the key is free")
                .isEqualTo(new DedupAnswer.Duplicate("m1"));
    }

    /** A task of the simulation. Its executor may die at any moment, and then it comes again. */
    private static final class SimulatedTask {
        private final TaskIdentity bearer;
        private boolean arrived;
        private boolean runs;
        private boolean over;
        private int successes;

        SimulatedTask(TaskIdentity bearer) {
            this.bearer = bearer;
        }
    }

    /** In histories of crashes, with answers that got lost, one task of a key runs to its end, and none runs beside it. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void oneTaskOfAKeySucceedsWhateverCrashes(boolean log) {
        policy = new DedupPolicy(Mode.FIRST, HOUR, true, 0, true, 24 * HOUR);
        for (long seed = 0; seed < 2_000; seed++) {
            Random random = new Random(seed);
            DedupModel store = new DedupModel();
            List<SimulatedTask> tasks = new ArrayList<>();
            for (int i = 0; i < 2 + random.nextInt(4); i++) {
                tasks.add(new SimulatedTask(log ? record(i) : message("m" + i, i, true)));
            }
            while (tasks.stream().anyMatch(each -> !each.over)) {
                step(store, tasks.get(random.nextInt(tasks.size())), random);
                assertThat(tasks)
                        .as("seed %s", seed)
                        .filteredOn(each -> each.runs)
                        .hasSizeLessThan(2);
            }
            assertThat(tasks.stream().mapToInt(each -> each.successes).sum())
                    .as("seed %s", seed)
                    .isEqualTo(1);
        }
    }

    private void step(DedupModel store, SimulatedTask task, Random random) {
        TaskIdentity bearer = task.bearer;
        if (task.over) {
            return;
        } else if (task.runs) {
            task.runs = false;
            if (random.nextInt(3) > 0) {
                task.successes++;
                store.apply("q", new Tell("id", bearer, Ending.SUCCEEDED, 0), now);
                // If its executor dies now, the task comes again.
                task.over = random.nextBoolean();
            }
        } else if (!task.arrived && random.nextBoolean()) {
            task.arrived = true;
            store.apply("q", new Ask("id", bearer, false, random.nextInt(1_000), policy), now);
        } else {
            DedupAnswer answer = store.apply("q", new Ask("id", bearer, true, 0, policy), now);
            boolean heard = random.nextInt(4) > 0;
            task.runs = heard && answer.equals(GO);
            task.over = heard && !task.runs && random.nextBoolean();
        }
    }
}
