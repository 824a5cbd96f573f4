package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.Envelope;
import dev.tandem.task.Position;
import dev.tandem.task.Task;
import dev.tandem.task.fanout.FanOutAnswer;
import dev.tandem.task.fanout.FanOutBuckets;
import dev.tandem.task.fanout.FanOutCaller;
import dev.tandem.task.fanout.FanOutPlan;
import dev.tandem.task.fanout.FanOutPlan.Rule;
import dev.tandem.task.fanout.FanOutRecord;
import dev.tandem.task.fanout.FanOutReply;
import dev.tandem.task.fanout.FanOutRequest;
import dev.tandem.task.fanout.FanOutRequest.End;
import dev.tandem.task.fanout.Subtask;
import dev.tandem.task.store.FanOutModel;
import dev.tandem.task.store.SettledMark;
import dev.tandem.task.store.StoreRequest.HandOver;
import dev.tandem.task.store.StoreRequest.Move;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares what Redis says of fan-outs with the model at every step. */
class FanOutScriptIT extends OperatorTestBase {

    private static final int FAN_OUTS = 60;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void answersAsTheModelDoes(long seed) {
        Random random = new Random(seed);
        FanOutModel model = new FanOutModel();
        for (int i = 0; i < FAN_OUTS; i++) {
            byte[] bytes = new byte[10];
            new Random(seed + 31L * i + System.nanoTime()).nextBytes(bytes);
            String id = HexFormat.of().formatHex(bytes);
            int total = random.nextInt(30);
            for (int step = 0; step < 60; step++) {
                List<FanOutRequest> requests = new ArrayList<>();
                for (int n = 0; n <= random.nextInt(4); n++) {
                    requests.add(step == 0 ? open(id, random) : request(id, random, total));
                }

                int bucket = FanOutBuckets.of(id);
                FanOutCaller caller = caller(id, step, random);

                FanOutReply reply = get(store.fanOut(bucket, caller, requests).toCompletableFuture());

                FanOutReply modelled = model.call(bucket, caller, requests, System.currentTimeMillis());
                if (modelled instanceof FanOutReply.Gap) {
                    assertThat(reply).as("seed %s: %s", seed, caller).isEqualTo(modelled);
                    continue;
                }
                List<FanOutAnswer> answers = ((FanOutReply.Applied) reply).answers();
                List<FanOutAnswer> expected = ((FanOutReply.Applied) modelled).answers();
                for (int n = 0; n < requests.size(); n++) {
                    String as = "seed " + seed + " fan-out " + i + " step " + step + ": " + requests.get(n) + " in "
                            + requests;
                    // Of ends that are told together, only the last is answered with what follows.
                    if (!(requests.get(n) instanceof FanOutRequest.Tell)) {
                        assertThat(answers.get(n))
                                .as(as)
                                .usingRecursiveComparison()
                                .ignoringFields("record.since", "record.endedAt", "record.plan.maxOpen")
                                .isEqualTo(expected.get(n));
                    }
                }
            }
        }
    }

    /** Returns one of two callers, of which now and then an earlier call must not be forgotten; or one without numbers. */
    private static FanOutCaller caller(String id, int step, Random random) {
        int which = random.nextInt(3);
        boolean asks = step > 0 && random.nextInt(4) == 0;
        return which == 2
                ? FanOutCaller.UNNUMBERED
                : new FanOutCaller(id + "-" + which, 1 + step, asks ? step - random.nextInt(4) : 0);
    }

    private static FanOutRequest open(String id, Random random) {
        boolean alone = random.nextInt(4) == 0;
        Rule rule = Rule.values()[random.nextInt(3)];
        FanOutPlan plan = new FanOutPlan(
                "orders",
                "3/0:17",
                "import-1",
                "import",
                random.nextBoolean() ? "" : new Subtask("00112233445566778899", 7, 1, false).text(),
                1,
                rule,
                0.25,
                alone ? "" : "orders",
                new byte[] {1, 0, 7},
                60_000,
                100_000);
        return new FanOutRequest.Open(id, 1 + random.nextInt(3), plan);
    }

    private static FanOutRequest request(String id, Random random, int total) {
        long token = 1 + random.nextInt(3);
        int number = random.nextInt(total + 1);
        return switch (random.nextInt(18)) {
            case 0 -> open(id, random);
            case 1 ->
                random.nextInt(9) == 0
                        ? new FanOutRequest.Tell(id, 2_048 + random.nextInt(999), End.SUCCEEDED, null)
                        : new FanOutRequest.Note(id, token, number, random.nextBoolean());
            case 2 -> new FanOutRequest.Seal(id, token, total);
            case 3 ->
                random.nextInt(5) == 0
                        ? new FanOutRequest.Abandon(
                                id, token, End.values()[random.nextInt(3)], "dead", random.nextBoolean())
                        : new FanOutRequest.View(id);
            case 4 -> random.nextInt(5) == 0 ? new FanOutRequest.Cancel(id, "asked for") : new FanOutRequest.View(id);
            case 5 -> new FanOutRequest.Ask(id, number);
            case 6 -> new FanOutRequest.Claim(id, "claim-" + random.nextInt(2), 60_000);
            case 7 -> new FanOutRequest.Finish(id);
            case 8 -> new FanOutRequest.Begin(id, "place-" + random.nextInt(3), "final");
            case 9 -> new FanOutRequest.View(id);
            case 10 ->
                random.nextInt(20) == 0
                        ? new FanOutRequest.GiveUp(id, "lost")
                        : new FanOutRequest.Nest(id, number, inner(number, random), random.nextInt(3) == 0);
            default ->
                new FanOutRequest.Tell(
                        id,
                        number,
                        random.nextInt(4) > 0 ? End.SUCCEEDED : End.values()[random.nextInt(3)],
                        "error " + number,
                        random.nextInt(3) == 0 ? inner(number, random) : null);
        };
    }

    /** Returns the fan-out of one of two copies of a subtask. */
    private static String inner(int number, Random random) {
        return "of " + number + " by " + random.nextInt(2);
    }

    @Test
    void aNumberThatNoMasterPublishedDoesNotKeepAFanOutFromItsSeal() {
        String id = HexFormat.of().formatHex(queue.getBytes(StandardCharsets.UTF_8), 7, 14) + "000001";
        FanOutPlan plan =
                new FanOutPlan(queue, "0/0:1", "m", "t", "", 1, Rule.COMPLETE, 0, "", new byte[0], 60_000, 100_000);
        FanOutModel model = new FanOutModel();
        List<FanOutRequest> requests = List.of(
                new FanOutRequest.Open(id, 1, plan),
                new FanOutRequest.Tell(id, 5_000, End.SUCCEEDED, null),
                new FanOutRequest.Tell(id, 2_047, End.SUCCEEDED, null),
                new FanOutRequest.Seal(id, 1, 2_047),
                new FanOutRequest.Seal(id, 1, 2_048));

        List<FanOutAnswer> answers =
                get(store.fanOut(FanOutBuckets.of(id), requests).toCompletableFuture());

        assertThat(answers)
                .extracting(FanOutAnswer::code)
                .containsExactlyElementsOf(requests.stream()
                        .map(each -> model.apply(each, 1).code())
                        .toList())
                .endsWith(FanOutAnswer.Code.NOT_REPEATABLE, FanOutAnswer.Code.OK);
    }

    @Test
    void theEndOfASubtaskThatHasFannedOutIsAnsweredWithItsFanOut() {
        String id = HexFormat.of().formatHex(queue.getBytes(StandardCharsets.UTF_8), 7, 14) + "000005";
        FanOutPlan plan =
                new FanOutPlan(queue, "0/0:1", "m", "t", "", 1, Rule.COMPLETE, 0, "", new byte[0], 60_000, 100_000);
        FanOutModel model = new FanOutModel();
        List<FanOutRequest> requests = List.of(
                new FanOutRequest.Open(id, 1, plan),
                new FanOutRequest.Nest(id, 1, "inner-1"),
                new FanOutRequest.Nest(id, 2, "inner-2"),
                new FanOutRequest.Tell(id, 0, End.SUCCEEDED, null),
                new FanOutRequest.Tell(id, 1, End.FAILED, "boom"),
                new FanOutRequest.Nest(id, 2, "inner of a copy"),
                new FanOutRequest.Tell(id, 2, End.FAILED, "boom", "inner of a copy"),
                new FanOutRequest.Nest(id, 2, "inner-2"),
                new FanOutRequest.Tell(id, 2, End.SUCCEEDED, null, "inner-2"),
                new FanOutRequest.View(id),
                new FanOutRequest.Nest(id, 2, "inner of a late copy"),
                new FanOutRequest.Tell(id, 2, End.FAILED, "its own end comes late"));

        List<FanOutAnswer> answers =
                get(store.fanOut(FanOutBuckets.of(id), requests).toCompletableFuture());

        assertThat(answers)
                .extracting(each -> each.code() + " " + each.other())
                .containsExactlyElementsOf(requests.stream()
                        .map(each -> model.apply(each, 1))
                        .map(each -> each.code() + " " + each.other())
                        .toList())
                .startsWith("OK ", "OK ", "OK ", "OK ", "NESTED inner-1", "DUPLICATE inner-2")
                .endsWith("OK ", "OK ", "OK ", "OK ", "DUPLICATE ", "OK ");
        assertThat(view(id).ended()).as("0 and 2").isEqualTo(2);
        assertThat(view(id).failed()).as("the copy does not count").isZero();
    }

    @Test
    void aFanOutThatIsStoppedAlreadyIsCancelledAndKeepsItsReason() {
        String prefix = HexFormat.of().formatHex(queue.getBytes(StandardCharsets.UTF_8), 7, 14);
        FanOutPlan plan =
                new FanOutPlan(queue, "0/0:1", "m", "t", "", 1, Rule.FAIL_FAST, 0, "", new byte[0], 60_000, 100_000);
        String failed = prefix + "000006";
        String abandoned = prefix + "000007";
        List<List<FanOutRequest>> histories = List.of(
                List.of(
                        new FanOutRequest.Open(failed, 1, plan),
                        new FanOutRequest.Seal(failed, 1, 2),
                        new FanOutRequest.Tell(failed, 1, End.FAILED, "boom"),
                        new FanOutRequest.Cancel(failed, "asked for"),
                        new FanOutRequest.Ask(failed, 0)),
                List.of(
                        new FanOutRequest.Open(abandoned, 1, plan),
                        new FanOutRequest.Note(abandoned, 1, 2),
                        new FanOutRequest.Abandon(abandoned, 1, End.FAILED, "its master died"),
                        new FanOutRequest.Cancel(abandoned, "asked for"),
                        new FanOutRequest.Nest(abandoned, 0, "inner")));
        FanOutModel model = new FanOutModel();
        for (List<FanOutRequest> requests : histories) {
            FanOutAnswer.Stop stop =
                    requests == histories.get(0) ? FanOutAnswer.Stop.FAILED : FanOutAnswer.Stop.ABANDONED;
            List<FanOutAnswer> answers =
                    get(store.fanOut(FanOutBuckets.of(requests.get(0).id()), requests)
                            .toCompletableFuture());

            assertThat(answers)
                    .extracting(each -> each.stop() + " " + each.cancelled())
                    .containsExactlyElementsOf(requests.stream()
                            .map(each -> model.apply(each, 1))
                            .map(each -> each.stop() + " " + each.cancelled())
                            .toList())
                    .containsExactly("NO false", "NO false", stop + " false", stop + " true", stop + " true");
        }
    }

    @Test
    void aSubtaskThatFansOutBehindTheEndLeavesNoKeyThatNeverExpires() {
        String id = HexFormat.of().formatHex(queue.getBytes(StandardCharsets.UTF_8), 7, 14) + "000003";
        FanOutPlan plan =
                new FanOutPlan(queue, "0/0:1", "m", "t", "", 1, Rule.COMPLETE, 0, "", new byte[0], 60_000, 100_000);
        FanOutModel model = new FanOutModel();
        List<FanOutRequest> requests = List.of(
                new FanOutRequest.Open(id, 1, plan),
                new FanOutRequest.Seal(id, 1, 1),
                new FanOutRequest.GiveUp(id, "lost"),
                new FanOutRequest.Nest(id, 0, "inner"));

        List<FanOutAnswer> answers =
                get(store.fanOut(FanOutBuckets.of(id), requests).toCompletableFuture());

        assertThat(answers)
                .extracting(FanOutAnswer::code)
                .containsExactlyElementsOf(requests.stream()
                        .map(each -> model.apply(each, 1).code())
                        .toList())
                .endsWith(FanOutAnswer.Code.CLOSED);
        for (byte[] key : store.adminConnection().keys().fanOut(id)) {
            Long left = get(store.adminConnection().run(commands -> commands.pttl(key)));
            assertThat(left)
                    .as(
                            "%s: -2 if it does not exist, -1 if it does not expire",
                            new String(key, StandardCharsets.UTF_8))
                    .isNotEqualTo(-1);
        }
    }

    @Test
    void theNumberOfACallIsForgottenByItself() {
        FanOutRequest asked = new FanOutRequest.Ask(String.format("%020x", System.nanoTime()), 0);
        int bucket = FanOutBuckets.of(asked.id());
        FanOutReply reply = get(store.fanOut(bucket, new FanOutCaller(queue, 1, 0), List.of(asked))
                .toCompletableFuture());

        assertThat(reply).isInstanceOf(FanOutReply.Applied.class);
        byte[] key = store.adminConnection().keys().fanOutCaller(bucket, queue);
        Long left = get(store.adminConnection().run(commands -> commands.pttl(key)));
        assertThat(left).isBetween(300_000L, 600_000L);
    }

    @Test
    void aMasterThatRunsAgainProlongsItsFanOut() {
        String id = HexFormat.of().formatHex(queue.getBytes(StandardCharsets.UTF_8), 7, 14) + "000004";
        FanOutPlan plan =
                new FanOutPlan(queue, "0/0:1", "m", "t", "", 1, Rule.COMPLETE, 0, "", new byte[0], 60_000, 100_000);
        FanOutRequest open = new FanOutRequest.Open(id, 1, plan);
        byte[] key = store.adminConnection().keys().fanOut(id)[0];
        get(store.fanOut(FanOutBuckets.of(id), List.of(open, new FanOutRequest.Seal(id, 1, 0)))
                .toCompletableFuture());
        get(store.adminConnection().run(commands -> commands.pexpire(key, 30_000)));

        assertThat(get(store.fanOut(FanOutBuckets.of(id), List.of(open)).toCompletableFuture()))
                .extracting(FanOutAnswer::code)
                .containsExactly(FanOutAnswer.Code.CLOSED);
        Long left = get(store.adminConnection().run(commands -> commands.pttl(key)));
        assertThat(left).isGreaterThan(30_000);
    }

    private FanOutRecord view(String id) {
        FanOutAnswer answer = get(store.fanOut(FanOutBuckets.of(id), List.of(new FanOutRequest.View(id)))
                        .toCompletableFuture())
                .get(0);
        return Objects.requireNonNull(answer.record());
    }

    @Test
    void subtasksThatEndWithoutARunAreToldByTheHousekeeper() {
        String id = HexFormat.of().formatHex(queue.getBytes(StandardCharsets.UTF_8), 7, 14) + "000000";
        FanOutPlan plan =
                new FanOutPlan(queue, "0/0:1", "m", "t", "", 1, Rule.COMPLETE, 0, "", new byte[0], 60_000, 100_000);
        get(store.fanOut(
                        FanOutBuckets.of(id),
                        List.of(new FanOutRequest.Open(id, 1, plan), new FanOutRequest.Seal(id, 1, 4)))
                .toCompletableFuture());
        hand(List.of(waiting(id, 3, new Move.Bury(), null, null)));
        hand(List.of(waiting(id, 0, new Move.Schedule(Long.MAX_VALUE / 4), null, null)));
        halt("k", 10);
        hand(List.of(waiting(id, 1, new Move.Park(), "k", null), waiting(id, 2, new Move.Park(), "k", "dedup")));

        assertThat(get(store.admin().delete(partition, Position.of(0, 0)))).isEqualTo(Admin.Result.DONE);
        get(store.admin().drainKey(partition, "k"));
        assertThat(get(new UntoldEnds(store.adminConnection()).passOn(partition)))
                .isEqualTo(5);

        FanOutRecord record = view(id);
        assertThat(record.finished()).isTrue();
        assertThat(record.cancelled()).isEqualTo(1);
        assertThat(record.failed())
                .as("two behind the drained head, and the buried one")
                .isEqualTo(3);
        assertThat(record.errors())
                .extracting(
                        each -> each.number() == 3 ? each.error() : each.error().substring(0, 14))
                .containsExactlyInAnyOrder("boom", "drained behind", "drained behind");
    }

    @Test
    void anEndThatCannotBeReadIsTakenOffAndDoesNotStopThoseBehindIt() {
        String id = HexFormat.of().formatHex(queue.getBytes(StandardCharsets.UTF_8), 7, 14) + "000002";
        FanOutPlan plan =
                new FanOutPlan(queue, "0/0:1", "m", "t", "", 1, Rule.COMPLETE, 0, "", new byte[0], 60_000, 100_000);
        get(store.fanOut(
                        FanOutBuckets.of(id),
                        List.of(new FanOutRequest.Open(id, 1, plan), new FanOutRequest.Seal(id, 1, 1)))
                .toCompletableFuture());
        byte[] list = store.adminConnection().keys().untoldEnds(partition);
        for (String element : List.of(
                "~",
                "~f",
                "0:1",
                "0:1 x key",
                "~F0:1 1000 9 s" + id + "/0/1 boom",
                "~F0:1 1000 1 s" + id + "/0/1 boom")) {
            get(store.adminConnection()
                    .run(commands -> commands.rpush(list, element.getBytes(StandardCharsets.UTF_8))));
        }

        assertThat(get(new UntoldEnds(store.adminConnection()).passOn(partition)))
                .isEqualTo(6);

        Long left = get(store.adminConnection().run(commands -> commands.llen(list)));
        assertThat(left).isZero();
        assertThat(view(id).failed()).isEqualTo(1);
    }

    private HandOver waiting(String id, long number, Move move, @Nullable String key, @Nullable String dedupKey) {
        Map<String, String> headers = Map.of("a", "b", Subtask.HEADER, new Subtask(id, number, 1, false).text());
        Task task = new Task("s", queue, "t", key, new byte[] {1}, headers, 1_000, 0, 5_000, 3, dedupKey);
        return new HandOver(
                Position.of(0, number == 0 ? 0 : 10 + number),
                key,
                new SettledMark.Offset(number == 0 ? 0 : 10 + number),
                move,
                new Envelope(task, 2, 0, "boom").encode());
    }
}
