package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.local.LocalRedis;
import dev.tandem.task.Partition;
import dev.tandem.task.TaskState;
import dev.tandem.task.store.Incarnation;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreRequest;
import dev.tandem.task.store.StoreRequest.HandOver;
import dev.tandem.task.store.StoreRequest.Move;
import dev.tandem.task.store.SuccessRecord;
import dev.tandem.task.store.TaskEnd;
import dev.tandem.testkit.Brokers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One request to list or to find tasks asks a bounded amount of Redis, in a queue of many partitions too. */
class BoundedReadsIT extends OperatorTestBase {

    private static final int PARTITIONS = 1_000;
    private static final int SUCCESS_IDS = 23;
    private static final int TASKS = 60;

    /** More scripts than those who own the partitions run by themselves during a request. */
    private static final int OWNERS_OWN = 50;

    private static LocalRedis redis;

    private final List<String> expected = new ArrayList<>();
    private final Map<Integer, TestOwner> owners = new HashMap<>();

    /** A Redis of its own: these tests count the scripts that run in it, and other classes run beside this one. */
    @BeforeAll
    static void openOwn() {
        store.close();
        redis = Brokers.ownRedis();
        store = RedisStore.open(RedisSettings.of(redis.address()));
    }

    @AfterAll
    static void closeOwn() {
        if (redis != null) {
            store.close();
            redis.close();
        }
    }

    @AfterEach
    void closeOwners() {
        owners.values().forEach(TestOwner::close);
    }

    @Test
    void aPageReadsOnlyThePartitionsThatHaveItsTasks() {
        manyPartitions();
        scheduleIn(0, 500, 999);
        long before = scripts();

        List<TaskView> listed = page("due.", 50, null, listing()).items();

        assertThat(listed).hasSize(50);
        assertThat(scripts() - before).as("one for each partition, and some").isBetween(1_000L, 1_020L);
    }

    @Test
    void aSearchForAKeyEndsInTimeAndGoesOn() {
        manyPartitions();
        scheduleIn(0, 500, 999);
        Predicate<TaskView> chosen = task -> offset(task) % 10 == 7;
        List<String> found = new ArrayList<>();
        String cursor = null;
        int requests = 0;
        do {
            long before = scripts();
            // The numbers are those of a list. Its time would end requests earlier on a slow machine.
            ResultPage<TaskView> page = page(cursor, 5, chosen, new ReadBudget(5_000, 5_000, Duration.ofMinutes(1)));
            assertThat(scripts() - before).as("scripts of one request").isLessThan(7_100);
            page.items().forEach(task -> found.add(name(task)));
            cursor = page.next();
            requests++;
        } while (cursor != null);

        assertThat(found)
                .containsExactlyInAnyOrderElementsOf(
                        expected.stream().filter(name -> name.endsWith("7")).toList());
        assertThat(requests).isLessThan(10);
    }

    /** Whatever the budget, each request gets on, and nothing is left out or listed twice. */
    @ParameterizedTest
    @ValueSource(ints = {1, 4, 9, 40})
    void aListGoesOnWhereItsBudgetWasSpent(int scripts) {
        scheduleIn(0, 1, 2, 3, 4);
        for (int i = 0; i < 10; i++) {
            retryLater("key-" + i, i);
            expected.add("0/0:" + i);
        }
        for (int limit : new int[] {7, 1_000}) {
            List<String> found = new ArrayList<>();
            List<Long> times = new ArrayList<>();
            String cursor = null;
            do {
                ResultPage<TaskView> page =
                        page(cursor, limit, null, new ReadBudget(scripts, 1_000, Duration.ofMinutes(1)));
                page.items().forEach(task -> {
                    found.add(name(task));
                    times.add(task.at() / 60_000);
                });
                cursor = page.next();
            } while (cursor != null);
            assertThat(found).containsExactlyInAnyOrderElementsOf(expected);
            assertThat(times).as("minute by minute").isSorted();
        }
    }

    @Test
    void keysAndTasksOfOneStateGoOnWhereTheirBudgetWasSpent() {
        for (int number = 0; number < 5; number++) {
            use(number);
            halt("k" + number, 1);
            halt("l" + number, 2);
        }
        List<String> tasks = new ArrayList<>();
        List<String> keys = new ArrayList<>();
        String cursor = null;
        do {
            ResultPage<TaskView> page = get(store.inspector()
                    .tasks(queue, TaskState.DEAD, cursor, 100, new ReadBudget(2, 100, Duration.ofMinutes(1))));
            assertThat(page.items()).hasSizeLessThanOrEqualTo(4);
            page.items().forEach(task -> tasks.add(name(task)));
            cursor = page.next();
        } while (cursor != null);
        do {
            ResultPage<KeyView> page = get(store.inspector()
                    .keys()
                    .blocked(queue, cursor, 100, new ReadBudget(2, 100, Duration.ofMinutes(1))));
            page.items().forEach(key -> keys.add(key.key()));
            cursor = page.next();
        } while (cursor != null);

        assertThat(tasks).hasSize(10).doesNotHaveDuplicates();
        assertThat(keys).hasSize(10).doesNotHaveDuplicates();
    }

    /** The smallest pages cost no more than one look at each partition, and a second look at the page that has too many. */
    @Test
    void aSearchInOneStateLooksAtManyTasksForEachThatItReturns() {
        manyPartitions();
        int number = 998;
        use(number);
        for (int i = 0; i < 30; i++) {
            halt("k" + i, i);
        }
        List<String> found = new ArrayList<>();
        String cursor = null;
        do {
            long before = scripts();
            long namesBefore = calls("smembers");
            boolean isFirst = cursor == null;
            Predicate<TaskView> chosen = task -> offset(task) % 7 == 5;
            ResultPage<TaskView> page =
                    get(store.inspector().tasks(queue, null, TaskState.DEAD, cursor, 1, chosen, listing()));
            assertThat(scripts() - before).isLessThan(isFirst ? 1_000 + OWNERS_OWN : OWNERS_OWN);
            assertThat(calls("smembers") - namesBefore)
                    .as("lists of partitions")
                    .isLessThan(4);
            assertThat(page.items()).hasSizeLessThanOrEqualTo(1);
            page.items().forEach(task -> found.add(name(task)));
            cursor = page.next();
        } while (cursor != null);

        assertThat(found).containsExactlyInAnyOrder("998/0:26", "998/0:19", "998/0:12", "998/0:5");
    }

    @Test
    void aSearchInAllStatesAsksEachPartitionOnceForEachState() {
        manyPartitions();
        use(998);
        halt("k", 5);
        long before = scripts();
        long namesBefore = calls("smembers");

        ResultPage<TaskView> page = page(null, 1, task -> true, listing());

        assertThat(page.items()).hasSize(1);
        assertThat(scripts() - before).isLessThan(4_000 + OWNERS_OWN);
        assertThat(calls("smembers") - namesBefore).as("lists of partitions").isLessThan(4);
    }

    @Test
    void aSearchInSuccessesReadsAPageOnceForManyOfThem() {
        for (long offset = 0; offset < 300; offset++) {
            succeed(Map.of(offset, kept("order-" + offset, null)));
        }
        List<Long> found = new ArrayList<>();
        String cursor = null;
        long before = scripts();
        do {
            ResultPage<TaskView> page = get(store.inspector()
                    .tasks(queue, "0", TaskState.SUCCEEDED, cursor, 1, task -> offset(task) % 100 == 0, listing()));
            found.addAll(offsets(page));
            cursor = page.next();
        } while (cursor != null);

        assertThat(found).containsExactlyInAnyOrder(200L, 100L, 0L);
        assertThat(scripts() - before).isLessThan(20);
    }

    @Test
    void ofRareEndsOnlyThePagesThatHaveSomeAreReadAndABoundedPartOfTheirIndex() {
        for (long from = 0; from < 1_000; from += 100) {
            Map<Long, SuccessRecord> ends = new LinkedHashMap<>();
            LongStream.range(from, from + 100).forEach(offset -> ends.put(offset, kept(null, null)));
            if (from % 500 == 0) {
                SuccessRecord expired = new SuccessRecord(
                        null, "type", "key", 0, 1_800_000_000_000L, 0, "executor-one", null, TaskEnd.EXPIRED);
                ends.put(from + 7, expired);
            }
            succeed(ends);
        }
        long pages = calls("lindex");

        ResultPage<TaskView> all = expired(listing());

        assertThat(offsets(all)).containsExactly(507L, 7L);
        assertThat(all.next()).isNull();
        assertThat(calls("lindex") - pages).isEqualTo(2);

        ResultPage<TaskView> some = expired(new ReadBudget(5_000, 35, Duration.ofMinutes(5)));
        assertThat(offsets(some)).as("2,100 bytes of the index").containsExactly(507L);
        assertThat(some.next()).as("it says where to go on").isNotNull();
    }

    private ResultPage<TaskView> expired(ReadBudget budget) {
        return get(store.inspector().tasks(queue, null, TaskState.EXPIRED, null, 10, null, budget));
    }

    /** Whenever the time is over, what was found until then is returned, with a place to go on. */
    @Test
    void aListThatRunsOutOfTimeReturnsWhatItHasFound() {
        manyPartitions();
        scheduleIn(0, 500);
        claim(1, "running");
        // How long the reading of each state takes depends on the machine, so the time grows until one list ends
        // between.
        for (int millis = 0; ; millis += 5) {
            ResultPage<TaskView> page =
                    page(null, 1_000, null, new ReadBudget(100_000, 100_000, Duration.ofMillis(millis)));
            assertThat(page.items().get(0).state()).isEqualTo(TaskState.ACTIVE);
            if ("due.".equals(page.next())) {
                break; // before the tasks that are due
            }
            assertThat(millis)
                    .as("milliseconds of a list that ends before the tasks that are due")
                    .isLessThan(10_000);
        }
    }

    @Test
    void aRequestForWhichNobodyWaitsEnds() {
        manyPartitions();
        ReadBudget cancelled = listing();
        cancelled.cancel();
        ReadBudget late = new ReadBudget(1_000, 1_000, Duration.ZERO);
        long before = scripts();

        assertThatThrownBy(() -> page("due.", 50, null, cancelled))
                .hasRootCauseInstanceOf(ReadBudget.SpentException.class);
        assertThatThrownBy(() -> page("due.", 50, null, late)).hasRootCauseInstanceOf(ReadBudget.SpentException.class);
        assertThatThrownBy(() -> get(store.inspector().tasks(queue, "nobody", 20, late)))
                .hasRootCauseInstanceOf(ReadBudget.SpentException.class);
        assertThat(scripts() - before).isLessThan(10);
    }

    @Test
    void aSearchForAnIdStopsOnceItHasFoundASuccess() {
        manyPartitions();
        succeed(Map.of(1L, kept("order-1", null)));
        long before = scripts();

        assertThat(get(store.inspector().tasks(queue, "order-1", 20))).hasSize(1);

        assertThat(scripts() - before).as("the indexes, and some successes").isLessThan(1_050);
    }

    @Test
    void pagesThatOnlyHaveTheSameHashAreReadTogether() {
        byte[] ids = RedisKeys.DEFAULTS.of(partition)[SUCCESS_IDS];
        byte[] hash = SuccessPage.hash("wanted");
        succeed(Map.of(1_000L, kept("wanted", null)));
        for (long offset = 0; offset < 300; offset++) {
            succeed(Map.of(offset, kept("other-" + offset, null)));
        }
        for (int i = 1; i <= 300; i++) {
            int index = i;
            byte[] entry = get(store.adminConnection().run(redis -> redis.lindex(ids, index)));
            byte[] colliding = Arrays.copyOf(entry, entry.length + hash.length);
            System.arraycopy(hash, 0, colliding, entry.length, hash.length);
            get(store.adminConnection().run(redis -> redis.lset(ids, index, colliding)));
        }
        long before = scripts();

        assertThat(get(store.inspector().tasks(queue, "wanted", 20))).hasSize(1);
        assertThat(scripts() - before).isLessThan(6);
    }

    /** Names partitions of which most hold nothing. */
    private void manyPartitions() {
        byte[][] names = IntStream.range(0, PARTITIONS)
                .mapToObj(i -> Integer.toString(i).getBytes(StandardCharsets.US_ASCII))
                .toArray(byte[][]::new);
        get(store.adminConnection().run(redis -> redis.sadd(RedisKeys.DEFAULTS.partitions(queue), names)));
    }

    private void scheduleIn(int... numbers) {
        long now = System.currentTimeMillis();
        for (int number : numbers) {
            use(number);
            List<HandOver> entries = new ArrayList<>();
            for (int i = 0; i < TASKS; i++) {
                long in = i % 3 == 0 ? 30_000 + i * 500L : 100_000 + i * 7_000L;
                entries.add(entry(100 + i, null, new Move.Schedule(now + in)));
                expected.add(number + "/0:" + (100 + i));
            }
            owner.ask(
                    new StoreRequest.TakeCustody(owner.header(), Incarnation.of(0), 0, 10, 1_000, entries),
                    StoreAnswer.CustodyTaken.class);
        }
        use(0);
    }

    /** Has the methods that put tasks into Redis work on this partition. */
    private void use(int number) {
        owners.putIfAbsent(0, owner);
        owner = owners.computeIfAbsent(number, each -> {
            TestOwner other = new TestOwner(store, Partition.of(queue, each), "executor-one");
            other.acquire();
            return other;
        });
    }

    private ResultPage<TaskView> page(
            @Nullable String cursor, int limit, @Nullable Predicate<TaskView> chosen, ReadBudget budget) {
        return get(store.inspector().allTasks(queue, null, cursor, limit, chosen, budget));
    }

    /** A budget like that of a list, without the limit of time, which a slow machine reaches. */
    private static ReadBudget listing() {
        return new ReadBudget(5_000, 5_000, Duration.ofMinutes(5));
    }

    private long scripts() {
        String stats = get(store.adminConnection().run(redis -> redis.info("commandstats")));
        return RedisPreflight.facts(stats).entrySet().stream()
                .filter(each -> each.getKey().startsWith("cmdstat_eval"))
                .mapToLong(each -> Long.parseLong(each.getValue().replaceAll("calls=(\\d+).*", "$1")))
                .sum();
    }

    private long calls(String command) {
        String stats = get(store.adminConnection().run(redis -> redis.info("commandstats")));
        return Long.parseLong(RedisPreflight.facts(stats)
                .getOrDefault("cmdstat_" + command, "calls=0")
                .replaceAll("calls=(\\d+).*", "$1"));
    }

    private static String name(TaskView task) {
        return task.partition().name() + "/" + task.position();
    }

    private static long offset(TaskView task) {
        return Long.parseLong(task.position().text().substring(2));
    }
}
