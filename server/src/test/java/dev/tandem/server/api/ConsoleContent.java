package dev.tandem.server.api;

import dev.tandem.kafka.LoggedTask;
import dev.tandem.server.access.AuditEntry;
import dev.tandem.server.archive.ArchivedOutcome;
import dev.tandem.server.inspect.ExecutorInfo;
import dev.tandem.server.inspect.KeyInfo;
import dev.tandem.server.inspect.TaskInfo;
import dev.tandem.server.inspect.TaskRef;
import dev.tandem.server.operations.Operation;
import dev.tandem.server.operations.OperationInfo;
import dev.tandem.server.operations.OperationProgress;
import dev.tandem.server.operations.TaskSelection;
import dev.tandem.task.AttemptHistory;
import dev.tandem.task.Envelope;
import dev.tandem.task.Task;
import dev.tandem.task.TaskNotes;
import dev.tandem.task.TaskState;
import dev.tandem.task.fanout.FanOutAnswer.Stop;
import dev.tandem.task.fanout.FanOutPlan;
import dev.tandem.task.fanout.FanOutRecord;
import dev.tandem.task.fanout.FanOutRecord.Phase;
import dev.tandem.task.schedule.ScheduleBook;
import dev.tandem.task.schedule.ScheduleBook.Entry;
import dev.tandem.task.statistics.DurationHistogram;
import dev.tandem.task.statistics.QueueStatistics;
import dev.tandem.task.statistics.RunTally;
import dev.tandem.task.store.DeadGroup;
import dev.tandem.task.store.DeadGroups;
import dev.tandem.task.store.LimitOverride;
import dev.tandem.task.store.PermitRequest.PermitRun;
import dev.tandem.task.store.PermitView;
import dev.tandem.task.store.RateInfo;
import dev.tandem.task.store.RateView;
import dev.tandem.task.store.StoreAnswer.BlockReason;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Content for the pages of the console in tests: something of everything, whose names and texts a test chooses. */
final class ConsoleContent {

    static final String FAN_OUT = "00112233445566778899";
    static final String OPERATION = "o-1";
    static final String FINGERPRINT = "5f0c2a9be471";

    private static final String DEFINITION = """
            {"id": "nightly", "queue": "orders", "type": "report", "cron": "0 30 2 * * *",
             "zone": "Europe/Berlin", "misfire": "one", "misfireAfter": "PT1M", "misfireMax": 100, "overlap": "skip",
             "jitter": "PT0S"}
            """;

    private ConsoleContent() {}

    /** Puts something on every page, with this text wherever a publisher, a program or a person could have chosen one. */
    static void put(String text) {
        putTasks(text);
        Instant now = Instant.now().truncatedTo(ChronoUnit.SECONDS);
        ApiTestBase.PLATFORM.executors = List.of(new ExecutorInfo(
                "host-1",
                text,
                now,
                now,
                List.of(new ExecutorInfo.Share("orders", 12, 3, List.of("bill", text), List.of(text)))));
        ApiTestBase.claim("orders", "1:4", text, 1);
        ApiTestBase.tell(text, "orders", "1:4", text, text);
        ApiTestBase.PLATFORM.live = Set.of(text);
        ApiTestBase.SCHEDULES.now = now.toEpochMilli();
        ApiTestBase.SCHEDULES.entries = List.of(schedule(text, now.toEpochMilli(), true));
        ApiTestBase.FAN_OUTS.records.put(FAN_OUT, fanOut(FAN_OUT, Phase.SEALED, Stop.NO, text));
        ApiTestBase.PLATFORM.limits.put(text, limit(text));
        ApiTestBase.PLATFORM.limits.put("queue:orders", limit("queue:orders"));
        ApiTestBase.PLATFORM.rateLimits.put(text, rateLimit(text));
        ApiTestBase.OPERATIONS.known.add(operation(
                OPERATION,
                text,
                false,
                new OperationProgress(OperationProgress.State.RUNNING, 12_000, 40, 38, 2, "3", 3, 12, null)));
        ApiTestBase.AUDIT.entries.add(entry("7-1", "key '" + text + "' of queue orders"));
        ApiTestBase.AUDIT.entries.add(entry("7-2", "task @0/1:1 of queue orders"));
        ApiTestBase.ARCHIVE.outcomes.add(outcome(text, now.minusSeconds(90)));
    }

    private static void putTasks(String text) {
        TaskRef head = new TaskRef("0", "1:1");
        TaskInfo dead = task("1:1", TaskState.DEAD, text, head);
        ApiTestBase.put(dead);
        ApiTestBase.put(task("1:2", TaskState.PARKED, text, head));
        ApiTestBase.put(task("1:3", TaskState.RETRY, text, null));
        ApiTestBase.put(task("1:9", TaskState.SCHEDULED, text, null));
        ApiTestBase.PLATFORM.keys.put(text, new KeyInfo(text, "0", BlockReason.HALTED, Instant.EPOCH, head, 1, dead));
        ApiTestBase.PLATFORM.deadGroups = new DeadGroups(
                3, 1, 1, true, List.of(new DeadGroup(FINGERPRINT, text, text, 2, 1, 1_000, 1_700_000_000_000L)));
        ApiTestBase.LOG.tasks = List.of(
                new LoggedTask(99, text, text, 1_700_000_000_000L, 0, true),
                new LoggedTask(1, text, text, 1_700_000_000_000L, 0, true));
    }

    private static TaskInfo task(String position, TaskState state, String text, @Nullable TaskRef head) {
        Map<String, String> headers =
                Map.of("x-note", text, "tandem-depends-on", "known-1,//mail/later", "tandem-fan-out", FAN_OUT + "/7/1");
        Task task = new Task(text, "orders", text, text, ApiTestBase.bytes(text), headers, 0, 0, 0, 0, "own");
        return new TaskInfo(
                new TaskRef("0", position),
                state,
                Instant.EPOCH,
                text,
                2,
                text,
                head,
                new Envelope(task, 2, 9, text),
                null,
                AttemptHistory.of(task),
                TaskNotes.NONE);
    }

    static Entry schedule(String id, long seen, boolean created) {
        return new Entry(
                id,
                DEFINITION,
                seen,
                seen - 60_000,
                ScheduleBook.NONE,
                ScheduleBook.NONE,
                ScheduleBook.NONE,
                7,
                1,
                0,
                created);
    }

    static FanOutRecord fanOut(String id, Phase phase, Stop stop, String error) {
        FanOutPlan plan = new FanOutPlan(
                "orders",
                "3/1:17",
                error,
                "split",
                "",
                1,
                FanOutPlan.Rule.PARTIAL,
                0.05,
                "mail",
                new byte[0],
                60_000,
                10);
        long now = Instant.now().toEpochMilli();
        boolean complete = phase == Phase.COMPLETE;
        return new FanOutRecord(
                id,
                plan,
                phase,
                stop,
                stop == Stop.NO ? "" : "asked for",
                80,
                phase == Phase.OPEN ? -1 : 100,
                42,
                2,
                1,
                now - 120_000,
                complete ? now - 5_000 : 0,
                complete,
                0,
                "final-1",
                Stream.of(7, 8, 9, 10)
                        .map(number -> new FanOutRecord.Failure(number, error))
                        .toList(),
                1,
                FanOutRecord.Master.NOT_AWAITED);
    }

    private static PermitView limit(String name) {
        PermitRun run = new PermitRun("orders", "0/1:1", name, 1_700_000_000_000L);
        return new PermitView(
                name,
                5,
                new LimitOverride.OfPermits(9, name, ApiTestBase.NOW_MINUTE * 60_000, "9"),
                List.of(new PermitView.Holder(name, 4, 7, 2, 800, List.of(run))));
    }

    private static RateView rateLimit(String name) {
        return new RateView(
                new RateInfo(name, 12_000_000, 3, "header:tenant"),
                null,
                7,
                1,
                List.of(new RateView.Bucket(name, 1_700_000_000_000_000L, 0)));
    }

    static OperationInfo operation(String id, @Nullable String error, boolean counts, OperationProgress progress) {
        TaskSelection dead = new TaskSelection(
                List.of(TaskState.DEAD),
                null,
                null,
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
                error == null ? null : FINGERPRINT);
        Operation operation = new Operation("orders", id, Operation.Action.RETRY, dead, counts, null, "ann");
        return new OperationInfo("orders", id, operation, progress, Instant.now(), null, null);
    }

    static AuditEntry entry(String id, String subject) {
        return AuditEntries.of(subject).id(id).entry();
    }

    /** Makes these counts those of a queue in the last whole minute. */
    static void addLastMinute(String queue, long... counts) {
        ApiTestBase.PLATFORM.statistics.put(
                queue,
                List.of(new QueueStatistics.Point(
                        ApiTestBase.NOW_MINUTE - 1,
                        new RunTally(counts, DurationHistogram.EMPTY, DurationHistogram.EMPTY))));
    }

    static ArchivedOutcome outcome(String text, Instant at) {
        return new ArchivedOutcome(
                "orders", "0", "1:1", "dead", at, text, text, text, 2, text, text, null, 1_234L, null, 1);
    }
}
