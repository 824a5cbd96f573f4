package dev.tandem.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.demo.DemoCheck.Kill;
import dev.tandem.demo.DemoCheck.Published;
import dev.tandem.demo.DemoEvent.Kind;
import dev.tandem.demo.DemoTask.PlannedEnd;
import dev.tandem.kit.JsonLinesLog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that the check finds every violation. */
class DemoCheckTest {

    private final List<Published> published = new ArrayList<>();
    private final Map<String, List<DemoEvent>> logs = new LinkedHashMap<>();
    private final Map<String, KeyState> halted = new HashMap<>();
    private Kill kill;
    private long token;

    @Test
    void runsWithoutAFaultPass() {
        step("a", 0);
        step("a", 1);
        run("one", "a-0", 10, 20);
        run("one", "a-1", 20, 30);

        DemoVerdict verdict = judge();

        assertThat(verdict.passed()).isTrue();
        assertThat(verdict.tasks()).isEqualTo(2);
        assertThat(verdict.succeeded()).isEqualTo(2);
    }

    @Test
    void taskThatNeverSucceededIsLost() {
        step("a", 0);
        step("b", 0);
        run("one", "a-0", 10, 20);
        event("one", Kind.START, 30, "b-0", ++token);

        assertThat(judge().lost()).containsExactly("b-0");
        assertThat(judge().passed()).isFalse();
    }

    @Test
    void failedAttemptThatIsRetriedPasses() {
        step("a", 0);
        event("one", Kind.START, 10, "a-0", 1);
        event("one", Kind.FAILURE, 20, "a-0", 1);
        token = 1;
        run("two", "a-0", 30, 40);

        DemoVerdict verdict = judge();

        assertThat(verdict.passed()).isTrue();
        assertThat(verdict.retried()).isEqualTo(1);
    }

    @Test
    void taskThatSucceededTwiceIsADuplicate() {
        step("a", 0);
        run("one", "a-0", 10, 20);
        run("two", "a-0", 30, 40);

        DemoVerdict verdict = judge();

        assertThat(verdict.duplicates()).isEqualTo(1);
        assertThat(verdict.passed()).isFalse();
    }

    @Test
    void duplicateIsExplainedIfItsProcessWasKilledBeforeSettling() {
        step("a", 0);
        run("one", "a-0", 10, 20);
        run("two", "a-0", 10_000_000, 10_000_010);
        kill = new Kill("one", 30);

        assertThat(judge().passed()).isTrue();
        assertThat(judge().duplicatesByKill()).isEqualTo(1);

        kill = new Kill("one", 30 + DemoCheck.UNSETTLED_MICROS);

        assertThat(judge().passed()).isFalse();
    }

    @Test
    void duplicateMailIsExplainedOnlyIfTheKilledProcessRanIt() {
        published.add(new Published(
                new DemoTask("m", DemoWorkload.MAILS, null, 0, Duration.ZERO, 1, 0, PlannedEnd.SUCCEEDS), 0));
        event("one", Kind.START, 10, "m", 1);
        event("one", Kind.FAILURE, 20, "m", 1);
        token = 1;
        run("two", "m", 30, 40);
        run("two", "m", 50, 60);

        assertThat(judge().passed()).isFalse();

        kill = new Kill("one", 30);
        assertThat(judge().passed()).isTrue();

        kill = new Kill("one", 30 + DemoCheck.UNSETTLED_MICROS);
        assertThat(judge().passed()).isFalse();
    }

    @Test
    void delayedMailThatTheKilledProcessMayHaveHandedOverIsExplainedOnce() {
        Duration delay = Duration.ofSeconds(5);
        published.add(
                new Published(new DemoTask("m", DemoWorkload.MAILS, null, 0, delay, 1, 0, PlannedEnd.SUCCEEDS), 1_000));
        run("two", "m", 5_002_000, 5_002_010);
        run("two", "m", 9_000_000, 9_000_010);

        assertThat(judge().passed()).isFalse();

        kill = new Kill("one", 2_000);
        assertThat(judge().passed()).isTrue();

        kill = new Kill("one", 2_000 + DemoCheck.HAND_OVER_MICROS);
        assertThat(judge().passed()).as("it was acked long before").isFalse();

        kill = new Kill("one", 500);
        assertThat(judge().passed()).as("it was published after the kill").isFalse();

        kill = new Kill("one", 2_000);
        run("two", "m", 9_100_000, 9_100_010);
        assertThat(judge().passed()).as("a third time").isFalse();
    }

    @Test
    void stepBeforeAnEarlierOneHasEndedIsAViolation() {
        step("a", 0);
        step("a", 1);
        event("one", Kind.START, 10, "a-0", 1);
        event("one", Kind.FAILURE, 20, "a-0", 1);
        token = 1;
        run("one", "a-1", 30, 40);
        run("one", "a-0", 50, 60);

        assertThat(judge().outOfOrder()).containsExactly("a-1 before step 0");
    }

    @Test
    void twoRunsOfAKeyAtTheSameTimeAreAViolation() {
        step("a", 0);
        step("a", 1);
        run("one", "a-0", 10, 20);
        run("two", "a-1", 15, 30);

        assertThat(judge().overlaps()).containsExactly("a-0 and a-1");
    }

    @Test
    void runThatWasCutOffEndsWithTheKill() {
        step("a", 0);
        event("one", Kind.START, 10, "a-0", ++token);
        run("two", "a-0", 40, 50);

        assertThat(judge().overlaps()).as("a run without an end goes on").isNotEmpty();

        kill = new Kill("one", 30);
        assertThat(judge().passed()).isTrue();
    }

    @Test
    void tokenThatDoesNotGrowIsAViolation() {
        step("a", 0);
        step("a", 1);
        token = 10;
        run("one", "a-0", 10, 20);
        token = 5;
        run("two", "a-1", 30, 40);

        assertThat(judge().tokensBack()).containsExactly("a-1");
    }

    @Test
    void deadTaskIsAccountedForAndDoesNotBlockItsKey() {
        published.add(new Published(new DemoTask("a-0", "orders", "a", 0, Duration.ZERO, 1, 0, PlannedEnd.DIES), 0));
        step("a", 1);
        event("one", Kind.START, 10, "a-0", 1);
        event("one", Kind.DEAD, 20, "a-0", 1);
        token = 1;
        run("one", "a-1", 30, 40);

        assertThat(judge().passed()).isTrue();
        assertThat(judge().dead()).isEqualTo(1);
    }

    @Test
    void tasksBehindADeadOneMustWaitAndTheirKeyMustBeHalted() {
        String dead = haltedCustomer();
        assertThat(judge().notHalted()).as("nothing is known of the key").hasSize(1);

        halted.put("c", new KeyState(true, "halted", 2, new KeyState.HeadTask(dead, "dead")));
        assertThat(judge().passed()).isTrue();
        assertThat(judge().waiting()).isEqualTo(2);
        assertThat(judge().dead()).isEqualTo(1);

        for (KeyState other : List.of(
                new KeyState(false, null, 0, null),
                new KeyState(true, "head", 2, new KeyState.HeadTask(dead, "dead")),
                new KeyState(true, "halted", 1, new KeyState.HeadTask(dead, "dead")),
                new KeyState(true, "halted", 2, new KeyState.HeadTask("c-1", "dead")))) {
            halted.put("c", other);
            assertThat(judge().passed()).as(other.toString()).isFalse();
        }
    }

    @Test
    void taskThatRunsBehindADeadOneIsAViolation() {
        String dead = haltedCustomer();
        halted.put("c", new KeyState(true, "halted", 2, new KeyState.HeadTask(dead, "dead")));
        run("one", "c-1", 30, 40);

        assertThat(judge().notHalted()).containsExactly("c-1 ran");
        assertThat(judge().passed()).isFalse();
    }

    @Test
    void moreRunsAtOnceThanTheLimitPermitsAreAViolation() {
        run("one", "sales-report@2026-11-29T10:00:00Z", 10, 40);
        run("two", "tax-report@2026-11-29T10:00:00Z", 20, 50);
        run("two", "stock-report@2026-11-29T10:00:00Z", 40, 60);
        assertThat(judge().mostAtOnce()).isEqualTo(2);
        assertThat(judge().passed()).isTrue();

        run("one", "sales-report@2026-11-29T10:00:05Z", 45, 70);
        assertThat(judge().mostAtOnce()).isEqualTo(3);
        assertThat(judge().passed()).isFalse();
    }

    @Test
    void runOfTheKilledExecutorCountsUntilTheKill() {
        event("one", Kind.START, 10, "sales-report@2026-11-29T10:00:00Z", ++token);
        run("two", "tax-report@2026-11-29T10:00:00Z", 10, 50);
        run("two", "sales-report@2026-11-29T10:00:00Z", 30, 60);
        assertThat(judge().mostAtOnce()).isEqualTo(3);

        kill = new Kill("one", 20);
        assertThat(judge().mostAtOnce()).isEqualTo(2);
    }

    @Test
    void scheduledTasksWaitForPermitsSoTheyExcuseNoLateness() {
        published.addAll(Firings.expected(Set.of(), 0, 5_000_000));
        for (Published firing : published) {
            run("one", firing.task().id(), 30_000_000 + token, 30_000_000 + token);
        }

        assertThat(judge().passed()).isTrue();
        assertThat(judge().waitMicros()).isZero();
    }

    @Test
    void latenessCountsFromTheMessagesTimestampAndItsDelay() {
        DemoTask task = new DemoTask("r", "reminders", null, 0, Duration.ofMillis(500), 1, 0, PlannedEnd.SUCCEEDS);
        published.add(new Published(task, 1_000_000));
        run("one", "r", 1_503_000, 1_504_000);

        assertThat(judge().lateness()).containsExactly(3_000L);
        assertThat(judge().passed()).isTrue();

        logs.clear();
        run("one", "r", 1_490_000, 1_504_000);
        assertThat(judge().early()).containsExactly("r");

        logs.clear();
        run("one", "r", 1_500_000 + DemoCheck.LATEST_MICROS + 1, 100_000_000);
        assertThat(judge().passed()).isFalse();
    }

    @Test
    void delayedTasksMayWaitAsLongAsOtherTasksDo() {
        published.add(new Published(
                new DemoTask("p", "reminders", null, 0, Duration.ZERO, 1, 0, PlannedEnd.SUCCEEDS), 1_000_000));
        published.add(new Published(
                new DemoTask("r", "reminders", null, 0, Duration.ofMillis(500), 1, 0, PlannedEnd.SUCCEEDS), 1_000_000));
        run("one", "p", 8_000_000, 8_001_000);
        run("one", "r", 8_500_000 + DemoCheck.LATEST_MICROS, 100_000_000);
        assertThat(judge().passed()).isTrue();

        run("one", "p", 7_999_999, 7_999_999);
        assertThat(judge().waitMicros()).isEqualTo(6_999_999);
        assertThat(judge().inTime()).isFalse();
    }

    @Test
    void eventsAreReadBackAndUnfinishedLinesIgnored(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("executor.events");
        DemoEvent start = new DemoEvent(Kind.START, 1_795_220_475_260_000L, "order-1-paid", 2, 17);
        DemoEvent success = new DemoEvent(Kind.SUCCESS, 1_795_220_475_267_123L, "order-1-paid", 2, 17);
        EventTail tail = new EventTail();
        tail.follow("one", file);
        assertThat(tail.read()).isZero();

        try (JsonLinesLog<DemoEvent> log = new JsonLinesLog<>(file)) {
            log.write(start);
            assertThat(tail.read()).isEqualTo(1);
            assertThat(tail.runningOn("one")).containsExactly("order-1-paid");
            log.write(success);
        }
        Files.writeString(file, "{\"kind\":\"SUCCESS\",\"micros\":17952204", StandardOpenOption.APPEND);

        assertThat(tail.read()).isEqualTo(1);
        assertThat(tail.read()).isZero();
        assertThat(tail.events()).containsExactly(Map.entry("one", List.of(start, success)));
        assertThat(tail.finished()).containsExactly("order-1-paid");
        assertThat(tail.runningOn("one")).isEmpty();
    }

    @Test
    void sameSeedGivesTheSameWorkload() {
        List<DemoTask> tasks = new DemoWorkload(7, true, "").tasks(120);

        assertThat(tasks).isEqualTo(new DemoWorkload(7, true, "").tasks(120));
        assertThat(tasks).extracting(DemoTask::id).doesNotHaveDuplicates();
        assertThat(tasks)
                .filteredOn(task -> task.queue().equals(DemoWorkload.ORDERS))
                .hasSize(600);
        assertThat(tasks)
                .filteredOn(task -> "customer-1".equals(task.key()))
                .extracting(DemoTask::end)
                .containsExactly(
                        PlannedEnd.SUCCEEDS, PlannedEnd.DIES, PlannedEnd.WAITS, PlannedEnd.WAITS, PlannedEnd.WAITS);
        assertThat(tasks).filteredOn(DemoTask::waits).hasSize(3);
        assertThat(new DemoWorkload(7, false, "").tasks(120))
                .noneMatch(task -> task.queue().equals(DemoWorkload.MAILS));
    }

    /** Publishes a task that dies and two that wait behind it. @return the id of the one that dies */
    private String haltedCustomer() {
        for (int number = 0; number < 3; number++) {
            PlannedEnd end = number == 0 ? PlannedEnd.DIES : PlannedEnd.WAITS;
            published.add(
                    new Published(new DemoTask("c-" + number, "invoices", "c", number, Duration.ZERO, 1, 0, end), 0));
        }
        event("one", Kind.START, 10, "c-0", ++token);
        event("one", Kind.DEAD, 20, "c-0", token);
        return "c-0";
    }

    private void step(String key, int step) {
        DemoTask task = new DemoTask(key + "-" + step, "orders", key, step, Duration.ZERO, 1, 0, PlannedEnd.SUCCEEDS);
        published.add(new Published(task, 0));
    }

    private void run(String executor, String id, long start, long end) {
        token++;
        event(executor, Kind.START, start, id, token);
        event(executor, Kind.SUCCESS, end, id, token);
    }

    private void event(String executor, Kind kind, long micros, String id, long eventToken) {
        logs.computeIfAbsent(executor, name -> new ArrayList<>()).add(new DemoEvent(kind, micros, id, 1, eventToken));
    }

    private DemoVerdict judge() {
        return DemoCheck.judge(published, logs, kill, halted);
    }
}
