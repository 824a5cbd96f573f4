package dev.tandem.server.runtime;

import static dev.tandem.task.Utf8.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.scheduler.OperationBook;
import dev.tandem.scheduler.RedisSettings;
import dev.tandem.scheduler.RedisStore;
import dev.tandem.server.operations.Operation;
import dev.tandem.server.operations.Operation.Action;
import dev.tandem.server.operations.OperationAdministration.Begun;
import dev.tandem.server.operations.OperationJson;
import dev.tandem.server.operations.OperationProgress;
import dev.tandem.server.operations.TaskSelection;
import dev.tandem.task.Envelope;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.Task;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import java.util.Base64;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Operations that cancel tasks that run. */
class RunningTasksOperationIT {

    /** Servers of other tests run the operations of the usual namespace. */
    private static final String SPACE = UniqueNames.fresh("operations");

    private static RedisStore store;
    private static StatefulRedisConnection<byte[], byte[]> connection;
    private static RedisCommands<byte[], byte[]> redis;

    private final String queue = UniqueNames.fresh("bulk");
    private final RedisOperations operations =
            new RedisOperations(store.serverRecords().operations(), () -> {});

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
    void aRunningTaskThatNoExecutorCancelsIsRefused() {
        claim("0:1", "k1");
        claim("0:2", "k2");
        redis.hset(key("claims"), bytes("0:3"), claim());
        OperationProgress ended = run(begin("k2"), OperationRun.Store.of(store));
        assertThat(List.of(ended.looked(), ended.matched(), ended.changed(), ended.refused()))
                .containsExactly(2L, 1L, 0L, 1L);
        assertThat(redis.hexists(key("tasks"), bytes("0:2"))).isTrue();
    }

    /** Cancelled tasks are gone when the operation looks for the next ones. */
    @ParameterizedTest
    @ValueSource(strings = {"", "0 0:999"})
    void allAreCancelled(String placeOfEarlierVersion) {
        int count = 1_000;
        for (int i = 0; i < count; i++) {
            claim("0:" + i, "k" + i);
        }
        OperationBook.Entry entry = begin(null);
        if (!placeOfEarlierVersion.isEmpty()) {
            String place = "ACTIVE " + Base64.getEncoder().encodeToString(bytes(placeOfEarlierVersion)) + " 0";
            byte[] record = bytes(entry.name() + " " + entry.beganMicros());
            redis.hset(key("operations"), record, bytes("1 0 0 0 0 0 " + place));
        }
        OperationRun.Store parts = OperationRun.Store.of(store);
        OperationProgress ended =
                run(entry, new OperationRun.Store(parts.book(), parts.tasks(), parts.inspector(), this::cancel));
        assertThat(redis.hlen(key("claims"))).as("left").isZero();
        assertThat(List.of(ended.looked(), ended.changed(), ended.refused())).containsExactly(1_000L, 1_000L, 0L);
    }

    private Set<Position> cancel(Partition partition, Collection<Position> tasks) {
        tasks.forEach(each -> {
            redis.hdel(key("claims"), bytes(each.text()));
            redis.hdel(key("tasks"), bytes(each.text()));
        });
        return new HashSet<>(tasks);
    }

    private OperationBook.Entry begin(@Nullable String key) {
        redis.sadd(bytes(SPACE + ":{" + queue + "}:partitions"), bytes("0"));
        TaskSelection selection = new TaskSelection(
                Action.CANCEL.usual(),
                null,
                key,
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
        assertThat(operations.begin(new Operation(queue, "running", Action.CANCEL, selection, false, null, null)))
                .isEqualTo(Begun.BEGUN);
        return store.serverRecords().operations().claim("one").join().orElseThrow();
    }

    private static OperationProgress run(OperationBook.Entry entry, OperationRun.Store parts) {
        Operation operation = OperationJson.operation(entry.definition()).orElseThrow();
        OperationProgress ended = new OperationRun(
                        parts, entry, operation, "one", () -> false, System::nanoTime, (its, changed, refused) -> {})
                .run();
        assertThat(ended).isNotNull();
        return ended;
    }

    private void claim(String position, String key) {
        redis.hset(key("claims"), bytes(position), claim());
        byte[] envelope = new Envelope(Task.of(queue, key, new byte[] {1}), 3, 7, "boom").encode();
        redis.hset(key("tasks"), bytes(position), envelope);
    }

    /** Version 1, made at 0, of token 0, by an executor whose name has one letter, without a key. */
    private static byte[] claim() {
        byte[] claim = new byte[18];
        claim[0] = 1;
        claim[15] = 1;
        claim[16] = 'x';
        return claim;
    }

    private byte[] key(String part) {
        return bytes(SPACE + ":{" + queue + "/0}:" + part);
    }
}
