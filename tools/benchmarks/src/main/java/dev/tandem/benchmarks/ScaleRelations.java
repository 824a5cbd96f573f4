package dev.tandem.benchmarks;

import dev.tandem.scheduler.RedisStore;
import dev.tandem.task.BusinessId;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.Task;
import dev.tandem.task.TaskHeaders;
import dev.tandem.task.TaskPlace;
import dev.tandem.task.fanout.FanOutBuckets;
import dev.tandem.task.fanout.FanOutCaller;
import dev.tandem.task.fanout.FanOutPlan;
import dev.tandem.task.fanout.FanOutReply;
import dev.tandem.task.fanout.FanOutRequest;
import dev.tandem.task.fanout.FanOutRequest.End;
import dev.tandem.task.fanout.Subtask;
import dev.tandem.task.store.DedupBuckets;
import dev.tandem.task.store.DependencyRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Things that one scheduled task has to do with: tasks that it waits for, others that wait for it, and fan-outs. */
final class ScaleRelations {

    private static final long PATIENCE_SECONDS = 30;

    /** More than a page of a task shows on each side. */
    private static final int NEIGHBOURS = 30;

    private static final String NAME = "order-0";
    private static final int FAN_OUTS = 120;
    private static final int SUBTASKS = 1_000_000;
    /** One in so many subtasks has been told to have ended. */
    private static final int TOLD = 1_000;

    private static final int TELLS_AT_ONCE = 100;
    private static final long KEEP_MILLIS = 86_400_000;

    private final String queue;

    ScaleRelations(String queue) {
        this.queue = queue;
    }

    /** Returns the id of the fan-out that the task is a subtask of. */
    static String fanOut() {
        return fanOut(0);
    }

    private static String fanOut(int number) {
        return String.format(Locale.ROOT, "%020x", 0xfa0_0000L + number);
    }

    /** Returns the same task with the headers that relate it to others. */
    Task task(Task task) {
        String awaited =
                IntStream.range(1, NEIGHBOURS + 1).mapToObj(i -> "other-" + i).collect(Collectors.joining(","));
        return new Task(
                task.id(),
                queue,
                task.type(),
                task.key(),
                task.payload(),
                Map.of(TaskHeaders.DEPENDS_ON, awaited, Subtask.HEADER, fanOut() + "/7/1"),
                task.publishedAt(),
                0,
                0,
                0,
                NAME);
    }

    /** Writes them, besides the task itself. */
    void write(RedisStore store) throws Exception {
        BusinessId on = new BusinessId(queue, NAME);
        List<DependencyRequest> asks = new ArrayList<>();
        for (int i = 1; i <= NEIGHBOURS; i++) {
            TaskPlace waiting = new TaskPlace(Partition.of(queue, 0), Position.of(0, i));
            asks.add(new DependencyRequest.Ask(on, waiting, KEEP_MILLIS, 0));
        }
        store.dependencies().ask(DedupBuckets.of(on), asks).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        for (int i = 0; i < FAN_OUTS; i++) {
            String id = fanOut(i);
            call(store, id, List.of(new FanOutRequest.Open(id, 1, plan(i)), new FanOutRequest.Note(id, 1, SUBTASKS)));
        }
        for (int i = 0; i < SUBTASKS / TOLD; i += TELLS_AT_ONCE) {
            List<FanOutRequest> tells = IntStream.range(i, i + TELLS_AT_ONCE)
                    .<FanOutRequest>mapToObj(
                            each -> new FanOutRequest.Tell(fanOut(), (long) each * TOLD, End.SUCCEEDED, null))
                    .toList();
            call(store, fanOut(), tells);
        }
    }

    private static void call(RedisStore store, String id, List<FanOutRequest> requests) throws Exception {
        FanOutReply reply = store.fanOut(FanOutBuckets.of(id), FanOutCaller.UNNUMBERED, requests)
                .toCompletableFuture()
                .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        if (!(reply instanceof FanOutReply.Applied)) {
            throw new IllegalStateException("The store did not take a fan-out: " + reply);
        }
    }

    private FanOutPlan plan(int number) {
        return new FanOutPlan(
                queue,
                "0/0:" + (number + 1),
                "order-0-" + number,
                ScaleFill.TYPE,
                "",
                1,
                FanOutPlan.Rule.COMPLETE,
                0,
                "",
                new byte[0],
                KEEP_MILLIS,
                1_000);
    }
}
