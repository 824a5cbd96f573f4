package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.fanout.FanOutBuckets;
import dev.tandem.task.fanout.FanOutPlan;
import dev.tandem.task.fanout.FanOutPlan.Rule;
import dev.tandem.task.fanout.FanOutRecord;
import dev.tandem.task.fanout.FanOutRequest;
import dev.tandem.task.fanout.FanOutRequest.End;
import dev.tandem.task.store.FanOutModel;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** When somebody has to look at fan-outs. */
class FanOutDueIT extends OperatorTestBase {

    @Test
    void whoeverPostponesAFanOutLateDoesNotPutOffItsFinalTask() {
        String id = HexFormat.of().formatHex(queue.getBytes(StandardCharsets.UTF_8), 7, 14) + "000008";
        FanOutPlan plan =
                new FanOutPlan(queue, "0/0:1", "m", "t", "", 1, Rule.COMPLETE, 0, queue, new byte[0], 60_000, 100_000);
        FanOutRequest.Postpone aDay = new FanOutRequest.Postpone(id, 86_400_000);
        List<FanOutRequest> sealed = List.of(
                new FanOutRequest.Open(id, 1, plan),
                new FanOutRequest.Note(id, 1, 1),
                new FanOutRequest.Abandon(id, 1, FanOutRequest.End.CANCELLED, "its master was cancelled", true),
                aDay);
        FanOutModel model = new FanOutModel();
        get(store.fanOut(FanOutBuckets.of(id), sealed).toCompletableFuture());
        sealed.forEach(each -> model.apply(each, 1));
        assertThat(dueIn(id)).isGreaterThan(86_000_000);
        assertThat(model.due(86_000_000)).isEmpty();

        List<FanOutRequest> complete = List.of(new FanOutRequest.Tell(id, 0, End.CANCELLED, null), aDay);
        get(store.fanOut(FanOutBuckets.of(id), complete).toCompletableFuture());
        complete.forEach(each -> model.apply(each, 1));
        assertThat(get(store.fanOut(FanOutBuckets.of(id), List.of(new FanOutRequest.View(id)))
                        .toCompletableFuture()))
                .singleElement()
                .satisfies(
                        each -> assertThat(Objects.requireNonNull(each.record()).phase())
                                .isEqualTo(FanOutRecord.Phase.COMPLETE));
        assertThat(dueIn(id)).isBetween(0L, 30_000L);
        assertThat(model.due(30_001)).containsExactly(id);
        get(store.fanOut(FanOutBuckets.of(id), List.of(new FanOutRequest.Finish(id)))
                .toCompletableFuture());
    }

    private long dueIn(String id) {
        byte[] due = store.adminConnection().keys().fanOuts(FanOutBuckets.of(id))[0];
        Double at =
                get(store.adminConnection().run(commands -> commands.zscore(due, id.getBytes(StandardCharsets.UTF_8))));
        return at.longValue() - System.currentTimeMillis();
    }
}
