package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.local.LocalRedis;
import dev.tandem.task.Envelope;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.Task;
import dev.tandem.task.store.Incarnation;
import dev.tandem.task.store.SettledMark;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreRequest;
import dev.tandem.task.store.StoreRequest.HandOver;
import dev.tandem.task.store.StoreRequest.Move;
import dev.tandem.testkit.Brokers;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Prints how much of Redis's memory a scheduled task with a payload of 64 bytes takes. Checks only the count of tasks. */
class ScheduledMemoryIT {

    private static final int TASKS = Integer.getInteger("tandem.memory.tasks", 100_000);

    @ParameterizedTest
    @CsvSource({"within a day, 86400000, false", "within a minute, 60000, false", "keyed within a day, 86400000, true"})
    void measuresTheMemoryOfAScheduledTask(String when, int range, boolean keyed) {
        try (LocalRedis redis = Brokers.ownRedis();
                RedisStore store = RedisStore.open(RedisSettings.of(redis.address()))) {
            RedisClient client = RedisClient.create(redis.address());
            try {
                RedisCommands<String, String> commands = client.connect().sync();
                TestOwner owner = new TestOwner(store, Partition.of("orders", 0), "executor-1f3a9c27d4");
                owner.acquire();
                long before = used(commands);
                Random random = new Random(1);
                long now = System.currentTimeMillis();
                for (int from = 0; from < TASKS; from += 250) {
                    List<HandOver> entries = new ArrayList<>();
                    for (int i = from; i < from + 250; i++) {
                        String key = keyed ? "customer-" + i % 5_000 : null;
                        byte[] payload = new byte[64];
                        random.nextBytes(payload);
                        long at = now + random.nextInt(range);
                        Task task = new Task(null, "orders", "order.paid", key, payload, Map.of(), now, at, 0, 0, null);
                        entries.add(new HandOver(
                                Position.of(1, 10_000_000 + i),
                                key,
                                SettledMark.NONE,
                                new Move.Schedule(at),
                                Envelope.of(task).encode()));
                    }
                    owner.ask(
                            new StoreRequest.TakeCustody(owner.header(), Incarnation.of(0), 0, 10, 10, entries),
                            StoreAnswer.CustodyTaken.class);
                }
                System.out.printf(
                        "memory: %.0f bytes of used_memory for each of %d tasks scheduled %s%n",
                        (double) (used(commands) - before) / TASKS, TASKS, when);
                assertThat(store.inspector()
                                .counts(owner.partition)
                                .join()
                                .tasks()
                                .get(dev.tandem.task.TaskState.SCHEDULED))
                        .isEqualTo(TASKS);
            } finally {
                client.shutdown();
            }
        }
    }

    private static long used(RedisCommands<String, String> commands) {
        String info = commands.info("memory");
        return field(info, "used_memory") - field(info, "mem_aof_buffer") - field(info, "mem_clients_normal");
    }

    private static long field(String info, String name) {
        Matcher value = Pattern.compile("(?m)^" + name + ":(\\d+)").matcher(info);
        assertThat(value.find()).as(name).isTrue();
        return Long.parseLong(value.group(1));
    }
}
