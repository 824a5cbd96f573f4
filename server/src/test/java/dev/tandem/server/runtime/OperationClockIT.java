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
import dev.tandem.task.Task;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Operations on partitions whose clock is behind the one that says when the operation began. */
class OperationClockIT {

    private static final int DEAD = 250;
    private static final long AHEAD_MICROS = 3_600_000_000L;

    /** The token of the last run before the operation. */
    private static final long LAST_TOKEN = 7;

    /** Servers of other tests run the operations of the usual namespace. */
    private static final String SPACE = UniqueNames.fresh("operation-clock");

    private static RedisStore store;
    private static StatefulRedisConnection<byte[], byte[]> connection;
    private static RedisCommands<byte[], byte[]> redis;

    private final String queue = UniqueNames.fresh("bulk");
    private final Set<String> diedAgain = new HashSet<>();

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
    void eachDeadTaskIsRetriedOnceThoughItDiesAgain() {
        redis.sadd(bytes(SPACE + ":{" + queue + "}:partitions"), bytes("0"));
        redis.hset(key("owner"), bytes("token"), bytes(Long.toString(LAST_TOKEN)));
        for (int i = 0; i < DEAD; i++) {
            // Some of the tasks died without a run.
            die(bytes("0:" + i), i % 3 == 0 ? 0 : LAST_TOKEN, seconds() - 60);
        }
        TaskSelection dead = OperationJson.operation(
                        "{\"queue\":\"q\",\"id\":\"i\",\"action\":\"RETRY\",\"selection\":{\"states\":[\"DEAD\"]}}")
                .orElseThrow()
                .selection();
        assertThat(new RedisOperations(store.serverRecords().operations(), () -> {})
                        .begin(new Operation(queue, "ahead", Action.RETRY, dead, false, null, null)))
                .isEqualTo(Begun.BEGUN);

        OperationProgress ended = run();

        assertThat(ended).isNotNull();
        assertThat(List.of(ended.matched(), ended.changed(), ended.refused()))
                .containsExactly((long) DEAD, (long) DEAD, 0L);
        assertThat(diedAgain).hasSize(DEAD);
        assertThat(redis.zcard(key("dead"))).as("all have died again").isEqualTo(DEAD);
    }

    /** Runs the operation as if it had begun an hour later. After each step, the tasks that it has retried run and die. */
    private OperationProgress run() {
        OperationBook.Entry entry =
                store.serverRecords().operations().claim("one").join().orElseThrow();
        OperationBook.Entry ahead = new OperationBook.Entry(
                entry.name(),
                entry.beganMicros() + AHEAD_MICROS,
                entry.definition(),
                entry.progress(),
                entry.stopping(),
                entry.program(),
                entry.endedAt());
        return new OperationRun(
                        OperationRun.Store.of(store),
                        ahead,
                        OperationJson.operation(entry.definition()).orElseThrow(),
                        "one",
                        () -> false,
                        System::nanoTime,
                        (operation, changed, refused) -> runAndDie())
                .run();
    }

    private void runAndDie() {
        for (byte[] position : redis.zrange(key("retry"), 0, -1)) {
            String name = new String(position, StandardCharsets.UTF_8);
            assertThat(diedAgain.add(name)).as(name + " is retried once").isTrue();
            redis.zrem(key("retry"), position);
            redis.hdel(key("tasks"), position);
            die(position, LAST_TOKEN + 1, seconds());
        }
    }

    private void die(byte[] position, long token, long seconds) {
        Envelope envelope = new Envelope(Task.of(queue, "k", new byte[] {1}), 3, token, "boom");
        redis.hset(key("dead-tasks"), position, envelope.encode());
        redis.zadd(key("dead"), seconds * 1_000_000, position);
    }

    private static long seconds() {
        return Long.parseLong(new String(redis.time().get(0), StandardCharsets.UTF_8));
    }

    private byte[] key(String part) {
        return bytes(SPACE + ":{" + queue + "/0}:" + part);
    }
}
