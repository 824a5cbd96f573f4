package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.AttemptHistory;
import dev.tandem.task.AttemptRecord;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.TaskState;
import dev.tandem.task.store.SettledMark;
import dev.tandem.task.store.StoreRequest.Settle;
import dev.tandem.task.store.StoreRequest.Verdict;
import dev.tandem.task.store.SuccessRecord;
import dev.tandem.task.store.TaskEnd;
import dev.tandem.testkit.Brokers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Records of tasks that succeeded are found by id, listed and trimmed. */
class KeptSuccessesIT extends OperatorTestBase {

    private static final int SUCCESSES = 22;
    private static final int SUCCESS_IDS = 23;

    @Test
    void aTaskThatSucceededIsFoundByItsIdItsPositionAndItsDefaultId() {
        succeed(Map.of(1L, kept("order-1", "1\t1799999999000\t30\texecutor-two\tHTTP status 500")));
        succeed(Map.of(2L, kept(null, null)));

        TaskView found = only(get(store.inspector().tasks(queue, "order-1", 10)));
        assertThat(found.position()).isEqualTo(Position.of(0, 1));
        assertThat(found.state()).isEqualTo(TaskState.SUCCEEDED);
        assertThat(found.at()).isEqualTo(1_800_000_000_012L);
        assertThat(found.success()).isEqualTo(new TaskView.Success(1_800_000_000_000L, 12, "executor-one"));
        assertThat(found.envelope().attempts()).isEqualTo(2);
        assertThat(found.envelope().task().key()).isEqualTo("key");
        assertThat(found.envelope().task().type()).isEqualTo("type");
        assertThat(AttemptHistory.of(found.envelope().task()))
                .containsExactly(new AttemptRecord(1, 1_799_999_999_000L, 30, "executor-two", "HTTP status 500"));

        assertThat(get(store.inspector().task(partition, Position.of(0, 1)))).contains(found);
        TaskView byDefault = only(get(store.inspector().tasks(queue, "topic:0:2", 10)));
        assertThat(byDefault.position()).isEqualTo(Position.of(0, 2));
        assertThat(get(store.inspector().tasks(queue, "order-2", 10))).isEmpty();
    }

    @Test
    void ofSeveralSuccessesWithOneIdTheLatestIsFound() {
        succeed(Map.of(1L, kept("same", null)));
        succeed(Map.of(2L, new SuccessRecord("same", null, null, 1, 1_800_000_100_000L, 1, "executor-one", null)));
        assertThat(only(get(store.inspector().tasks(queue, "same", 10))).position())
                .isEqualTo(Position.of(0, 2));
    }

    @Test
    void anOutcomeThatIsNotRecordedOrAgainIsNotKeptTwice() {
        long token = claim(1, null);
        Settle first = settle(1, token, "once");
        owner.settleAndClaim(List.of(first), List.of());
        long other = claim(2, null);
        owner.settleAndClaim(List.of(first, settle(2, other, "next"), settle(3, other, "never")), List.of());
        assertThat(offsets(TaskState.SUCCEEDED)).containsExactly(2L, 1L);
        assertThat(get(store.inspector().tasks(queue, "never", 10))).isEmpty();
    }

    @Test
    void tasksThatExpiredAreFoundListedAndCountedApart() {
        Map<Long, SuccessRecord> ends = new LinkedHashMap<>();
        ends.put(1L, kept("one", null));
        ends.put(2L, ended("two", TaskEnd.EXPIRED));
        ends.put(3L, ended("three", TaskEnd.CANCELLED));
        ends.put(4L, ended("four", TaskEnd.EXPIRED));
        succeed(ends);

        assertThat(offsets(TaskState.SUCCEEDED)).containsExactly(1L);
        assertThat(offsets(TaskState.EXPIRED)).containsExactly(4L, 2L);
        assertThat(offsets(TaskState.CANCELLED)).containsExactly(3L);
        assertThat(offsets(get(store.inspector().tasks(queue, TaskState.EXPIRED, null, 1))))
                .containsExactly(4L);
        assertThat(offsets(get(store.inspector().allTasks(queue, null, null, 10, null, ReadBudget.forList()))))
                .containsExactly(4L, 3L, 2L, 1L);
        assertThat(only(get(store.inspector().tasks(queue, "four", 10))).state())
                .isEqualTo(TaskState.EXPIRED);
        assertThat(get(store.inspector().counts(partition)).totals())
                .isEqualTo(Map.of("succeeded", 1L, "expired", 2L, "cancelled", 1L));
    }

    @Test
    void oneThatExpiredIsFoundAmongManySuccesses() {
        succeed(Map.of(1L, ended("one", TaskEnd.EXPIRED)));
        for (long from = 2; from < 1_202; from += 300) {
            Map<Long, SuccessRecord> successes = new LinkedHashMap<>();
            LongStream.range(from, from + 300).forEach(offset -> successes.put(offset, kept(null, null)));
            succeed(successes);
        }
        ResultPage<TaskView> page = get(store.inspector().tasks(queue, TaskState.EXPIRED, null, 10));
        assertThat(offsets(page)).containsExactly(1L);
        assertThat(page.next()).isNull();
    }

    /** The index is read in slices, of which most have nothing. The first is smaller than the others. */
    @Test
    void successesAreFoundAcrossSlices() {
        int pages = 1_000;
        for (long offset = 0; offset < pages; offset++) {
            boolean expired = offset % 333 == 0;
            succeed(Map.of(offset, expired ? ended("id-" + offset, TaskEnd.EXPIRED) : kept("id-" + offset, null)));
        }
        for (long offset : new long[] {0, 1, 149, 150, 151, 549, 550, 551, 948, 949, 950, 951, 999}) {
            assertThat(get(store.inspector().tasks(queue, "id-" + offset, 10)))
                    .extracting(TaskView::position)
                    .containsExactly(Position.of(0, offset));
        }
        assertThat(get(store.inspector().tasks(queue, "id-" + pages, 10))).isEmpty();
        assertThat(offsets(TaskState.EXPIRED)).containsExactly(999L, 666L, 333L, 0L);
        ReadBudget little = new ReadBudget(5_000, 30, Duration.ofMinutes(5));
        ResultPage<TaskView> some =
                get(store.inspector().tasks(queue, null, TaskState.EXPIRED, null, 10, null, little));
        assertThat(offsets(some)).as("of 1,800 bytes of the index").containsExactly(999L);
        assertThat(some.next()).isNotNull();
    }

    /** The first slice says little of how large the next entries are. */
    @Test
    void aSliceOfTheIndexIsAtMostTwiceAsLongAsTheOneBefore() {
        byte[] ids = store.adminConnection().keys().of(partition)[SUCCESS_IDS];
        get(store.adminConnection().run(commands -> {
            for (int i = 0; i < 400; i++) {
                commands.rpush(ids, new byte[4_000]);
            }
            for (int i = 0; i < 49; i++) {
                commands.rpush(ids, new byte[17]);
            }
            return commands.rpush(ids, new byte[17]);
        }));
        assertThat(CountedReads.bytes(
                        store.adminConnection(), Script.FIND_SUCCESSES, partition, "none", "", "10", "65536"))
                .as("100 of the large entries")
                .isLessThan(101 * 4_000);
    }

    private static SuccessRecord ended(String id, TaskEnd end) {
        return new SuccessRecord(id, "type", "key", 0, 1_800_000_000_000L, 0, "executor-one", null, end);
    }

    @Test
    void successesAreListedLatestFirstPageByPage() {
        for (long offset = 0; offset < 30; offset += 10) {
            Map<Long, SuccessRecord> successes = new LinkedHashMap<>();
            for (long each = offset; each < offset + 10; each++) {
                successes.put(each, kept(null, null));
            }
            succeed(successes);
        }
        List<Long> listed = new ArrayList<>();
        @Nullable String cursor = null;
        do {
            ResultPage<TaskView> page = page(TaskState.SUCCEEDED, cursor, 7);
            listed.addAll(offsets(page));
            cursor = page.next();
        } while (cursor != null);
        assertThat(listed)
                .containsExactlyElementsOf(
                        LongStream.range(0, 30).map(i -> 29 - i).boxed().toList());
    }

    @Test
    void pagesGoByCountAndBytesAndAge() {
        for (long offset = 0; offset < 20; offset++) {
            succeed(Map.of(offset, kept("id-" + offset, null)));
        }
        assertThat(trim(Duration.ofDays(1), 12, 1 << 20)).isEqualTo(8);
        assertThat(offsets(TaskState.SUCCEEDED)).hasSize(12).startsWith(19L).endsWith(8L);
        assertThat(get(store.inspector().tasks(queue, "id-7", 10))).isEmpty();
        assertThat(get(store.inspector().tasks(queue, "id-8", 10))).hasSize(1);

        assertThat(trim(Duration.ofDays(1), 12, 500)).isBetween(1L, 11L);
        assertThat(offsets(TaskState.SUCCEEDED)).startsWith(19L);
        String cursor = page(TaskState.SUCCEEDED, null, 1).next();
        assertThat(trim(Duration.ZERO, 12, 1 << 20)).isPositive();
        assertThat(page(TaskState.SUCCEEDED, cursor, 10).items())
                .as("a cursor of what has gone")
                .isEmpty();
        assertThat(offsets(TaskState.SUCCEEDED)).isEmpty();
        succeed(Map.of(40L, kept("id-40", null)));
        assertThat(trim(Duration.ofDays(1), 12, 500)).isZero();
        assertThat(offsets(TaskState.SUCCEEDED)).containsExactly(40L);
    }

    @Test
    void theyGoWhenRedisHasNoRoomForTasks() {
        succeed(Map.of(1L, kept("id-1", null), 2L, kept("id-2", null)));
        SuccessTrimmer trimmer = new SuccessTrimmer(store.adminConnection(), Retention.DEFAULTS, () -> false);

        assertThat(get(trimmer.trim(partition))).isEqualTo(2);
        assertThat(offsets(TaskState.SUCCEEDED)).isEmpty();
    }

    @Test
    void aStoreThatKeepsNoneWritesNone() {
        Partition other = Partition.of(queue, 1);
        Retention off = new Retention(Duration.ofDays(1), 100, Duration.ofDays(1), 0, 1 << 20);
        try (RedisStore none = RedisStore.open(RedisSettings.of(Brokers.redis().uri()), off, Map.of())) {
            owner = new TestOwner(none, other, "executor-one");
            owner.acquire();
            succeed(Map.of(1L, kept("order-1", null)));
        }
        assertThat(get(store.inspector().tasks(queue, "order-1", 10))).isEmpty();
        assertThat(get(store.inspector().counts(other)).totals()).containsEntry("succeeded", 1L);
    }

    @Test
    void samplesOfEarlierVersionsAreListedAndTrimmed() {
        byte[][] keys = RedisKeys.DEFAULTS.of(partition);
        byte[] position = "0:77".getBytes(StandardCharsets.US_ASCII);
        get(store.adminConnection().run(redis -> redis.zadd(keys[12], 1_700_000_000_000_000.0, position)));
        get(store.adminConnection().run(redis -> redis.hset(keys[13], position, envelope(null, 5))));
        succeed(Map.of(1L, kept(null, null)));

        assertThat(offsets(TaskState.SUCCEEDED)).containsExactly(1L, 77L);
        TaskView sample =
                get(store.inspector().task(partition, Position.of(0, 77))).orElseThrow();
        assertThat(sample.envelope().task().payload()).containsExactly(1, 2, 3);
        assertThat(sample.success()).isNull();
        Housekeeper housekeeper = new Housekeeper(store.adminConnection(), store.admin(), Retention.DEFAULTS);
        assertThat(get(housekeeper.trim(partition))).as("older than a day").isEqualTo(1);
        assertThat(offsets(TaskState.SUCCEEDED)).containsExactly(1L);
    }

    @Test
    void bothListsHaveAnEntryForEachPage() {
        succeed(Map.of(1L, kept("a", null), 2L, kept("b", null)));
        succeed(Map.of(3L, kept("c", null)));
        byte[][] keys = RedisKeys.DEFAULTS.of(partition);
        for (int list : new int[] {SUCCESSES, SUCCESS_IDS}) {
            Long length = get(store.adminConnection().run(redis -> redis.llen(keys[list])));
            assertThat(length).isEqualTo(2);
        }
    }

    private static Settle settle(long offset, long token, String id) {
        return new Settle(
                Position.of(0, offset),
                token,
                null,
                new SettledMark.Offset(offset),
                new Verdict.Success(kept(id, null)),
                0);
    }

    private long trim(Duration age, int records, long bytes) {
        Retention retention = new Retention(Duration.ofDays(1), 100, age, records, bytes);
        return get(new SuccessTrimmer(store.adminConnection(), retention, () -> true).trim(partition));
    }

    private static TaskView only(List<TaskView> tasks) {
        assertThat(tasks).hasSize(1);
        return tasks.get(0);
    }
}
