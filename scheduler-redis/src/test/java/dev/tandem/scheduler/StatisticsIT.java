package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.statistics.DurationHistogram;
import dev.tandem.task.statistics.QueueStatistics;
import dev.tandem.task.statistics.QueueStatistics.Point;
import dev.tandem.task.statistics.RunCount;
import dev.tandem.task.statistics.RunTally;
import dev.tandem.task.statistics.StatisticsStep;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import io.lettuce.core.ScriptOutputType;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Statistics of queues in a real Redis. Where time must pass, the test says what time it is. */
class StatisticsIT {

    private static final long START = 30_000_000;
    private static final long DAY = 24 * 60;
    private static final Duration KEPT = Duration.ofDays(14);
    private static final byte[] ADD = timed(Script.ADD_STATISTICS, "ARGV[3]");
    private static final byte[] READ = timed(Script.READ_STATISTICS, "table.remove(ARGV)");

    private static RedisStore store;

    private final String queue = UniqueNames.fresh("orders");

    @BeforeAll
    static void open() {
        store = RedisStore.open(RedisSettings.of(Brokers.redis().uri()));
    }

    @AfterAll
    static void close() {
        if (store != null) {
            store.close();
        }
    }

    /** Returns a script that takes the minute from an argument. */
    private static byte[] timed(Script script, String argument) {
        String source = new ScriptAssembler(Map.of()).assemble(script.file());
        assertThat(source).contains("local time = call('TIME')");
        return source.replace("local time = call('TIME')", "local time = {" + argument + " * 60, 0}")
                .getBytes(StandardCharsets.UTF_8);
    }

    private CompletableFuture<List<Object>> eval(byte[] source, byte[][] keys, byte[]... arguments) {
        return store.adminConnection().run(commands -> commands.eval(source, ScriptOutputType.MULTI, keys, arguments));
    }

    private CompletableFuture<?> add(long minute, RunTally tally) {
        return eval(
                ADD,
                RedisKeys.DEFAULTS.statistics(queue),
                StatisticsCodec.encode(tally),
                text(KEPT.toMinutes()),
                text(minute));
    }

    private QueueStatistics read(long minute, StatisticsStep kept, int stepMinutes, int count) {
        byte[][] keys = RedisKeys.DEFAULTS.statistics(queue);
        byte[][] used = {keys[0], keys[1 + kept.ordinal()]};
        byte[][] arguments = Stream.concat(
                        Arrays.stream(RedisStatistics.arguments(kept, kept.most())), Stream.of(text(minute)))
                .toArray(byte[][]::new);
        return RedisStatistics.statistics(eval(READ, used, arguments).join(), stepMinutes, count);
    }

    private static byte[] text(long number) {
        return Long.toString(number).getBytes(StandardCharsets.UTF_8);
    }

    private static RunTally random(Random random, int runs) {
        long[] counts = new long[RunCount.values().length];
        long[] waits = new long[DurationHistogram.BUCKETS];
        long[] took = new long[DurationHistogram.BUCKETS];
        counts[RunCount.STARTED.ordinal()] = runs;
        for (int i = 0; i < runs; i++) {
            counts[random.nextInt(20) == 0 ? 1 + random.nextInt(counts.length - 1) : 1]++;
            // Most take some 20 ms, and wait for some 5 ms; a twentieth waits for minutes.
            took[DurationHistogram.bucketOf((long) (20_000 * Math.exp(0.7 * random.nextGaussian())))]++;
            double wait = (random.nextInt(20) == 0 ? 100_000_000 : 5_000) * Math.exp(0.7 * random.nextGaussian());
            waits[DurationHistogram.bucketOf((long) wait)]++;
        }
        return new RunTally(counts, DurationHistogram.of(waits), DurationHistogram.of(took));
    }

    /** The executor is busy, idle for hours or days, and the clock goes back now and then, as after a failover. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void pointsOfEachLengthSayWhatWasAddedInTheirTime(long seed) {
        Random random = new Random(seed);
        Map<Long, RunTally> added = new TreeMap<>();
        long latest = START;
        long minute = START;
        for (int step = 0; step < 1_500; step++) {
            int chance = random.nextInt(200);
            minute += chance == 0 ? random.nextInt(4_000) : chance < 10 ? -random.nextInt(4) : random.nextInt(3);
            // A minute that is over gets nothing more.
            latest = Math.max(latest, minute);
            minute = Math.max(minute, latest - 5);
            RunTally tally = random(random, 1 + random.nextInt(20));
            add(minute, tally).join();
            added.merge(latest, tally, RunTally::plus);
        }
        List<Point> model = added.entrySet().stream()
                .map(entry -> new Point(entry.getKey(), entry.getValue()))
                .toList();

        for (StatisticsStep kept : StatisticsStep.values()) {
            for (int group : new int[] {1, 2}) {
                int step = kept.minutes() * group;
                int count = kept.most() / group;
                long until = latest - latest % step + step;
                assertThat(read(latest, kept, step, count))
                        .as("seed %s, points of %s minutes", seed, step)
                        .isEqualTo(QueueStatistics.of(step, until, count, model));
            }
        }
        long total = added.values().stream()
                .mapToLong(each -> each.count(RunCount.STARTED))
                .sum();
        if (latest - START < 14 * DAY) {
            assertThat(read(latest, StatisticsStep.HOUR, 60, 336).total().count(RunCount.STARTED))
                    .isEqualTo(total);
        }
    }

    @Test
    void aClockThatGoesFarBackLosesNothing() {
        RunTally one = random(new Random(1), 1);
        add(START + 100, one).join();
        add(START, one).join();
        add(START + 101, one).join();

        assertThat(read(START + 110, StatisticsStep.MINUTE, 1, 180).points())
                .extracting(Point::start)
                .containsExactly(START, START + 100, START + 101);
        assertThat(read(START + 110, StatisticsStep.HOUR, 60, 336).total().count(RunCount.STARTED))
                .isEqualTo(3);
    }

    @Test
    void whatIsTooOldIsRemovedAndAllOfItExpires() {
        RunTally one = random(new Random(1), 1);
        List<CompletableFuture<?>> adding = new ArrayList<>();
        for (long minute = 0; minute < 3 * DAY; minute += 2) {
            adding.add(add(START + minute, one));
        }
        adding.forEach(CompletableFuture::join);
        byte[][] keys = RedisKeys.DEFAULTS.statistics(queue);
        long minutes =
                store.adminConnection().run(commands -> commands.llen(keys[1])).join();
        assertThat(minutes).as("those of three hours, every second minute").isBetween(89L, 91L);
        for (byte[] key : keys) {
            assertThat(store.adminConnection()
                            .run(commands -> commands.pttl(key))
                            .join())
                    .isBetween(2 * 3_600_000L, KEPT.toMillis());
        }
        add(START + 10 * DAY, one).join();
        add(START + 10 * DAY + 1, one).join();
        add(START + 10 * DAY + 3, one).join();
        assertThat(store.adminConnection()
                        .run(commands -> commands.llen(keys[1]))
                        .join())
                .as("a call removes some of them")
                .isLessThan(50);
    }

    @Test
    void programsAddUpWhatTheyDidWithinTheSameMinute() {
        RunTally one = random(new Random(1), 30);
        RunTally other = random(new Random(2), 40);
        // Ten times, so that a minute may end in between.
        for (int i = 0; i < 10; i++) {
            CompletableFuture.allOf(
                            store.statistics().add(queue, one, KEPT),
                            store.statistics().add(queue, other, KEPT))
                    .join();
        }
        for (StatisticsStep kept : StatisticsStep.values()) {
            RunTally total = store.statistics()
                    .read(queue, kept, kept.minutes(), kept.most())
                    .join()
                    .total();
            assertThat(total.count(RunCount.STARTED)).isEqualTo(700);
            RunTally both = one.plus(other);
            assertThat(total.runs().percentileMicros(0.9)).isEqualTo(both.runs().percentileMicros(0.9));
            assertThat(total.waits().count()).isEqualTo(700);
        }
        assertThat(store.statistics()
                        .read(UniqueNames.fresh("other"), StatisticsStep.MINUTE, 1, 60)
                        .join()
                        .points())
                .isEmpty();
    }

    /** Programs of several versions read and write them. The list of counts may become longer, and nothing else may change. */
    @Test
    void theyAreStoredInAFixedForm() {
        long[] waits = new long[DurationHistogram.BUCKETS];
        waits[0] = 3;
        waits[40] = 300;
        waits[41] = 1;
        add(START, new RunTally(new long[] {7, 6, 0, 1}, DurationHistogram.of(waits), DurationHistogram.of(waits)))
                .join();
        add(START, new RunTally(new long[] {1}, DurationHistogram.EMPTY, DurationHistogram.of(new long[] {0, 1})))
                .join();
        add(START + 1, new RunTally(new long[] {1}, DurationHistogram.EMPTY, DurationHistogram.EMPTY))
                .join();
        byte[] stored = store.adminConnection()
                .run(commands -> commands.lindex(RedisKeys.DEFAULTS.statistics(queue)[1], 0))
                .join();

        assertThat(HexFormat.of().formatHex(stored))
                .isEqualTo("94" + "ce01c9c380" + "9708060001000000" + "9403d0d9cd012c01" + "950301d0dacd012c01");
        // Written by a later version.
        byte[] later =
                HexFormat.of().parseHex("95" + "ce01c9c380" + "980806000100000009" + "9403d0d9cd012c01" + "90" + "07");
        assertThat(StatisticsCodec.decode(later).tally().count(RunCount.STARTED))
                .isEqualTo(8);
        assertThat(StatisticsCodec.decode(later).tally().waits().count()).isEqualTo(304);
    }

    /** Of a queue that is never idle, by its runs in each minute of 14 days. docs/observability.md says how much that is. */
    @ParameterizedTest
    @CsvSource({"10, 80", "1000, 170", "30000, 300"})
    void theyTakeNoMoreThanIsDocumented(int runsAMinute, int kilobytes) {
        Random random = new Random(7);
        List<RunTally> ofMinutes =
                Stream.generate(() -> random(random, runsAMinute)).limit(50).toList();
        List<CompletableFuture<?>> adding = new ArrayList<>();
        long end = 14 * DAY + 59;
        for (long minute = 0; minute < end; minute++) {
            RunTally tally = ofMinutes.get(random.nextInt(ofMinutes.size()));
            if (minute >= end - 200) {
                adding.add(add(START + minute, tally));
            } else if (minute % 5 == 0) {
                // The sum of five minutes, since nothing is kept of these minutes.
                RunTally two = tally.plus(ofMinutes.get(random.nextInt(ofMinutes.size())));
                adding.add(add(START + minute, two.plus(two).plus(tally)));
            }
        }
        adding.forEach(CompletableFuture::join);
        long bytes = 0;
        for (byte[] key : RedisKeys.DEFAULTS.statistics(queue)) {
            bytes += store.adminConnection()
                    .run(commands -> commands.memoryUsage(key))
                    .join();
        }
        System.out.println(runsAMinute + " runs in each minute of 14 days take " + bytes + " bytes");
        assertThat(bytes).isLessThan(kilobytes * 1_000L);
    }
}
