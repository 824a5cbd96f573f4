package dev.tandem.server.api;

import dev.tandem.server.inspect.ExecutorInfo;
import dev.tandem.server.inspect.KeyInfo;
import dev.tandem.server.inspect.PartitionInfo;
import dev.tandem.server.inspect.TaskCounts;
import dev.tandem.server.inspect.TaskInfo;
import dev.tandem.server.inspect.TaskRef;
import dev.tandem.task.AttemptHistory;
import dev.tandem.task.Envelope;
import dev.tandem.task.ErrorFingerprint;
import dev.tandem.task.Task;
import dev.tandem.task.TaskNotes;
import dev.tandem.task.TaskState;
import dev.tandem.task.statistics.DurationHistogram;
import dev.tandem.task.statistics.QueueStatistics;
import dev.tandem.task.statistics.RunTally;
import dev.tandem.task.store.DeadGroup;
import dev.tandem.task.store.DeadGroups;
import dev.tandem.task.store.PartitionReport;
import dev.tandem.task.store.PermitView;
import dev.tandem.task.store.StoreAnswer.BlockReason;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Content for the pictures in the documentation: a shop whose carrier has been away for ten minutes. */
final class ScreenshotContent {

    /** A queue that only these pictures have: those of other tests have settings that make them full. */
    static final String QUEUE = "shipping";

    /** The key that is halted. */
    static final String KEY = "customer-1042";

    private static final int MINUTES = 180;
    private static final int DEAD = 12;
    private static final String ERROR = "java.net.ConnectException: the carrier does not answer";

    private static final String REFUSED = "shop.PaymentRefused: the card has expired";

    private final Instant now = Instant.now().truncatedTo(ChronoUnit.SECONDS);

    /** Puts it into what stands behind the API. */
    void put() {
        InMemoryPlatform platform = ApiTestBase.PLATFORM;
        platform.minute = now.getEpochSecond() / 60;
        platform.statistics.put(QUEUE, points(2_400, true));
        platform.statistics.put("orders", points(700, false));
        platform.statistics.put("exports", points(40, false));
        platform.statistics.put("mail", points(300, false));
        platform.partitions.put(
                QUEUE,
                List.of(
                        partition(0, "web-1", 2, new TaskCounts(7, 31, 9, 14, 5, 181_204)),
                        partition(1, "web-2", 1, new TaskCounts(6, 28, 4, 3, 4, 179_880)),
                        partition(2, "web-1", 0, new TaskCounts(8, 30, 6, 0, 0, 180_411)),
                        partition(3, "web-2", 1, new TaskCounts(5, 35, 5, 2, 3, 182_097))));
        platform.partitions.put(
                "orders",
                List.of(
                        partition(0, "web-1", 0, new TaskCounts(3, 0, 0, 0, 0, 48_006)),
                        partition(2, "web-1", 0, new TaskCounts(2, 0, 0, 0, 0, 47_911))));
        platform.partitions.put("exports", List.of(partition(0, "web-2", 0, new TaskCounts(1, 4, 0, 0, 0, 4_310))));
        platform.partitions.put(
                "mail",
                IntStream.range(0, 16)
                        .mapToObj(
                                number -> partition(number, "web-2", 0, new TaskCounts(0, number * 3, 0, 0, 0, 6_010)))
                        .toList());
        platform.counted.addAll(
                List.of(memory(0, 31, 18_412), memory(1, 9, 5_310), memory(2, 8, 4_744), memory(3, 12, 7_096)));
        PermitView.Holder holder = new PermitView.Holder("web-1", 30, 26, 0, 8_000, List.of());
        platform.limits.put("queue:" + QUEUE, new PermitView("queue:" + QUEUE, 50, null, List.of(holder)));
        platform.lags.put(QUEUE, Map.of("0", 3L, "1", 1L, "2", 0L, "3", 2L));
        platform.lags.put("orders", Map.of("0", 0L, "2", 1L));
        platform.lags.put("exports", Map.of("0", 0L));
        platform.deadGroups = new DeadGroups(DEAD, 0, 1, false, List.of(group(ERROR, 10, 1), group(REFUSED, 2, 0)));
        platform.executors = List.of(executor("web-1", 15, 5), executor("web-2", 11, 1));
        putTasks();
    }

    private static PartitionInfo partition(int number, String owner, long blocked, TaskCounts counts) {
        Map<String, Long> totals = Map.of("succeeded", counts.succeeded(), "dead", counts.dead());
        long waits = blocked * 1_700L;
        return new PartitionInfo(Integer.toString(number), owner, blocked, counts, totals, 0, 0, waits, null);
    }

    private DeadGroup group(String error, long count, long halting) {
        long died = now.minusSeconds(95).toEpochMilli();
        String fingerprint = ErrorFingerprint.of("ship", error);
        return new DeadGroup(fingerprint, "ship", error, count, halting, died - 500_000, died);
    }

    private static PartitionReport memory(int number, int tasks, long bytes) {
        return new PartitionReport(
                Integer.toString(number), "web-1", -1, tasks, 0, bytes, false, false, false, 0, true, "");
    }

    private ExecutorInfo executor(String id, int shipping, int others) {
        return new ExecutorInfo(
                id,
                id,
                now.minus(Duration.ofHours(31)),
                now,
                List.of(
                        new ExecutorInfo.Share(QUEUE, 2, shipping, List.of("bill", "pack", "ship"), null),
                        new ExecutorInfo.Share(
                                id.equals("web-1") ? "orders" : "exports", 1, others, List.of("check"), null)));
    }

    /** Returns minutes in which the load rises and falls. @param fails whether runs have failed in the last ten of them */
    private List<QueueStatistics.Point> points(int usual, boolean fails) {
        List<QueueStatistics.Point> points = new ArrayList<>();
        for (int ago = MINUTES; ago >= 0; ago--) {
            double wave = 1 + 0.25 * Math.sin(ago / 9.0) + 0.08 * Math.sin(ago * 1.7);
            long runs = Math.round(usual * wave * (ago == 0 ? 0.5 : 1));
            boolean away = fails && ago <= 10;
            long retried = away ? runs / 8 : fails && ago % 17 == 3 ? runs / 90 : 0;
            long dead = away ? 1 + ago % 3 : 0;
            long[] counts = {runs, runs - retried - dead, retried, dead};
            points.add(new QueueStatistics.Point(
                    ApiTestBase.PLATFORM.minute - ago,
                    new RunTally(
                            counts, durations(runs, 9_000 * wave * wave), durations(runs, away ? 70_000 : 28_000))));
        }
        return points;
    }

    /** Returns durations around a middle, in microseconds: most are near it, and a few are many times as long. */
    private static DurationHistogram durations(long count, double middle) {
        long[] buckets = new long[DurationHistogram.BUCKETS];
        for (int i = -8; i <= 20; i++) {
            long micros = Math.round(middle * Math.pow(2, i / 4.0));
            double share = Math.exp(-(i < 0 ? i * i / 10.0 : i * i / 26.0)) / 9;
            buckets[DurationHistogram.bucketOf(micros)] += Math.round(count * share);
        }
        return DurationHistogram.of(buckets);
    }

    private void putTasks() {
        TaskRef head = new TaskRef("0", "3:41207");
        String[] types = {"ship", "ship", "pack", "ship", "bill"};
        for (int i = 0; i < DEAD; i++) {
            boolean halts = i == 0;
            String key = halts ? KEY : "customer-" + (1043 + 61 * i % 400);
            TaskRef ref = halts ? head : new TaskRef(Integer.toString(i % 4), "3:" + (41_190 + 7 * i));
            String error = i % 5 == 4 ? REFUSED : ERROR;
            Instant died = now.minusSeconds(95 + 41L * i);
            ApiTestBase.put(task(
                    ref,
                    TaskState.DEAD,
                    "order-" + (88_310 - 3 * i),
                    types[i % 5],
                    key,
                    died,
                    halts ? head : null,
                    error));
        }
        for (int i = 0; i < 3; i++) {
            Instant published = now.minusSeconds(80 - 20L * i);
            ApiTestBase.put(task(
                    new TaskRef("0", "3:" + (41_300 + i)),
                    TaskState.PARKED,
                    "order-" + (88_340 + i),
                    types[2 - i],
                    KEY,
                    published,
                    head,
                    null));
        }
        TaskInfo dead = ApiTestBase.PLATFORM.tasks.get(head);
        ApiTestBase.PLATFORM.keys.put(
                KEY, new KeyInfo(KEY, "0", BlockReason.HALTED, now.minusSeconds(95), head, 3, dead));
    }

    private TaskInfo task(
            TaskRef ref,
            TaskState state,
            String id,
            String type,
            String key,
            Instant at,
            @Nullable TaskRef head,
            @Nullable String error) {
        boolean dead = state == TaskState.DEAD;
        Task task = new Task(
                id,
                QUEUE,
                type,
                key,
                ApiTestBase.bytes(
                        "{\"order\":\"" + id + "\",\"items\":[{\"sku\":\"A-17\",\"count\":2},{\"sku\":\"C-3\","
                                + "\"count\":1}],\"carrier\":\"swift\"}"),
                dead
                        ? Map.of("content-type", "application/json", AttemptHistory.HEADER, attempts(at, error))
                        : Map.of(),
                at.minusSeconds(240).toEpochMilli(),
                0,
                0,
                0,
                null);
        return new TaskInfo(
                ref,
                state,
                at,
                key,
                dead ? 3 : 0,
                null,
                head,
                new Envelope(task, dead ? 3 : 0, 9, error),
                null,
                AttemptHistory.of(task),
                dead ? notes(at) : TaskNotes.NONE);
    }

    private static String attempts(Instant died, @Nullable String error) {
        StringBuilder lines = new StringBuilder();
        for (int attempt = 1; attempt <= 3; attempt++) {
            long began = died.minusSeconds(70L * (3 - attempt)).toEpochMilli() - 2_003;
            lines.append(attempt + "\t" + began + "\t" + (2_000 + attempt) + "\tweb-" + (1 + attempt % 2) + "\t" + error
                    + "\n");
        }
        return lines.toString();
    }

    private static TaskNotes notes(Instant at) {
        return new TaskNotes(
                null,
                List.of(
                        new TaskNotes.Line(at.toEpochMilli() - 2_001, 3, "2 parcels, 1.4 kg"),
                        new TaskNotes.Line(at.toEpochMilli() - 1_990, 3, "asking swift for a label")),
                null);
    }
}
