package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.scheduler.ProcessRegistry.Hold;
import dev.tandem.task.DeadHead;
import dev.tandem.task.Envelope;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.Task;
import dev.tandem.task.schedule.ScheduleBook;
import dev.tandem.task.schedule.ScheduleBook.Announced;
import dev.tandem.task.schedule.ScheduleBook.Change;
import dev.tandem.task.schedule.ScheduleBook.Claim;
import dev.tandem.task.schedule.ScheduleBook.Definition;
import dev.tandem.task.schedule.ScheduleBook.Mark;
import dev.tandem.task.schedule.ScheduleBook.Result;
import dev.tandem.task.store.Incarnation;
import dev.tandem.task.store.PartitionHistory;
import dev.tandem.task.store.SettledMark;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreRequest;
import dev.tandem.task.store.StoreRequest.HandOver;
import dev.tandem.task.store.StoreRequest.Move;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.SharedRedis;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Compares what fixed requests store in Redis with a file, byte for byte. During a rolling upgrade, programs of two
 * versions work on the same data. Other tests run one version only, so they would not notice a new format.
 *
 * <p>{@code -Dstored-format=write} writes the file anew.
 */
class StoredFormatIT {

    private static final Path FILE = Path.of("src/test/resources/dev/tandem/scheduler/stored-format.txt");

    private static final String HEADER = """
            # What StoredFormatIT's requests store in Redis.
            #
            # Programs of two versions work on the same data during a rolling upgrade. A change here is a change of the
            # format: it needs a decision and a way to upgrade.
            """;

    /** A database of this test alone, so that everything in it can be compared. */
    private static final String DATABASE = "/9";

    /** Keys that earlier versions wrote, and that are still read and trimmed: KeptSuccessesIT. */
    private static final Set<String> ONLY_READ = Set.of("succeeded", "samples");

    private static final long START = 1_800_000_000_000L;

    private static final SettledMark NONE = SettledMark.NONE;
    private static final SettledMark AWAITS_REDELIVERY = SettledMark.AWAITS_REDELIVERY;

    private final StringBuilder text = new StringBuilder(HEADER);
    private final Set<String> partitionKeys = new TreeSet<>();

    @Test
    void requestsStoreTheBytesOfTheFile() throws IOException {
        compare(Brokers.redis());
    }

    @Test
    void requestsStoreTheBytesOfTheFileOnTheOldestSupportedRedis() throws IOException {
        compare(Brokers.oldestRedis());
    }

    private void compare(SharedRedis redis) throws IOException {
        String uri = redis.uri() + DATABASE;
        RedisClient client = RedisClient.create(uri);
        try (StatefulRedisConnection<byte[], byte[]> connection = client.connect(ByteArrayCodec.INSTANCE)) {
            connection.sync().flushdb();
            try (FixedTimeScripts scripts = FixedTimeScripts.on(client)) {
                log(scripts, connection);
                connection.sync().flushdb();
                messageQueue(scripts, connection);
            }
            assertThat(partitionKeys).containsExactlyInAnyOrderElementsOf(writtenPartitionKeys());
            connection.sync().flushdb();
            operatorsAndExecutors(uri, connection);
            connection.sync().flushdb();
            schedules(uri, connection);
            connection.sync().flushdb();
        } finally {
            client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        }
        if ("write".equals(System.getProperty("stored-format"))) {
            Files.createDirectories(FILE.getParent());
            Files.writeString(FILE, text);
        }
        assertThat(text.toString())
                .as("What %s stores, compared with %s. Its header says what a change means", redis, FILE)
                .isEqualTo(Files.readString(FILE));
    }

    private static List<String> writtenPartitionKeys() {
        return Stream.of(RedisKeys.DEFAULTS.of(Partition.of("any", 0)))
                .map(key -> lastPart(new String(key, StandardCharsets.UTF_8)))
                .filter(key -> !ONLY_READ.contains(key))
                .toList();
    }

    private static String lastPart(String key) {
        return key.substring(key.indexOf("}:") + 2);
    }

    private void log(FixedTimeScripts scripts, StatefulRedisConnection<byte[], byte[]> connection) {
        Partition partition = Partition.of("orders", 0);
        scripts.setTime(partition, START);
        scripts.setRunId(partition, "runA");
        FixedOwner first = new FixedOwner(scripts, partition, "executor-1", Incarnation.of(1));
        first.acquire(7, "topic-a", 100);
        first.acquire(8, "topic-b", 40_000);
        takeAndSettle(first);
        blockKeys(first);
        first.note(
                at(14), "page 7", "1800000000000 1 3 10 of the pages", "1800000000000 1 begun", "1800000000000 1 half");
        first.note(at(15), "gone when it succeeds", "1800000000000 1 1 0 ");
        scripts.setTime(partition, START + 4_000);
        first.keepClaims(at(13), at(14), at(17), at(19));
        scripts.setTime(partition, START + 10_500);
        first.expireLeases();
        first.renew(at(13), at(14));
        scripts.setTime(partition, START + 95_000);
        first.claimDue();
        first.settle(
                first.successWithNext(at(8), "retried", at(20)), first.dead(at(23), "drained", NONE, DeadHead.DRAIN));
        first.settle(first.retry(at(20), "retried", NONE, 60_000));
        first.claim(first.newClaim(at(3), "far", true));
        first.recordCommit(49_500);
        append("A log's partition", connection);

        scripts.setTime(partition, START + 96_000);
        scripts.setRunId(partition, "runB");
        FixedOwner second = new FixedOwner(scripts, partition, "executor-2", Incarnation.of(1));
        second.acquire(9, "topic-b", 49_600, second.presented(at(30), "presented"));
        second.claim(second.newClaim(at(32), null));
        first.settleLate(first.successWithRelay(at(17), "late-ö", offset(17), at(31)));
        first.settleLate(first.retry(at(13), "relayed", offset(13), 1_000));
        first.keepClaims(at(14), at(19));
        append("The same, after a restart of Redis and with another owner", connection);
    }

    private static void takeAndSettle(FixedOwner owner) {
        owner.handOver(
                owner.entry(at(1), "near", offset(1), new Move.Schedule(START + 20_000)),
                owner.entry(at(2), "far", offset(2), new Move.Schedule(START + 300_000)),
                owner.entry(at(3), "far", offset(3), new Move.Schedule(START + 301_500)),
                owner.entry(at(4), null, offset(4), new Move.Schedule(START + 100_000)),
                owner.entry(at(5), null, offset(5), new Move.Bury()),
                owner.entry(at(26), null, offset(26), new Move.Schedule(START + 60_000)));
        owner.claim(
                owner.newClaim(at(6), null),
                owner.newClaim(at(7), null),
                owner.newClaim(at(8), "retried"),
                owner.newClaim(at(9), "halted"),
                owner.newClaim(at(10), "skipped"),
                owner.newClaim(at(11), null),
                owner.newClaim(at(12), "relayed"),
                owner.newClaim(at(14), "adopted"),
                owner.newClaim(at(15), null),
                owner.newClaim(at(16), "lapsed"),
                owner.newClaim(at(17), "late-ö"),
                owner.newClaim(at(18), "overtaken"),
                owner.newClaim(at(19), "overtaken"),
                owner.newClaim(at(23), "drained"),
                owner.newClaim(at(700), "plain"),
                owner.newClaim(Position.of(1, 40_001), null));
        owner.settle(
                owner.success(at(6), null, offset(6)),
                owner.success(at(700), "plain", offset(700)),
                owner.success(Position.of(1, 40_001), null, new SettledMark.Offset(40_001)),
                owner.successWithRelay(at(12), "relayed", offset(12), at(13)));
        owner.settle(
                owner.keptSuccess(at(7), null, offset(7)),
                owner.retry(at(8), "retried", offset(8), 20_000),
                owner.dead(at(9), "halted", offset(9), DeadHead.HALT),
                owner.dead(at(10), "skipped", offset(10), DeadHead.SKIP),
                owner.returned(at(11), null),
                owner.retry(at(23), "drained", offset(23), 100));
    }

    private static void blockKeys(FixedOwner owner) {
        owner.handOver(
                owner.entry(at(20), "retried", offset(20), new Move.Park()),
                owner.entry(at(21), "retried", offset(21), new Move.Park()),
                owner.entry(at(22), "halted", offset(22), new Move.Park()),
                owner.entry(at(24), "drained", offset(24), new Move.Park()),
                owner.entry(at(14), "adopted", offset(14), new Move.Adopt()),
                owner.entry(at(19), "overtaken", offset(19), new Move.Adopt()),
                owner.entry(at(18), "overtaken", offset(18), new Move.Adopt()));
    }

    private void messageQueue(FixedTimeScripts scripts, StatefulRedisConnection<byte[], byte[]> connection) {
        Partition partition = Partition.of("mails", 0);
        scripts.setTime(partition, START);
        scripts.setRunId(partition, "runA");
        FixedOwner owner = new FixedOwner(scripts, partition, "executor-1", Incarnation.NO_OFFSETS);
        owner.acquire(-1, "", -1);
        for (int i = 1; i <= 13; i++) {
            owner.claim(owner.newClaim(message(i), keyOfMessage(i)));
        }
        owner.settle(owner.success(message(1), null, page(0)), owner.success(message(2), null, page(1)));
        owner.settle(
                owner.keptSuccess(message(3), null, page(1)),
                owner.retry(message(4), "retried", page(1), 60_000),
                owner.success(message(6), null, AWAITS_REDELIVERY),
                owner.success(message(7), null, AWAITS_REDELIVERY));
        scripts.setTime(partition, START + 4_000);
        owner.keepClaims(message(9), message(10), message(11));
        scripts.setTime(partition, START + 10_500);
        owner.expireLeases();
        owner.renew(message(9));
        owner.handOver(
                owner.entry(message(14), "gone", page(2), new Move.Park()),
                owner.entry(message(15), null, AWAITS_REDELIVERY, new Move.Schedule(START + 30_000)));
        owner.abandon(message(13), "gone");
        owner.recordCommit(1);
        owner.forward("asker-1", message(5), message(6), message(11));
        owner.settleLate(owner.success(message(10), null, NONE));
        owner.release();
        append("A message queue's partition", connection);
    }

    /** Compares keys that need no fixed clock. Times in them are replaced. */
    private void operatorsAndExecutors(String uri, StatefulRedisConnection<byte[], byte[]> connection) {
        Partition partition = Partition.of("operated", 0);
        try (RedisStore store = RedisStore.open(RedisSettings.of(uri));
                TestOwner owner = new TestOwner(store, partition, "executor-1")) {
            owner.acquire();
            List<HandOver> entries = List.of(
                    operated(1, new Move.Bury()),
                    operated(2, new Move.Schedule(4_000_000_000_000L)),
                    operated(3, new Move.Schedule(4_000_000_000_500L)));
            owner.ask(
                    new StoreRequest.TakeCustody(owner.header(), Incarnation.of(0), 0, 10, 10, entries),
                    StoreAnswer.CustodyTaken.class);
            assertThat(store.admin().retry(partition, at(1)).join()).isEqualTo(Admin.Result.DONE);
            assertThat(store.admin().delete(partition, at(2)).join()).isEqualTo(Admin.Result.DONE);
            store.admin().pause("operated").join();
            PartitionHistory grown = PartitionHistory.first("topic-a", 2).grown(3, START, START + 360_000);
            store.changePartitionHistory(
                            "operated", null, grown.closed(grown.growths().get(0), List.of(7L, 0L, 9L)), 0)
                    .toCompletableFuture()
                    .join();
            store.presence()
                    .beat(new Presence.Executor("executor-1", "host-1", 5, 0, Map.of("operated", 3, "other", 0)), false)
                    .join();
            store.processes()
                    .register("executor-1", new HostProcess("boot-1", 4711, 98765), Set.of("operated", "other"))
                    .join();
            store.processes().hold("web-1", "executor-1", Hold.TAKE, "").join();
            await().untilAsserted(() -> assertThat(connection.sync().exists(RedisKeys.DEFAULTS.partitions("operated")))
                    .isEqualTo(1));
            Set<String> compared = Set.of(
                    "tasks",
                    "later",
                    "minutes",
                    "index",
                    "stats",
                    "partitions",
                    "paused",
                    "partition-history",
                    "seen",
                    "facts",
                    "processes:boot-1",
                    "name:web-1");
            text.append("\n## Keys of operators and executors\n\n")
                    .append(new RedisDump(connection.sync())
                            .entries().entrySet().stream()
                                    .filter(entry -> compared.contains(lastPart(entry.getKey())))
                                    .map(entry -> entry.getValue().replaceAll("\\b1[789]\\d{11}\\b", "<now>"))
                                    .collect(Collectors.joining("\n")));
        }
    }

    private void schedules(String uri, StatefulRedisConnection<byte[], byte[]> connection) {
        try (RedisStore store = RedisStore.open(RedisSettings.of(uri))) {
            ScheduleBook book = store.schedules();
            List<Announced> all = Stream.of("first", "second", "third")
                    .map(each -> new Announced(each, "version-1", "timing-1", "{\"id\":\"" + each + "\"}"))
                    .toList();
            get(book.announce(START, START - 5, all));
            get(book.claim(
                    START + 60_000,
                    "program-1",
                    List.of(
                            new Claim("first", "version-1", START, START + 60_000, false),
                            new Claim("second", "version-1", START, START + 60_000, false))));
            get(book.mark(
                    START + 60_010,
                    "program-1",
                    List.of(new Mark("first", START + 60_000, false, true, true, 2, false))));
            get(book.mark(
                    START + 60_020,
                    "program-1",
                    List.of(new Mark("third", START + 60_000, false, false, false, 0, true))));
            assertThat(get(book.change(START + 60_030, "third", Change.PAUSE))).isEqualTo(Result.DONE);
            get(book.announce(START + 70_000, START, all.subList(0, 1)));
            assertThat(get(book.define(
                            START + 70_000,
                            new Definition("made", "version-1", "timing-1", "{\"id\":\"made\"}", "payload"),
                            ScheduleBook.NO_VERSION)))
                    .isEqualTo(Result.DONE);
            assertThat(get(book.change(START + 70_000, "first", Change.FIRE))).isEqualTo(Result.DONE);
            Definition unwanted = new Definition("unwanted", "version-1", "timing-1", "{}", "payload");
            assertThat(get(book.define(START + 70_000, unwanted, ScheduleBook.NO_VERSION)))
                    .isEqualTo(Result.DONE);
            assertThat(get(book.change(START + 70_010, "unwanted", Change.FORGET)))
                    .isEqualTo(Result.DONE);
            text.append("\n## Keys of schedules\n\n")
                    .append(new RedisDump(connection.sync())
                            .entries().entrySet().stream()
                                    .filter(entry -> entry.getKey().contains("{~schedules/"))
                                    .map(Map.Entry::getValue)
                                    .collect(Collectors.joining("\n")));
        }
    }

    private static <T> T get(CompletionStage<T> answer) {
        return answer.toCompletableFuture().join();
    }

    private static HandOver operated(int offset, Move move) {
        Task task = Task.of("operated", null, new byte[] {1, 2, 3});
        return new HandOver(at(offset), null, offset(offset), move, new Envelope(task, 3, 0, "failed").encode());
    }

    private void append(String title, StatefulRedisConnection<byte[], byte[]> connection) {
        Map<String, String> entries = new RedisDump(connection.sync()).entries();
        entries.keySet().forEach(key -> partitionKeys.add(lastPart(key)));
        text.append("\n## ").append(title).append("\n\n").append(String.join("\n", entries.values()));
    }

    private static Position at(int index) {
        return Position.of(1, 50_000 + index);
    }

    private static SettledMark offset(int index) {
        return new SettledMark.Offset(50_000 + index);
    }

    private static Position message(int index) {
        return new Position(String.format("m%012d:writer.%02d", index, index));
    }

    private static SettledMark page(int number) {
        return new SettledMark.OnPage(number);
    }

    private static @Nullable String keyOfMessage(int index) {
        return switch (index) {
            case 4 -> "retried";
            case 8 -> "lapsed";
            case 13 -> "gone";
            default -> null;
        };
    }
}
