package dev.tandem.runtime.schedules;

import static dev.tandem.runtime.schedules.ScheduleFixtures.at;
import static dev.tandem.testkit.Brokers.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.api.Misfire;
import dev.tandem.api.Overlap;
import dev.tandem.api.TaskRequest;
import dev.tandem.runtime.Tandem;
import dev.tandem.runtime.TandemBuilder;
import dev.tandem.runtime.it.SuiteRedis;
import dev.tandem.scheduler.RedisStore;
import dev.tandem.scheduler.TaskView;
import dev.tandem.task.TaskState;
import dev.tandem.task.schedule.ScheduleBook;
import dev.tandem.task.schedule.ScheduleBook.Change;
import dev.tandem.task.schedule.ScheduleBook.Definition;
import dev.tandem.task.schedule.ScheduleBook.Entry;
import dev.tandem.task.schedule.ScheduleBook.Result;
import dev.tandem.testkit.UniqueNames;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Programs with the same schedule, over one kind of broker and a real Redis. Their clock is the test's, so that an outage of an
 * hour takes no time.
 */
@Execution(ExecutionMode.CONCURRENT)
abstract class SchedulesSuite {

    private final String queue = UniqueNames.fresh("reports");
    private final String id = UniqueNames.fresh("nightly");
    private final AtomicLong now = new AtomicLong(at("2026-10-24T20:00:00Z"));
    private final Reports reports = new Reports();
    private final List<String> ran = reports.ran;
    private final List<AutoCloseable> closing = new ArrayList<>();
    private RedisStore store;
    private Tandem tandem;

    /** Returns where the broker is: the setting's name and its value. */
    abstract Map.Entry<String, String> broker();

    private SuiteRedis redis() {
        return SuiteRedis.of(broker().getKey().contains("kafka") ? "kafka" : "rabbit");
    }

    @BeforeEach
    void start() {
        store = redis().open();
        tandem = program()
                .queue(queue)
                .handler("report", String.class, reports::run)
                .setting("ordering", "key")
                .setting("partitions", "2")
                .start();
        // The topic or queue is there, and somebody runs its tasks.
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(tandem.status().problems()).isEmpty());
        await().atMost(PATIENCE)
                .ignoreExceptions()
                .until(() -> tandem.client()
                                .submit(TaskRequest.of(queue, "report", "first"))
                                .await(Duration.ofSeconds(10))
                        != null);
        await().atMost(PATIENCE).until(() -> reports.begun.getCount() == 0);
    }

    private TandemBuilder program() {
        TandemBuilder builder = redis().addTo(Tandem.builder()).shutdownHook(false);
        return broker().getKey().contains("kafka")
                ? builder.kafka(broker().getValue())
                : builder.rabbit(broker().getValue());
    }

    @AfterEach
    void stop() throws Exception {
        reports.released.countDown();
        for (AutoCloseable each : closing) {
            each.close();
        }
        tandem.close();
        store.close();
    }

    private final class Program extends FiringProgram {

        Program(Schedule schedule) {
            super(tandem, store, now, schedule);
            closing.add(this);
            await("announcement").atMost(PATIENCE).until(() -> entry() != null);
        }
    }

    private Entry entry() {
        return store.schedules().list().toCompletableFuture().join().stream()
                .filter(each -> each.id().equals(id))
                .findFirst()
                .orElse(null);
    }

    private void moveTo(String instant, Program... programs) {
        now.set(at(instant));
        for (Program each : programs) {
            each.runner.announceNow();
        }
    }

    private void awaitRan(String... instants) {
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(ran).containsExactlyInAnyOrder(ids(instants)));
    }

    private void awaitFired(String instant) {
        await().atMost(PATIENCE)
                .untilAsserted(
                        () -> assertThat(Instant.ofEpochMilli(entry().fired())).isEqualTo(Instant.parse(instant)));
    }

    private String[] ids(String... instants) {
        return Stream.of(instants).map(each -> id + "@" + each).toArray(String[]::new);
    }

    private Schedule schedule(Duration interval) {
        return of(new Timing.Every(interval), Misfire.ONE, Overlap.ALLOW, "plain");
    }

    private Schedule of(Timing timing, Misfire misfire, Overlap overlap, String payload) {
        return new Schedule(
                id, queue, "report", null, payload, timing, misfire, Duration.ofMinutes(1), 3, overlap, Duration.ZERO);
    }

    @Test
    void eachInstantHasOneTaskAlsoIfAProgramDiesBetweenClaimAndSubmission() {
        Schedule schedule = schedule(Duration.ofMinutes(1));
        Program first = new Program(schedule);
        Program second = new Program(schedule);
        moveTo("2026-10-24T20:01:00Z", first, second);
        awaitFired("2026-10-24T20:01:00Z");

        // Alone, it claims. Then it is gone.
        first.diesBeforeSubmission = true;
        moveTo("2026-10-24T20:02:00Z", first);
        await().atMost(PATIENCE).until(() -> first.submitted.contains(id + "@2026-10-24T20:02:00Z"));
        // Before the claim has ended, nobody else may submit.
        moveTo("2026-10-24T20:02:05Z", second);
        assertThat(second.submitted).doesNotContain(id + "@2026-10-24T20:02:00Z");
        moveTo("2026-10-24T20:02:11Z", second);
        awaitFired("2026-10-24T20:02:00Z");
        moveTo("2026-10-24T20:03:00Z", second);

        awaitFired("2026-10-24T20:03:00Z");
        awaitRan("2026-10-24T20:01:00Z", "2026-10-24T20:02:00Z", "2026-10-24T20:03:00Z");
        assertThat(entry().firings()).isEqualTo(3);
    }

    @Test
    void aCreatedScheduleIsFiredByAProgramWithItsQueueUntilItIsDeleted() {
        ScheduleBook book = store.schedules();
        Definition first = ScheduleJson.definition(schedule(Duration.ofSeconds(1)));
        assertThat(get(book.define(get(book.now()), first, ScheduleBook.NO_VERSION)))
                .isEqualTo(Result.DONE);
        await().atMost(PATIENCE).until(() -> ran.size() >= 2);
        assertThat(ran).doesNotHaveDuplicates().allMatch(each -> each.startsWith(id + "@"));

        Definition second = ScheduleJson.definition(
                of(new Timing.Every(Duration.ofDays(3_000)), Misfire.ONE, Overlap.ALLOW, "plain"));
        assertThat(get(book.define(get(book.now()), second, first.version()))).isEqualTo(Result.DONE);
        // A firing of the former timing that is marked from now on is not counted.
        int before = Math.toIntExact(entry().firings());
        assertThat(get(book.change(get(book.now()), id, Change.FIRE))).isEqualTo(Result.DONE);
        await().atMost(PATIENCE).until(() -> entry().asked() == ScheduleBook.NONE);
        assertThat(entry().firings()).isEqualTo(before + 1);
        await().atMost(PATIENCE).until(() -> ran.size() > before);
        assertThat(ran).doesNotHaveDuplicates().hasSizeBetween(before + 1, before + 2);

        assertThat(get(book.change(get(book.now()), id, Change.FORGET))).isEqualTo(Result.DONE);
        assertThat(get(book.find(id))).isEmpty();
    }

    private static <T> T get(CompletionStage<T> answer) {
        return answer.toCompletableFuture().join();
    }

    @Test
    void aDeathBetweenAcceptanceAndMarkRepeatsTheTaskWithTheSameId() {
        Schedule schedule = schedule(Duration.ofMinutes(1));
        Program first = new Program(schedule);
        first.diesBeforeMark = true;
        moveTo("2026-10-24T20:01:00Z", first);
        await().atMost(PATIENCE).until(() -> ran.contains(id + "@2026-10-24T20:01:00Z"));
        Program second = new Program(schedule);
        moveTo("2026-10-24T20:01:12Z", second);
        awaitFired("2026-10-24T20:01:00Z");
        assertThat(second.submitted).containsExactly(id + "@2026-10-24T20:01:00Z");
        assertThat(entry().firings()).isEqualTo(1);
        await("the copy is a duplicate")
                .atMost(PATIENCE)
                .until(() -> store.inspector().tasks(queue, id + "@2026-10-24T20:01:00Z", 10).join().stream()
                        .map(TaskView::success)
                        .anyMatch(success -> success != null && success.duplicateOf() != null));
        awaitRan("2026-10-24T20:01:00Z");
    }

    @Test
    void anOutageFiresOnceByDefault() {
        afterAnOutage(Misfire.ONE, "2026-10-24T23:00:00Z");
        assertThat(entry().missed()).isEqualTo(4);
    }

    @Test
    void anOutageFiresAllUpToTheBoundIfThatIsWanted() {
        afterAnOutage(Misfire.ALL, "2026-10-24T22:00:00Z", "2026-10-24T22:30:00Z", "2026-10-24T23:00:00Z");
        assertThat(entry().missed()).isEqualTo(2);
    }

    @Test
    void anOutageFiresNoneIfThatIsWanted() {
        afterAnOutage(Misfire.NONE);
        assertThat(entry().missed()).isEqualTo(5);
    }

    private void afterAnOutage(Misfire misfire, String... fired) {
        Schedule schedule = of(new Timing.Every(Duration.ofMinutes(30)), misfire, Overlap.ALLOW, "plain");
        Program before = new Program(schedule);
        moveTo("2026-10-24T20:30:00Z", before);
        awaitFired("2026-10-24T20:30:00Z");
        before.close();

        now.set(at("2026-10-24T23:20:00Z"));
        Program after = new Program(schedule);
        awaitFired("2026-10-24T23:00:00Z");
        moveTo("2026-10-24T23:30:00Z", after);
        awaitFired("2026-10-24T23:30:00Z");

        List<String> all = new ArrayList<>(List.of("2026-10-24T20:30:00Z", "2026-10-24T23:30:00Z"));
        all.addAll(List.of(fired));
        awaitRan(all.toArray(String[]::new));
    }

    @Test
    void anHourThatComesTwiceFiresATimeOfTheDayOnce() {
        Timing night = new Timing.Cron(CronExpression.parse("0 30 2 * * *"), ZoneId.of("Europe/Berlin"));
        Program program = new Program(of(night, Misfire.ONE, Overlap.ALLOW, "plain"));
        moveTo("2026-10-25T00:30:00Z", program);
        awaitFired("2026-10-25T00:30:00Z");
        // The second half past two of that night.
        moveTo("2026-10-25T01:30:00Z", program);
        moveTo("2026-10-26T01:30:00Z", program);
        awaitFired("2026-10-26T01:30:00Z");
        awaitRan("2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z");
    }

    @Test
    void aFiringIsSkippedWhileTheTaskOfAnEarlierOneRuns() {
        Program program = new Program(of(new Timing.Every(Duration.ofMinutes(1)), Misfire.ONE, Overlap.SKIP, "wait"));
        moveTo("2026-10-24T20:01:00Z", program);
        awaitRan("2026-10-24T20:01:00Z");
        awaitFired("2026-10-24T20:01:00Z");
        moveTo("2026-10-24T20:02:00Z", program);
        awaitFired("2026-10-24T20:02:00Z");
        assertThat(entry().skipped()).isEqualTo(1);

        reports.released.countDown();
        // Its success is known once it is settled.
        await().atMost(PATIENCE)
                .until(() -> !store.inspector()
                        .tasks(queue, id + "@2026-10-24T20:01:00Z", 1)
                        .join()
                        .isEmpty());
        moveTo("2026-10-24T20:03:00Z", program);
        awaitFired("2026-10-24T20:03:00Z");
        awaitRan("2026-10-24T20:01:00Z", "2026-10-24T20:03:00Z");
    }

    @Test
    void tasksOfFiringsRunOneAfterTheOtherIfThatIsWanted() {
        Program program = new Program(of(new Timing.Every(Duration.ofMinutes(1)), Misfire.ONE, Overlap.QUEUE, "wait"));
        String[] instants = {"2026-10-24T20:01:00Z", "2026-10-24T20:02:00Z", "2026-10-24T20:03:00Z"};
        for (String instant : instants) {
            moveTo(instant, program);
            awaitFired(instant);
        }
        awaitRan(instants[0]);

        reports.released.countDown();
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(ran).containsExactly(ids(instants)));
        assertThat(reports.mostAtOnce).hasValue(1);
    }

    @Test
    void theTaskOfAnEarlierFiringIsCancelledWhileItRuns() {
        Program program = new Program(of(new Timing.Every(Duration.ofMinutes(1)), Misfire.ONE, Overlap.CANCEL, "wait"));
        moveTo("2026-10-24T20:01:00Z", program);
        awaitRan("2026-10-24T20:01:00Z");
        awaitFired("2026-10-24T20:01:00Z");

        moveTo("2026-10-24T20:02:00Z", program);

        await().atMost(PATIENCE)
                .until(() -> store.inspector().tasks(queue, id + "@2026-10-24T20:01:00Z", 1).join().stream()
                        .anyMatch(each -> each.state() == TaskState.CANCELLED));
        moveTo("2026-10-24T20:02:02Z", program);
        awaitRan("2026-10-24T20:01:00Z", "2026-10-24T20:02:00Z");
        reports.released.countDown();
    }

    @Test
    void operatorsPauseResumeAndFireNow() {
        Program program = new Program(schedule(Duration.ofMinutes(1)));
        change(Change.PAUSE);
        moveTo("2026-10-24T20:01:00Z", program);
        moveTo("2026-10-24T20:01:30.500Z", program);
        // Nobody can be asked before it was announced at this time.
        await().atMost(PATIENCE).until(() -> entry().seen() == now.get());
        change(Change.FIRE);
        program.runner.announceNow();
        awaitRan("2026-10-24T20:01:30.500Z");
        change(Change.RESUME);
        moveTo("2026-10-24T20:02:00Z", program);
        awaitFired("2026-10-24T20:02:00Z");
        awaitRan("2026-10-24T20:01:30.500Z", "2026-10-24T20:02:00Z");
        assertThat(entry().missed()).isZero();
    }

    private void change(Change change) {
        assertThat(store.schedules()
                        .change(now.get(), id, change)
                        .toCompletableFuture()
                        .join())
                .isEqualTo(Result.DONE);
    }

    @Test
    void theDefinitionOfTheProgramThatStartedLastCounts() {
        Program old = new Program(schedule(Duration.ofMinutes(1)));
        now.addAndGet(5_000);
        Program fresh = new Program(schedule(Duration.ofMinutes(7)));
        await().atMost(PATIENCE).until(() -> entry().definition().contains("PT7M"));
        long next = new Timing.Every(Duration.ofMinutes(7))
                .next(Instant.ofEpochMilli(now.get()))
                .toEpochMilli();
        // A definition counts for a minute after it was announced.
        for (long each = now.get(); each <= next; each += Math.max(1, Math.min(30_000, next - each))) {
            now.set(each);
            fresh.runner.announceNow();
            await().atMost(PATIENCE).until(() -> entry().seen() == now.get());
            old.runner.announceNow();
        }
        awaitFired(Instant.ofEpochMilli(next).toString());
        awaitRan(Instant.ofEpochMilli(next).toString());
        assertThat(old.submitted).isEmpty();

        // Once no program has it any more, the older definition counts again.
        fresh.close();
        now.addAndGet(70_000);
        old.runner.announceNow();
        await().atMost(PATIENCE).until(() -> entry().definition().contains("PT1M"));
    }

    @Test
    void aProgramFiresWhatItWasBuiltWith() {
        String own = UniqueNames.fresh("seconds");
        try (Tandem fires = program()
                .recurring(
                        own,
                        each -> each.queue(queue)
                                .type("report")
                                .every(Duration.ofSeconds(1))
                                .payload("plain"))
                .queue(queue)
                .handler("report", String.class, reports::run)
                .setting("ordering", "key")
                .setting("partitions", "2")
                .start()) {
            await().atMost(PATIENCE)
                    .until(() ->
                            ran.stream().filter(each -> each.startsWith(own)).count() >= 2);
            assertThat(fires.status().healthy()).isTrue();
        }
        assertThat(ran).doesNotHaveDuplicates();
    }
}
