package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.local.LocalRedis;
import dev.tandem.scheduler.Admin.Result;
import dev.tandem.scheduler.OperationTasks.Stage;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.TaskState;
import dev.tandem.task.store.RunRequest;
import dev.tandem.task.store.RunRequest.RunNotes;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.testkit.Brokers;
import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * How long the scripts of operators and of the housekeeper take in a partition that holds much. {@code
 * -Dscripts.tasks=1000000} makes it more; the times are printed.
 */
class ScriptTimeIT {

    private static final int TASKS = Integer.getInteger("scripts.tasks", 50_000);

    /** Some ten milliseconds of a processor, and what a busy machine adds. */
    private static final long MAX_MEDIAN_MICROS = 25_000;

    private static final Partition PARTITION = Partition.of("large", 0);

    /** How many tasks one call of {@link #LOAD} writes, so that none takes as long as a client waits. */
    private static final int LOADED_AT_ONCE = 5_000;

    /** Fills the partition: ARGV 1 what, 2 how many in all, 3 the set of partitions, 4 and 5 the first and the last of this call. */
    private static final String LOAD = """
            local what, count = ARGV[1], tonumber(ARGV[2])
            local function envelope(key, size)
              return '\\1\\8' .. string.char(#key) .. key .. string.rep('x', size)
            end
            for i = tonumber(ARGV[4]), tonumber(ARGV[5]) do
              local position = '0:' .. i
              if what == 'lane' then
                redis.call('HSET', KEYS[5], position, envelope('hot', 100))
                redis.call('ZADD', KEYS[9], '0', struct.pack('>I4', 3) .. 'hot' .. struct.pack('>I8', i) .. position)
              elseif what == 'scheduled' then
                redis.call('ZADD', KEYS[6], 4000000000000 + i, '5:' .. i)
                redis.call('HSET', KEYS[5], '5:' .. i, envelope('s', 100))
              elseif what == 'dead' then
                redis.call('HSET', KEYS[12], '1:' .. i, envelope('d', i <= 50 and 1000000 or 100))
                redis.call('ZADD', KEYS[11], i, '1:' .. i)
                redis.call('HSET', KEYS[29], '1:' .. i, 'group-' .. i % 500)
                if i <= 500 then
                  redis.call('HSET', KEYS[28], 'group-' .. i % 500,
                    string.format('%d 0 1 1 4 ship', count / 500) .. string.rep('x', 200))
                end
              elseif what == 'notes' and i <= 50 then
                -- Checkpoints of tasks that wait, and runs with the most lines.
                redis.call('HSET', KEYS[25], position, '\\1' .. struct.pack('>I6', 1) .. string.rep('x', 1048576))
                local token = struct.pack('>I8', i)
                redis.call('HSET', KEYS[2], '6:' .. i, '\\1' .. struct.pack('>I6', 1) .. token .. '\\0\\0')
              elseif what == 'gone' then
                redis.call('HSET', KEYS[17], 'id-' .. i, position)
              elseif what == 'far' and i % 50 == 0 then
                local entries, minute = {}, 70000000 + math.floor(i / 5000)
                for n = 1, 50 do
                  local far = '2:' .. i + n
                  entries[n] = struct.pack('>I2I1', n, #far) .. far
                end
                local last = i / 50 % 100 + 1
                redis.call('HSET', KEYS[18], minute .. ':' .. last, table.concat(entries), minute, last)
                redis.call('ZADD', KEYS[19], minute * 60000, minute)
              end
            end
            redis.call('HSET', KEYS[8], 'hot', 'X1700000000000' .. '1:1')
            redis.call('SADD', ARGV[3], '0')
            """;

    @Test
    void noneTakesLongWhateverRedisHolds() {
        try (LocalRedis redis = Brokers.orSkip(() -> LocalRedis.builder().start());
                RedisStore store = RedisStore.open(RedisSettings.of(redis.address()))) {
            RedisClient client = RedisClient.create(redis.address());
            try {
                RedisCommands<byte[], byte[]> commands =
                        client.connect(ByteArrayCodec.INSTANCE).sync();
                for (String what : List.of("lane", "scheduled", "dead", "gone", "far", "notes")) {
                    load(commands, what);
                }
                commands.configSet("slowlog-max-len", "100000");
                commands.configSet("slowlog-log-slower-than", "0");
                Map<Script, List<Long>> times = new EnumMap<>(Script.class);
                double before = processorMicros(commands);
                list(store.inspector());
                addTimes(commands, times);
                note(store);
                addTimes(commands, times);
                change(store, () -> addTimes(commands, times));
                assertShort(times, processorMicros(commands) - before);
            } finally {
                client.shutdown();
            }
        }
    }

    private static void list(Inspector inspector) {
        for (TaskState state : List.of(TaskState.SCHEDULED, TaskState.PARKED, TaskState.DEAD)) {
            String cursor = null;
            for (int page = 0; page < 10; page++) {
                cursor = inspector
                        .tasks(PARTITION, state, cursor, Inspector.MAX_PAGE)
                        .join()
                        .next();
            }
        }
        assertThat(drainFarPages(inspector)).as("far-off tasks that have gone").isZero();
        inspector.counts(PARTITION).join();
        for (int i = 0; i < 10; i++) {
            assertThat(inspector
                            .deadGroups(PARTITION, Inspector.MAX_PAGE)
                            .join()
                            .groups())
                    .hasSize(500);
        }
        assertThat(inspector.keys().fullest(PARTITION).join().orElseThrow().parked())
                .isEqualTo(TASKS);
    }

    private static void note(RedisStore store) {
        List<String> lines = Collections.nCopies(100, "\u20ac".repeat(500));
        List<RunNotes> runs = new ArrayList<>();
        for (int i = 1; i <= 50; i++) {
            runs.add(new RunNotes(Position.of(6, i), i, "", lines));
        }
        for (int request = 0; request < 2; request++) {
            assertThat(store.ask(new RunRequest.KeepProgress(PARTITION, 100, runs))
                            .toCompletableFuture()
                            .join())
                    .isEqualTo(new StoreAnswer.ProgressKept(50));
        }
        assertThat(store.inspector().running(List.of(PARTITION), 500).join()).hasSize(50);
    }

    private static void change(RedisStore store, Runnable afterEach) {
        Inspector inspector = store.inspector();
        Position last = Position.of(0, TASKS);
        assertThat(inspector.task(PARTITION, last).join().orElseThrow().state()).isEqualTo(TaskState.PARKED);
        assertThat(store.admin().delete(PARTITION, last).join()).isEqualTo(Result.DONE);
        afterEach.run();
        OperationTasks tasks = store.operationTasks();
        operate(tasks, "delete", Stage.DEAD, new TaskChange.Delete(Admin.Deletion.DEAD_NOT_HALTING));
        afterEach.run();
        operate(tasks, "retry", Stage.DEAD, new TaskChange.Retry());
        afterEach.run();
        operate(tasks, "cancel", Stage.PARKED, new TaskChange.Delete(Admin.Deletion.WAITING));
        afterEach.run();
        operate(tasks, "now", Stage.NEAR, new TaskChange.Retry());
        afterEach.run();
        operate(tasks, "far", Stage.FAR, new TaskChange.None());
        afterEach.run();
        Retention little = new Retention(Duration.ofDays(10_000_000), 100, Duration.ofDays(1), 100, 1 << 20);
        Housekeeper housekeeper = new Housekeeper(store.adminConnection(), store.admin(), little);
        housekeeper.trim(PARTITION).join();
        afterEach.run();
        assertThat(store.admin().drainKey(PARTITION, "hot").join()).isEqualTo(Result.DONE);
        afterEach.run();
        housekeeper.trim(PARTITION).join();
        afterEach.run();
        assertThat(inspector.counts(PARTITION).join().tasks().get(TaskState.DEAD))
                .isEqualTo(100);
    }

    /** Does the first steps of an operation. The oldest dead tasks have 1 MB. */
    private static void operate(OperationTasks tasks, String operation, Stage stage, TaskChange change) {
        OperationTasks.Done done = OperationTasks.Done.NOTHING;
        @Nullable String cursor = null;
        for (int step = 0; step < 60; step++) {
            OperationTasks.Page page =
                    tasks.page(PARTITION, stage, cursor, Long.MAX_VALUE).join();
            done = tasks.step(
                            PARTITION,
                            operation,
                            done,
                            change,
                            page.tasks(),
                            page.tasks().size(),
                            0,
                            "")
                    .join()
                    .orElseThrow();
            cursor = page.next();
            if (cursor == null) {
                return;
            }
        }
        assertThat(done.refused()).isZero();
        assertThat(done.changed()).isEqualTo(change instanceof TaskChange.None ? 0 : done.looked());
    }

    private static int drainFarPages(Inspector inspector) {
        int found = 0;
        @Nullable String cursor = TaskCursor.encode("later 70000000:999:0".getBytes(StandardCharsets.UTF_8));
        for (int page = 0; cursor != null && page < 20; page++) {
            ResultPage<TaskView> next =
                    inspector.tasks(PARTITION, TaskState.SCHEDULED, cursor, 100).join();
            found += next.items().size();
            cursor = next.next();
        }
        return found;
    }

    /** Adds the times of the calls since the last time. */
    private static void addTimes(RedisCommands<byte[], byte[]> commands, Map<Script, List<Long>> times) {
        for (Object entry : commands.slowlogGet(100_000)) {
            List<?> fields = (List<?>) entry;
            List<?> arguments = (List<?>) fields.get(3);
            String named = arguments.size() < 2 ? "" : new String((byte[]) arguments.get(1), StandardCharsets.US_ASCII);
            for (Script script : Script.values()) {
                if (named.equals(new String(script.sha(), StandardCharsets.US_ASCII))) {
                    times.computeIfAbsent(script, none -> new ArrayList<>()).add((Long) fields.get(2));
                }
            }
        }
        commands.slowlogReset();
    }

    /** Returns how long Redis has had a processor, in microseconds. */
    private static double processorMicros(RedisCommands<byte[], byte[]> commands) {
        Map<String, String> facts = RedisPreflight.facts(commands.info("cpu"));
        return 1e6 * (Double.parseDouble(facts.get("used_cpu_user")) + Double.parseDouble(facts.get("used_cpu_sys")));
    }

    /** @param processorMicros how long Redis had a processor meanwhile, which on a busy machine is less than they took */
    private static void assertShort(Map<Script, List<Long>> times, double processorMicros) {
        long all = times.values().stream()
                .flatMap(List::stream)
                .mapToLong(Long::longValue)
                .sum();
        double share = Math.min(1, processorMicros / all);
        assertThat(times)
                .containsKeys(
                        Script.INSPECT,
                        Script.READ_DEAD_GROUPS,
                        Script.WRITE_PROGRESS,
                        Script.ADMINISTER,
                        Script.CHANGE_TASKS,
                        Script.SCAN_TASKS,
                        Script.TRIM_HISTORY,
                        Script.TRIM_SUCCESSES,
                        Script.TRIM_NOTES);
        times.forEach((script, micros) -> {
            micros.sort(null);
            long median = micros.get(micros.size() / 2);
            System.out.printf(
                    "%s: %d calls, median %.1f ms, longest %.1f ms%n",
                    script, micros.size(), median / 1e3, micros.get(micros.size() - 1) / 1e3);
            assertThat((long) (median * share)).as("%s", script).isLessThan(MAX_MEDIAN_MICROS);
        });
    }

    private static void load(RedisCommands<byte[], byte[]> commands, String what) {
        for (int first = 1; first <= TASKS; first += LOADED_AT_ONCE) {
            int last = Math.min(TASKS, first + LOADED_AT_ONCE - 1);
            commands.eval(
                    LOAD.getBytes(StandardCharsets.UTF_8),
                    ScriptOutputType.STATUS,
                    RedisKeys.DEFAULTS.of(PARTITION),
                    bytes(what),
                    bytes(Integer.toString(TASKS)),
                    RedisKeys.DEFAULTS.partitions(PARTITION.queue()),
                    bytes(Integer.toString(first)),
                    bytes(Integer.toString(last)));
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
