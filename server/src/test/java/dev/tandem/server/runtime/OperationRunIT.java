package dev.tandem.server.runtime;

import static dev.tandem.task.Utf8.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.scheduler.OperationBook;
import dev.tandem.scheduler.RedisSettings;
import dev.tandem.scheduler.RedisStore;
import dev.tandem.server.operations.Operation;
import dev.tandem.server.operations.Operation.Action;
import dev.tandem.server.operations.OperationAdministration.Begun;
import dev.tandem.server.operations.OperationInfo;
import dev.tandem.server.operations.OperationJson;
import dev.tandem.server.operations.OperationProgress;
import dev.tandem.server.operations.OperationProgress.State;
import dev.tandem.server.operations.TaskSelection;
import dev.tandem.task.Envelope;
import dev.tandem.task.Task;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import io.lettuce.core.ScoredValue;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Operations on thousands of tasks in partitions that nobody owns: what is done, counted and left, whoever dies. */
class OperationRunIT {

    private static final int PARTITIONS = 3;
    /** The number of dead tasks in each partition. {@code -Doperations.dead=N} sets it. The time of a retry of all is printed. */
    private static final int DEAD = Integer.getInteger("operations.dead", 1_000);

    private static final int KEYS = 7;

    /** Servers of other tests run the operations of the usual namespace. */
    private static final String SPACE = UniqueNames.fresh("operations");

    private static RedisStore store;
    private static StatefulRedisConnection<byte[], byte[]> connection;
    private static RedisCommands<byte[], byte[]> redis;

    private final String queue = UniqueNames.fresh("bulk");
    private final RedisOperations operations =
            new RedisOperations(store.serverRecords().operations(), () -> {});
    private final AtomicLong clock = new AtomicLong();
    private long counted;

    @BeforeAll
    static void open() {
        store = RedisStore.open(RedisSettings.of(Brokers.redis().uri()).withNamespace(SPACE));
        connection = Brokers.redis().client().connect(ByteArrayCodec.INSTANCE);
        redis = connection.sync();
    }

    @AfterAll
    static void close() {
        connection.close();
        store.close();
    }

    @Test
    void retriesAllDeadTasksAndEachKeyInItsOrder() {
        fill(DEAD);
        Operation all = begin(Action.RETRY, "all");
        long requests = requests();
        long start = System.nanoTime();
        OperationProgress ended = run(all);
        System.out.printf(
                "%d tasks retried in %d ms, with %d scripts%n",
                ended.changed(), (System.nanoTime() - start) / 1_000_000, requests() - requests);
        assertThat(ended.state()).isEqualTo(State.DONE);
        assertThat(List.of(ended.looked(), ended.matched(), ended.changed(), ended.refused()))
                .containsExactly(3L * DEAD, 3L * DEAD, 3L * DEAD, 0L);
        assertThat(counted).isEqualTo(3L * DEAD);
        assertThat(dead()).isZero();
        assertRetriedInOrder(DEAD);
        assertThat(operations.find(queue, "all").orElseThrow().progress()).isEqualTo(ended);
    }

    @Test
    void anotherServerGoesOnWhenTheOneThatRunsItDiesAndNothingIsCountedTwice() {
        fill(DEAD);
        begin(Action.RETRY, "killed");
        OperationRun.Counter dies = (operation, changed, refused) -> {
            counted += changed;
            if (counted > 3L * DEAD / 2) {
                throw new IllegalStateException("killed");
            }
        };
        assertThatThrownBy(() -> claimed("first", dies).run()).hasMessage("killed");
        assertThat(store.serverRecords().operations().claim("second").join())
                .as("the claim holds")
                .isEmpty();
        long left = dead();
        assertThat(left).isBetween(1L, 3L * DEAD - 1);

        redis.zadd(bytes(SPACE + ":{~operations}:open"), 0, bytes(queue + "/killed")); // The claim has ended.
        OperationProgress ended = claimed("second", (operation, changed, refused) -> counted += changed)
                .run();
        assertThat(ended.state()).isEqualTo(State.DONE);
        assertThat(ended.changed()).isEqualTo(3L * DEAD);
        assertThat(ended.refused()).isZero();
        assertThat(dead()).isZero();
        assertRetriedInOrder(DEAD);
    }

    @Test
    void stopsInTheMiddleAndLeavesTheRest() {
        fill(DEAD);
        begin(Action.DELETE, "stopped");
        OperationProgress ended = claimed("one", (operation, changed, refused) -> {
                    counted += changed;
                    if (counted > DEAD) {
                        operations.stop(queue, "stopped");
                    }
                })
                .run();
        assertThat(ended.state()).isEqualTo(State.STOPPED);
        assertThat(ended.changed()).isBetween(DEAD + 1L, 3L * DEAD - 1);
        assertThat(dead()).isEqualTo(3L * DEAD - ended.changed());
        OperationInfo shown = operations.find(queue, "stopped").orElseThrow();
        assertThat(shown.progress()).isEqualTo(ended);
        assertThat(shown.ended()).isNotNull();
    }

    @Test
    void twoThatOverlapChangeEachTaskOnce() {
        fill(DEAD);
        begin(Action.RETRY, "one");
        begin(Action.DELETE, "other");
        OperationRun first = claimed("a", (operation, changed, refused) -> counted += changed);
        OperationRun second = claimed("b", (operation, changed, refused) -> {});
        List<OperationProgress> ends = new ArrayList<>();
        Thread thread = new Thread(() -> ends.add(second.run()));
        thread.start();
        OperationProgress mine = first.run();
        join(thread);
        assertThat(mine.changed() + ends.get(0).changed()).isEqualTo(3L * DEAD);
        assertThat(dead()).isZero();
    }

    @Test
    void touchesNoTaskThatDiedAfterItBegan() {
        fill(10);
        Operation operation = begin(Action.DELETE, "early");
        long later = Long.parseLong(text(redis.time().get(0))) * 1_000_000 + 999_999;
        die(0, "0:late", "k", later + 1_000_000);
        assertThat(run(operation).changed()).isEqualTo(30);
        assertThat(dead()).isEqualTo(1);
    }

    @Test
    void countsOnlyWhenItRunsDryAndChoosesWhatItIsTold() {
        fill(100);
        TaskSelection some = selection(Action.DELETE, "k1", "bo", "1");
        Operation dry = new Operation(queue, "dry", Action.DELETE, some, true, null, null);
        assertThat(operations.begin(dry)).isEqualTo(Begun.BEGUN);
        OperationProgress counts = run(dry);
        assertThat(counts.looked()).isEqualTo(100);
        assertThat(counts.matched()).isBetween(14L, 15L);
        assertThat(counts.changed()).isZero();
        assertThat(dead()).isEqualTo(300);
        Operation wet = new Operation(queue, "wet", Action.DELETE, some, false, null, null);
        operations.begin(wet);
        assertThat(run(wet).changed()).isEqualTo(counts.matched());
        assertThat(dead()).isEqualTo(300 - counts.matched());
    }

    @Test
    void anIdNamesOneOperation() {
        fill(1);
        Operation operation = begin(Action.RETRY, "same");
        assertThat(operations.begin(operation)).isEqualTo(Begun.KNOWN);
        run(operation);
        assertThat(operations.begin(operation)).isEqualTo(Begun.KNOWN);
        assertThat(operations.begin(new Operation(
                        queue, "same", Action.DELETE, selection(Action.DELETE, null, null, null), false, null, null)))
                .isEqualTo(Begun.DIFFERS);
        Operation ofOps = new Operation(
                queue, "same", Action.RETRY, selection(Action.RETRY, null, null, null), false, null, "ops");
        assertThat(operations.begin(ofOps)).as("whoever asks").isEqualTo(Begun.KNOWN);
        assertThat(operations.find(queue, "same").orElseThrow().progress().state())
                .isEqualTo(State.DONE);
    }

    @Test
    void anIdThatTheBookHasForgottenNamesANewOperation() {
        fill(10);
        assertThat(run(begin(Action.DELETE, "again")).changed()).isEqualTo(30);
        for (String key : List.of("definitions", "progress", "claims", "stops")) {
            redis.hdel(bytes(SPACE + ":{~operations}:" + key), bytes(queue + "/again"));
        }
        redis.zrem(bytes(SPACE + ":{~operations}:ended"), bytes(queue + "/again"));

        fill(10);
        OperationProgress ended = run(begin(Action.DELETE, "again"));
        assertThat(List.of(ended.looked(), ended.changed())).containsExactly(30L, 30L);
        assertThat(dead()).isZero();
    }

    /** Before each change of many tasks, the console counts them. */
    @Test
    void countsDoNotDisplaceWhatHasChangedTasks() {
        fill(1);
        run(begin(Action.RETRY, "changed"));
        OperationBook book = store.serverRecords().operations();
        for (int i = 0; i < 60; i++) {
            String name = queue + "/count-" + i;
            assertThat(book.begin(name, "{}").join()).isEqualTo(OperationBook.Begun.BEGUN);
            book.claim("one").join();
            assertThat(book.endCount(name, "one", "{}").join().ours()).isTrue();
        }

        List<OperationBook.Entry> kept = book.list().join().stream()
                .filter(each -> each.name().startsWith(queue + "/"))
                .toList();
        assertThat(kept).extracting(OperationBook.Entry::name).contains(queue + "/changed", queue + "/count-59");
        assertThat(kept).hasSizeBetween(2, 52).allMatch(each -> each.endedAt() > 0);
    }

    private Operation begin(Action action, String id) {
        Operation operation = new Operation(queue, id, action, selection(action, null, null, null), false, null, null);
        assertThat(operations.begin(operation)).isEqualTo(Begun.BEGUN);
        return operation;
    }

    private static TaskSelection selection(
            Action action, @Nullable String key, @Nullable String error, @Nullable String partition) {
        return new TaskSelection(
                action.usual(),
                partition,
                key,
                null,
                false,
                null,
                error,
                null,
                null,
                null,
                null,
                null,
                null,
                false,
                null);
    }

    private OperationProgress run(Operation operation) {
        return claimed("one", (its, changed, refused) -> counted += changed).run();
    }

    /** Claims the next operation. Notes its progress after each step. */
    private OperationRun claimed(String program, OperationRun.Counter counter) {
        OperationBook.Entry entry =
                store.serverRecords().operations().claim(program).join().orElseThrow();
        return new OperationRun(
                OperationRun.Store.of(store),
                entry,
                OperationJson.operation(entry.definition()).orElseThrow(),
                program,
                () -> false,
                () -> clock.addAndGet(1_000_000_000L),
                counter);
    }

    /** Lets tasks die in the order of their numbers. */
    private void fill(int count) {
        for (int partition = 0; partition < PARTITIONS; partition++) {
            redis.sadd(bytes(SPACE + ":{" + queue + "}:partitions"), bytes(Integer.toString(partition)));
            Map<byte[], byte[]> envelopes = new LinkedHashMap<>();
            List<ScoredValue<byte[]>> times = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                byte[] position = bytes("0:" + i);
                envelopes.put(position, envelope("k" + i % KEYS));
                times.add(ScoredValue.just(1_700_000_000_000_000L + i, position));
            }
            redis.hset(key(partition, "dead-tasks"), envelopes);
            redis.zadd(key(partition, "dead"), times.toArray(ScoredValue[]::new));
        }
    }

    private void die(int partition, String position, String key, long micros) {
        redis.hset(key(partition, "dead-tasks"), bytes(position), envelope(key));
        redis.zadd(key(partition, "dead"), micros, bytes(position));
    }

    private byte[] envelope(String key) {
        return new Envelope(Task.of(queue, key, new byte[] {1}), 3, 7, "boom").encode();
    }

    private long dead() {
        long sum = 0;
        for (int partition = 0; partition < PARTITIONS; partition++) {
            sum += redis.zcard(key(partition, "dead"));
        }
        return sum;
    }

    /** Redis gives them out by due time, and those of one time by the bytes of their positions. */
    private void assertRetriedInOrder(int count) {
        for (int partition = 0; partition < PARTITIONS; partition++) {
            Map<Integer, Integer> last = new HashMap<>();
            List<ScoredValue<byte[]>> all = redis.zrangeWithScores(key(partition, "retry"), 0, -1);
            assertThat(all).hasSize(count);
            for (ScoredValue<byte[]> each : all) {
                int number = Integer.parseInt(text(each.getValue()).substring(2));
                Integer before = last.put(number % KEYS, number);
                assertThat(before == null ? -1 : before).isLessThan(number);
            }
        }
    }

    /** Returns how many scripts Redis has run. */
    private static long requests() {
        return redis.info("commandstats")
                .lines()
                .filter(line -> line.startsWith("cmdstat_evalsha:calls="))
                .mapToLong(line -> Long.parseLong(line.substring(line.indexOf('=') + 1, line.indexOf(','))))
                .sum();
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private byte[] key(int partition, String part) {
        return bytes(SPACE + ":{" + queue + "/" + partition + "}:" + part);
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
