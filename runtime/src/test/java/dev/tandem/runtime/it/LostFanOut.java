package dev.tandem.runtime.it;

import dev.tandem.scheduler.RedisStore;
import dev.tandem.task.Envelope;
import dev.tandem.task.Task;
import dev.tandem.task.fanout.FanOutAnswer;
import dev.tandem.task.fanout.FanOutBuckets;
import dev.tandem.task.fanout.FanOutPlan;
import dev.tandem.task.fanout.FanOutRequest;
import dev.tandem.task.fanout.Subtask;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/** A fan-out in the store whose only subtask was lost. */
final class LostFanOut {

    private LostFanOut() {}

    /** Puts one into the store. @return its id */
    static String open(RedisStore store, String queue) {
        String id = String.format("%020x", System.nanoTime());
        Task last = new Task(
                id + "-final",
                queue,
                "done",
                null,
                "0".getBytes(StandardCharsets.UTF_8),
                Map.of(Subtask.FINAL_HEADER, id),
                0,
                0,
                0,
                0,
                null);
        FanOutPlan plan = new FanOutPlan(
                queue,
                "0/0:1",
                "m",
                "import",
                "",
                1,
                FanOutPlan.Rule.COMPLETE,
                0,
                queue,
                Envelope.of(last).encode(),
                60_000,
                10_000);
        ask(store, new FanOutRequest.Open(id, 1, plan));
        ask(store, new FanOutRequest.Seal(id, 1, 1));
        return id;
    }

    static void ask(RedisStore store, FanOutRequest request) {
        FanOutAnswer unused = answer(store, request);
    }

    static FanOutAnswer answer(RedisStore store, FanOutRequest request) {
        return store.fanOut(FanOutBuckets.of(request.id()), List.of(request))
                .toCompletableFuture()
                .join()
                .get(0);
    }
}
