package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.Utf8;
import dev.tandem.task.fanout.FanOutAnswer;
import dev.tandem.task.fanout.FanOutBuckets;
import dev.tandem.task.fanout.FanOutPlan;
import dev.tandem.task.fanout.FanOutPlan.Rule;
import dev.tandem.task.fanout.FanOutRecord;
import dev.tandem.task.fanout.FanOutRequest;
import dev.tandem.task.fanout.Subtask;
import dev.tandem.task.store.FanOutModel;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Fan-outs whose masters are cancelled. */
class AbandonedFanOutIT extends OperatorTestBase {

    /** The answer matters: it has whoever abandons the fan-out cancel its subtasks. */
    @Test
    void aFanOutThatHadFailedIsAbandonedAlsoIfTheFirstAnswerWasLost() {
        String id = HexFormat.of().formatHex(queue.getBytes(StandardCharsets.UTF_8), 7, 14) + "000008";
        FanOutPlan plan =
                new FanOutPlan(queue, "0/0:1", "m", "t", "", 1, Rule.FAIL_FAST, 0, "", new byte[0], 60_000, 100_000);
        List<FanOutRequest> requests = List.of(
                new FanOutRequest.Open(id, 1, plan),
                new FanOutRequest.Note(id, 1, 2),
                new FanOutRequest.Tell(id, 0, FanOutRequest.End.CANCELLED, "boom"),
                new FanOutRequest.Abandon(id, 1, FanOutRequest.End.CANCELLED, "its master was cancelled"),
                new FanOutRequest.Abandon(id, 1, FanOutRequest.End.CANCELLED, "its master was cancelled"));
        FanOutModel model = new FanOutModel();

        List<FanOutAnswer> answers =
                get(store.fanOut(FanOutBuckets.of(id), requests).toCompletableFuture());

        assertThat(answers)
                .extracting(each -> each.code() + " " + each.stop())
                .containsExactlyElementsOf(requests.stream()
                        .map(each -> model.apply(each, 1))
                        .map(each -> each.code() + " " + each.stop())
                        .toList())
                .endsWith("OK FAILED", "OK FAILED");
        assertThat(answers.get(4).isGivenUp()).isTrue();
    }

    /** A server of an earlier version gives a fan-out up, and leaves the wait that it does not know. */
    @Test
    void aFanOutThatAnEarlierVersionGaveUpEndsWithItsMaster() {
        String id = HexFormat.of().formatHex(queue.getBytes(StandardCharsets.UTF_8), 7, 14) + "000009";
        String parent = new Subtask("00112233445566778899", 7, 1, false).text();
        FanOutPlan plan =
                new FanOutPlan(queue, "0/0:1", "m", "t", parent, 1, Rule.COMPLETE, 0, "", new byte[0], 60_000, 100_000);
        ask(new FanOutRequest.Open(id, 1, plan));
        ask(new FanOutRequest.Note(id, 1, 1));
        ask(new FanOutRequest.Seal(id, 1, 1));
        byte[] fanOut = RedisKeys.DEFAULTS.fanOut(id)[0];
        get(store.adminConnection().run(redis -> redis.hset(fanOut, Map.of(Utf8.bytes("abandoned"), Utf8.bytes("1")))));
        assertThat(ask(new FanOutRequest.Tell(id, 0, FanOutRequest.End.SUCCEEDED, null))
                        .code())
                .isEqualTo(FanOutAnswer.Code.OK);

        FanOutAnswer ended =
                ask(new FanOutRequest.Abandon(id, 1, FanOutRequest.End.FAILED, "its master has ended as dead"));

        assertThat(ended.code()).isEqualTo(FanOutAnswer.Code.COMPLETE);
    }

    /** The patrol finds the master by its place. */
    @Test
    void aRunBehindTheStreamTakesThePlaceOfTheMasterUnlessItIsAnEarlierOne() {
        String id = HexFormat.of().formatHex(queue.getBytes(StandardCharsets.UTF_8), 7, 14) + "00000a";
        String parent = new Subtask("00112233445566778899", 7, 1, false).text();
        FanOutPlan first =
                new FanOutPlan(queue, "0/0:1", "m", "t", parent, 1, Rule.COMPLETE, 0, "", new byte[0], 60_000, 100_000);
        FanOutPlan later =
                new FanOutPlan(queue, "1/0:4", "m", "t", parent, 1, Rule.COMPLETE, 0, "", new byte[0], 60_000, 100_000);
        ask(new FanOutRequest.Open(id, 2, first));
        ask(new FanOutRequest.Seal(id, 2, 1));

        assertThat(ask(new FanOutRequest.Open(id, 1, first)).code()).isEqualTo(FanOutAnswer.Code.FENCED);
        assertThat(ask(new FanOutRequest.Open(id, 3, later)).code()).isEqualTo(FanOutAnswer.Code.CLOSED);
        FanOutRecord record = ask(new FanOutRequest.View(id)).record();
        assertThat(record).isNotNull();
        assertThat(record.plan().master()).isEqualTo("1/0:4");
    }

    private static FanOutAnswer ask(FanOutRequest request) {
        return get(store.fanOut(FanOutBuckets.of(request.id()), List.of(request))
                        .toCompletableFuture())
                .get(0);
    }
}
