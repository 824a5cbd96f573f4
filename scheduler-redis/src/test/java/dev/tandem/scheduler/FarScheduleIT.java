package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.Envelope;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.Task;
import dev.tandem.task.TaskState;
import dev.tandem.task.store.Incarnation;
import dev.tandem.task.store.RequestHeader;
import dev.tandem.task.store.SettledMark;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreAnswer.DueTask;
import dev.tandem.task.store.StoreRequest;
import dev.tandem.task.store.StoreRequest.Claim;
import dev.tandem.task.store.StoreRequest.HandOver;
import dev.tandem.task.store.StoreRequest.Move;
import dev.tandem.task.store.StoreRequest.PresentedClaim;
import dev.tandem.task.store.StoreRequest.Settle;
import dev.tandem.task.store.StoreRequest.Verdict;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tasks scheduled for far-off times, at times that the test sets. */
class FarScheduleIT {

    /** Later than Redis's clock, which operators' changes use. */
    private static final long START = 4_000_000_000_000L;

    private static final long HOUR = 3_600_000;

    private final String name = UniqueNames.fresh("far");
    private final Partition partition = Partition.of(name, 0);
    private FixedTimeScripts scripts;
    private RedisStore store;
    private long now = START;
    private long number;
    private long epoch;
    private long token;

    @BeforeEach
    void acquire() {
        store = RedisStore.open(RedisSettings.of(Brokers.redis().uri()));
        scripts = FixedTimeScripts.on(Brokers.redis().client());
        scripts.setRunId(partition, "run");
        acquire(List.of());
    }

    @AfterEach
    void close() {
        if (store != null) {
            store.close();
            scripts.close();
        }
    }

    @Test
    void everyFarOffTaskIsClaimedOnceWhenItIsDue() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        Set<Long> missing = new HashSet<>();
        for (int batch = 0; batch < 20; batch++) {
            List<HandOver> entries = new ArrayList<>();
            for (int i = 0; i < 250; i++) {
                long offset = batch * 250L + i;
                long at = now + random.nextInt((int) (2 * HOUR));
                entries.add(new HandOver(
                        Position.of(0, offset), null, SettledMark.NONE, new Move.Schedule(at), envelope(at)));
                missing.add(offset);
            }
            takeCustody(entries);
        }
        assertThat(commands().zcard(key("scheduled"))).as("seed %d", seed).isLessThan(1_000);
        assertThat(count()).isEqualTo(5_000);

        for (int steps = 0; !missing.isEmpty(); steps++) {
            assertThat(steps).as("seed %d", seed).isLessThan(40_000);
            StoreAnswer.DueTasks due = due();
            for (DueTask task : due.claimed()) {
                long at = Envelope.decode(name, task.envelope()).task().notBefore();
                assertThat(at).as("seed %d", seed).isLessThanOrEqualTo(now);
                assertThat(missing.remove(Long.parseLong(task.position().text().substring(2))))
                        .isTrue();
                settle(task.position(), task.token(), new Verdict.Success(null));
            }
            if (due.nextDueMillis() > 0) {
                now += due.nextDueMillis();
            }
        }
        assertThat(count()).isZero();
        assertThat(commands().exists(key("scheduled"), key("minutes"), key("tasks")))
                .isZero();
        assertThat(commands().hgetall(key("later"))).containsExactly(Map.entry("count", "0"));
    }

    @Test
    void aFarOffTaskWithAPresentedClaimRunsOnce() {
        Position position = schedule(1, now + HOUR);
        long claimed = epoch - 1;
        StoreAnswer.Acquired acquired =
                acquire(List.of(new PresentedClaim(position, claimed, null, 1, SettledMark.NONE)));
        assertThat(acquired.presentedTokens()).containsExactly(claimed);
        settle(position, claimed, new Verdict.Retry(0, new Envelope(task(0), 1, claimed, "x").encode()));
        now += 2 * HOUR;
        assertThat(due().claimed()).extracting(DueTask::position).containsExactly(position);
        assertThat(due().claimed()).isEmpty();
    }

    @Test
    void aFarOffTaskThatWasClaimedEarlyRunsOnce() {
        Position position = schedule(1, now + HOUR);
        long claimed = ++token;
        assertThat(ask(
                                new StoreRequest.SettleAndClaim(
                                        header(),
                                        10_000,
                                        Incarnation.of(0),
                                        0,
                                        List.of(),
                                        List.of(new Claim(position, claimed, null, true))),
                                StoreAnswer.SettledAndClaimed.class)
                        .claims())
                .containsExactly(StoreAnswer.ClaimResult.Ok.FIRST);
        settle(position, claimed, new Verdict.Returned());
        now += 2 * HOUR;
        assertThat(due().claimed()).extracting(DueTask::position).containsExactly(position);
        assertThat(due().claimed()).isEmpty();
    }

    @Test
    void operatorsListRetryAndDeleteFarOffTasks() {
        for (int offset = 1; offset <= 200; offset++) {
            schedule(offset, now + HOUR + offset % 7 * 60_000);
        }
        schedule(300, now + 1_000);
        List<TaskView> seen = new ArrayList<>();
        String cursor = null;
        do {
            ResultPage<TaskView> page = store.inspector()
                    .tasks(partition, TaskState.SCHEDULED, cursor, 30)
                    .join();
            assertThat(page.items()).hasSizeLessThanOrEqualTo(30);
            seen.addAll(page.items());
            cursor = page.next();
        } while (cursor != null);
        assertThat(seen).hasSize(201).doesNotHaveDuplicates();
        assertThat(seen.get(0).position()).isEqualTo(Position.of(0, 300));
        TaskView far =
                store.inspector().task(partition, Position.of(0, 9)).join().orElseThrow();
        assertThat(far.state()).isEqualTo(TaskState.SCHEDULED);
        assertThat(far.at()).isEqualTo(now + HOUR + 2 * 60_000);

        assertThat(count()).isEqualTo(201);
        assertThat(store.admin().retry(partition, Position.of(0, 9)).join()).isEqualTo(Admin.Result.DONE);
        assertThat(count()).isEqualTo(201);
        assertThat(store.admin().delete(partition, Position.of(0, 10)).join()).isEqualTo(Admin.Result.DONE);
        assertThat(count()).isEqualTo(200);
        assertThat(due().claimed()).extracting(DueTask::position).containsExactly(Position.of(0, 9));
        now += 2 * HOUR;
        Set<Position> ran = new HashSet<>();
        StoreAnswer.DueTasks due = due();
        while (!due.claimed().isEmpty()) {
            due.claimed().forEach(task -> assertThat(ran.add(task.position())).isTrue());
            due = due();
        }
        assertThat(ran).hasSize(201 - 2).doesNotContain(Position.of(0, 9), Position.of(0, 10));
        assertThat(count()).isZero();
        assertThat(commands().hgetall(key("later"))).containsExactly(Map.entry("count", "0"));
    }

    private StoreAnswer.Acquired acquire(List<PresentedClaim> presented) {
        StoreRequest.Acquire request = new StoreRequest.Acquire(
                new RequestHeader(partition, "w", ++number, 0), "one", 10_000, 1, "", -1, presented);
        StoreAnswer.Acquired acquired = ask(request, StoreAnswer.Acquired.class);
        epoch = acquired.epoch();
        token = epoch;
        return acquired;
    }

    private Position schedule(long offset, long at) {
        Position position = Position.of(0, offset);
        takeCustody(List.of(new HandOver(position, null, SettledMark.NONE, new Move.Schedule(at), envelope(at))));
        return position;
    }

    private void takeCustody(List<HandOver> entries) {
        assertThat(ask(
                                new StoreRequest.TakeCustody(header(), Incarnation.of(0), 0, 10, 10, entries),
                                StoreAnswer.CustodyTaken.class)
                        .results())
                .containsOnly(StoreAnswer.HandOverResult.OK);
    }

    private void settle(Position position, long claimed, Verdict verdict) {
        assertThat(ask(
                                new StoreRequest.SettleAndClaim(
                                        header(),
                                        10_000,
                                        Incarnation.of(0),
                                        0,
                                        List.of(new Settle(position, claimed, null, SettledMark.NONE, verdict, 0)),
                                        List.of()),
                                StoreAnswer.SettledAndClaimed.class)
                        .settles())
                .containsExactly(StoreAnswer.SettleResult.Ok.PLAIN);
    }

    private StoreAnswer.DueTasks due() {
        StoreAnswer.DueTasks due =
                ask(new StoreRequest.ClaimDue(header(), 10_000, 100, 0, token + 1, false), StoreAnswer.DueTasks.class);
        token += due.claimed().size();
        return due;
    }

    private RequestHeader header() {
        return new RequestHeader(partition, "w", ++number, epoch);
    }

    private <T extends StoreAnswer> T ask(StoreRequest request, Class<T> type) {
        scripts.setTime(partition, now);
        return type.cast(scripts.ask(request));
    }

    private long count() {
        return store.inspector().counts(partition).join().tasks().get(TaskState.SCHEDULED);
    }

    private Task task(long at) {
        return Task.of(name, null, new byte[] {1}).withNotBefore(at);
    }

    private byte[] envelope(long at) {
        return Envelope.of(task(at)).encode();
    }

    private String key(String part) {
        return "tandem:{" + partition + "}:" + part;
    }

    private static RedisCommands<String, String> commands() {
        return Brokers.redis().commands();
    }
}
