package dev.tandem.server.why;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.server.inspect.KeyInfo;
import dev.tandem.server.inspect.Pauses;
import dev.tandem.server.inspect.TaskRef;
import dev.tandem.server.words.Sentence;
import dev.tandem.task.Envelope;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.Task;
import dev.tandem.task.TaskPlace;
import dev.tandem.task.TaskState;
import dev.tandem.task.WaitReason;
import dev.tandem.task.store.HeldAnswer;
import dev.tandem.task.store.HeldTask;
import dev.tandem.task.store.PartitionReport;
import dev.tandem.task.store.PausedTasks;
import dev.tandem.task.store.StoreAnswer.BlockReason;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Each cause for which a key does not move, and its words. */
class DiagnoserTest {

    private static final Instant NOW = Instant.parse("2026-11-20T14:03:00Z");
    private static final WaitReason SLOT = new WaitReason.Turn(false);
    private static final TaskRef REF = new TaskRef("3", "0:17");
    private static final PartitionOwner HOME = new PartitionOwner("3", "host-1", true, 100);
    private static final Facts NOTHING = new Facts(
            NOW,
            "customer-7",
            false,
            -1,
            null,
            null,
            null,
            HeldAnswer.NONE,
            null,
            LimitNumbers.NONE,
            Set.of("host-1"),
            HOME,
            Pauses.NONE,
            0,
            null,
            Duration.ofSeconds(10),
            false);

    /** The wait of a key is told as the issue that asked for it says. */
    @Test
    void aKeyWaitsForTheNextAttemptOfItsHead() {
        TaskFacts head = task(TaskState.RETRY, NOW.plusSeconds(12), 3, "HTTP 500", null, 2_154);
        assertThat(text(blocked(BlockReason.HEAD, 12, head)))
                .isEqualTo(
                        "customer-7 waits for attempt 4 of pay-1 at 14:03:12 UTC (HTTP 500); 12 behind it; about 14:03:40"
                                + " UTC. To run it now: ./tandem keys retry payments customer-7");
        assertThat(cause(blocked(BlockReason.HEAD, 12, head))).isEqualTo("retry");
    }

    @Test
    void timesAreThoseOfTheZoneAndNameAnotherDay() {
        Facts facts = blocked(BlockReason.HEAD, 0, task(TaskState.RETRY, NOW.plusSeconds(86_400), 1, null, null, -1));
        assertThat(Diagnoser.diagnose(facts).text(words(facts, ZoneId.of("Europe/Berlin"))))
                .startsWith("customer-7 waits for attempt 2 of pay-1 at 2026-11-21 15:03:00. ");
    }

    @Test
    void aHaltedKeyWaitsForADecision() {
        Facts facts = blocked(BlockReason.HALTED, 2, task(TaskState.DEAD, NOW, 3, "HTTP 410", null, -1));
        assertThat(cause(facts)).isEqualTo("halted");
        assertThat(text(facts)).startsWith("customer-7 is halted: pay-1 is dead (HTTP 410); 2 behind it. Decide: ");
    }

    @Test
    void aHeadMayRunElsewhereOrHaveToBeRedelivered() {
        assertThat(cause(blocked(BlockReason.OTHER_OWNER, 0, null))).isEqualTo("other-owner");
        assertThat(cause(blocked(BlockReason.REDELIVERY, 0, null))).isEqualTo("redelivery");
    }

    @Test
    void aTaskIsNotDueOrWaitsInALine() {
        Facts facts = blocked(BlockReason.HEAD, 1, task(TaskState.SCHEDULED, NOW.plusSeconds(60), 0, null, null, -1));
        assertThat(cause(facts)).isEqualTo("not-due");
        assertThat(text(facts)).startsWith("customer-7 waits for pay-1, which is due at 14:04:00 UTC; 1 behind it.");
        Facts inLine = blocked(BlockReason.HEAD, 2, task(TaskState.SCHEDULED, null, 0, null, null, -1));
        assertThat(cause(held(inLine, null, owner(false, 0)))).isEqualTo("tenant");
    }

    @Test
    void aTaskThatWasPutBackSaysWhatFor() {
        assertThat(cause(putBack(new WaitReason.Permits(List.of("erp"))))).isEqualTo("permit");
        assertThat(text(putBack(new WaitReason.Permits(List.of("erp"))))).contains("`./tandem limits erp`");
        assertThat(text(putBack(new WaitReason.Token("mail")))).contains("a token of mail, for pay-1, at 14:03:05 UTC");
        LimitNumbers numbers = new LimitNumbers(
                Map.of("erp", Sentence.of("limit.at-most", "3")), Map.of("mail", Sentence.of("limit.at-most", "7")));
        assertThat(text(limited(putBack(new WaitReason.Permits(List.of("erp", "scm"))), numbers)))
                .contains("erp (at most 3 at once) and scm");
        assertThat(text(limited(putBack(new WaitReason.Token("mail")), numbers)))
                .contains("a token of mail (at most 7 at once), for pay-1");
        assertThat(cause(putBack(new WaitReason.OtherTask("parcels/pack-7")))).isEqualTo("dependency");
        assertThat(cause(putBack(new WaitReason.FormerPartition()))).isEqualTo("moved");
        assertThat(text(putBack(new WaitReason.Other("rain")))).contains("waits for rain, for pay-1");
    }

    private static Facts putBack(WaitReason reason) {
        return blocked(BlockReason.HEAD, 0, task(TaskState.SCHEDULED, NOW.plusSeconds(5), 0, null, reason, -1));
    }

    @Test
    void aTypeMayHaveNoHandler() {
        TaskFacts head = new TaskFacts(
                REF,
                "pay-1",
                TaskState.RETRY,
                NOW.plusSeconds(5),
                "customer-7",
                "refund",
                0,
                null,
                "no handler",
                null,
                true,
                false,
                false,
                false,
                -1);
        assertThat(cause(blocked(BlockReason.HEAD, 0, head))).isEqualTo("no-handler");
        assertThat(text(blocked(BlockReason.HEAD, 0, head)))
                .contains("no handler for the type refund, and tries again at 14:03:05");
    }

    @Test
    void aHeadRunsOrItsExecutorHasDiedOrItIsInQuarantine() {
        Facts runs = blocked(BlockReason.HEAD, 3, active("host-1", false));
        assertThat(text(runs))
                .startsWith("customer-7 waits for attempt 2 of pay-1, which runs in host-1 since 14:03:00 UTC; 3");
        assertThat(cause(runs)).isEqualTo("running");
        Facts died = blocked(BlockReason.HEAD, 3, active("host-2", false));
        assertThat(cause(died)).isEqualTo("executor-died");
        assertThat(text(died)).contains("host-2, which ran pay-1, has died", "within 10 s");
        Facts suspect = held(blocked(BlockReason.HEAD, 0, active("host-1", true)), held(SLOT, false), owner(false, 0));
        assertThat(cause(suspect)).isEqualTo("quarantine");
    }

    @Test
    void nothingIsInventedOfAHeadOfWhichOnlyItsPlaceIsKnown() {
        Facts unknown = blocked(BlockReason.HEAD, 0, null);
        assertThat(cause(unknown)).isEqualTo("running");
        assertThat(text(unknown)).startsWith("customer-7 waits for " + REF + ", which runs in an executor");
    }

    @Test
    void aTaskInMemoryWaitsForWhatItsExecutorSays() {
        assertThat(cause(held(NOTHING, held(new WaitReason.Permits(List.of("erp")), false), owner(false, 0))))
                .isEqualTo("permit");
        Facts slot = held(NOTHING, held(new WaitReason.Turn(true), false), owner(false, 0));
        assertThat(text(slot)).startsWith("customer-7 waits for a free slot in host-1, for pay-1; 4 behind it.");
        assertThat(cause(slot)).isEqualTo("slot");

        Facts pulled = pulled(slot);
        assertThat(text(pulled)).startsWith("customer-7 waits for a worker that leases pay-1; 4 behind it.");
        assertThat(text(pulled)).contains("Start more workers");
        assertThat(cause(pulled)).isEqualTo("slot");
        assertThat(cause(held(NOTHING, held(null, true), owner(false, 0)))).isEqualTo("running");
        assertThat(cause(held(NOTHING, held(SLOT, false), owner(true, 5_000)))).isEqualTo("quiet");
        assertThat(text(held(NOTHING, held(SLOT, false), owner(true, 5_000)))).contains("until 14:03:05 UTC");
    }

    /** Nothing is in its way but the run of an earlier task of its key, which need not be blocked. */
    @Test
    void aTaskThatIsDueWaitsForWhatRunsAheadOfItInItsKey() {
        TaskFacts due = new TaskFacts(
                new TaskRef("3", "0:18"),
                "pay-2",
                TaskState.SCHEDULED,
                NOW,
                "customer-7",
                "pay",
                0,
                null,
                null,
                null,
                false,
                false,
                false,
                false,
                -1);
        Facts alone = asked(held(NOTHING, null, owner(true, 0)), due);
        assertThat(cause(alone)).isEqualTo("due");
        Facts behind = asked(held(NOTHING, held(null, true), owner(true, 0)), due);
        assertThat(text(behind)).startsWith("customer-7 waits for attempt 1 of pay-1, which runs in host-1");
    }

    @Test
    void aPartitionMayBeFull() {
        assertThat(cause(held(NOTHING, held(SLOT, false), partition(50, 5, 0, false, true, false, "x"))))
                .isEqualTo("partition-full");
        assertThat(cause(held(NOTHING, held(SLOT, false), partition(50, 5, 0, false, false, true, ""))))
                .isEqualTo("partition-full");
        assertThat(cause(held(NOTHING, held(SLOT, false), partition(50, 5, 0, false, false, false, "slow"))))
                .isEqualTo("withheld");
    }

    @Test
    void pausesAreNamedWithWhatIsPaused() {
        HeldTask waits = held(SLOT, false);
        assertThat(text(paused(held(NOTHING, waits, owner(true, 0)), true, PausedTasks.NONE)))
                .isEqualTo("customer-7 waits because the queue is paused; 4 behind it. To let it go on: ./tandem resume"
                        + " payments");
        TaskFacts due = task(TaskState.RETRY, NOW, 1, null, null, -1);
        assertThat(text(paused(blocked(BlockReason.HEAD, 0, due), false, new PausedTasks(Set.of("pay"), Set.of()))))
                .contains("the type pay is paused", "--type pay");
        assertThat(text(paused(
                        blocked(BlockReason.HEAD, 0, due), false, new PausedTasks(Set.of(), Set.of("customer-7")))))
                .contains("its key is paused", "--key customer-7");
    }

    @Test
    void aKeyOfWhichNobodyKnowsMayBeInTheBroker() {
        Facts read = held(NOTHING, null, partition(60, 0, 0, false, false, false, ""));
        assertThat(text(read))
                .startsWith(
                        "customer-7 is not in Redis nor in the memory of its owner: if it has tasks, they are"
                                + " in the broker, among the next 40 records of partition 3, which is read to offset 60 of 100.");
        assertThat(cause(held(NOTHING, null, partition(100, 0, 0, false, false, false, ""))))
                .isEqualTo("idle");
        assertThat(cause(held(NOTHING, null, partition(100, 0, 1, false, false, false, ""))))
                .isEqualTo("durability");
    }

    @Test
    void aPartitionMayHaveNoOwnerOrOneThatIsSilent() {
        assertThat(cause(home(new PartitionOwner("3", null, false, 100)))).isEqualTo("no-owner");
        assertThat(cause(home(new PartitionOwner("3", "host-2", false, 100)))).isEqualTo("executor-died");
        assertThat(cause(home(HOME))).isEqualTo("owner-silent");
    }

    // ---- facts

    private static TaskFacts task(
            TaskState state,
            @Nullable Instant at,
            int attempts,
            @Nullable String error,
            @Nullable WaitReason waitsFor,
            double mean) {
        return new TaskFacts(
                REF,
                "pay-1",
                state,
                at,
                "customer-7",
                "pay",
                attempts,
                null,
                error,
                waitsFor,
                false,
                false,
                false,
                false,
                mean);
    }

    private static TaskFacts active(String executor, boolean suspect) {
        return new TaskFacts(
                REF,
                "pay-1",
                TaskState.ACTIVE,
                NOW,
                "customer-7",
                "pay",
                2,
                executor,
                null,
                null,
                false,
                false,
                suspect,
                false,
                -1);
    }

    private static HeldTask held(@Nullable WaitReason waitsFor, boolean running) {
        Task task = new Task("pay-1", "payments", "pay", "customer-7", new byte[0], Map.of(), 0, 0, 0, 0, null);
        TaskPlace place = new TaskPlace(new Partition("payments", "3"), new Position("0:17"));
        return new HeldTask(place, "host-1", new Envelope(task, 0, 0, null), running, waitsFor);
    }

    private static PartitionReport owner(boolean mayStart, long quietMillis) {
        return new PartitionReport("3", "host-1", 60, 5, 0, -1, false, false, false, quietMillis, mayStart, "");
    }

    private static PartitionReport partition(
            long readTo, int matching, int notDurable, boolean full, boolean noRoom, boolean atBound, String withheld) {
        return new PartitionReport(
                "3", "host-1", readTo, matching, notDurable, -1, full, noRoom, atBound, 0, true, withheld);
    }

    private static Facts blocked(BlockReason why, long parked, @Nullable TaskFacts head) {
        return with(NOTHING, new KeyInfo("customer-7", "3", why, NOW, REF, parked, null), head, HeldAnswer.NONE, HOME);
    }

    private static Facts held(Facts facts, @Nullable HeldTask task, PartitionReport partition) {
        HeldAnswer held =
                new HeldAnswer(task == null ? List.of() : List.of(task), List.of(partition), Set.of("host-1"));
        return with(facts, facts.blocked(), facts.head(), held, HOME);
    }

    private static Facts home(PartitionOwner home) {
        return with(NOTHING, null, null, HeldAnswer.NONE, home);
    }

    private static Facts with(
            Facts f, @Nullable KeyInfo key, @Nullable TaskFacts head, HeldAnswer held, PartitionOwner home) {
        FactsCopy copy = new FactsCopy(f);
        copy.blocked = key;
        copy.head = head;
        copy.held = held;
        copy.home = home;
        return copy.facts();
    }

    private static Facts pulled(Facts f) {
        FactsCopy copy = new FactsCopy(f);
        copy.pulled = true;
        return copy.facts();
    }

    private static Facts asked(Facts f, TaskFacts task) {
        FactsCopy copy = new FactsCopy(f);
        copy.byTask = true;
        copy.task = task;
        return copy.facts();
    }

    private static Facts paused(Facts f, boolean queue, PausedTasks tasks) {
        FactsCopy copy = new FactsCopy(f);
        copy.pauses = new Pauses(queue, tasks, "http");
        return copy.facts();
    }

    private static Facts limited(Facts f, LimitNumbers limits) {
        FactsCopy copy = new FactsCopy(f);
        copy.limits = limits;
        return copy.facts();
    }

    private static Wording words(Facts facts, ZoneId zone) {
        return new Wording("payments", "customer-7", facts.byTask(), "customer-7", zone, NOW);
    }

    private static String text(Facts facts) {
        return Diagnoser.diagnose(facts).text(words(facts, ZoneOffset.UTC));
    }

    private static String cause(Facts facts) {
        return Diagnoser.diagnose(facts).cause().word();
    }
}
