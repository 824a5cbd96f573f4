package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.Envelope;
import dev.tandem.task.FannedOut;
import dev.tandem.task.Position;
import dev.tandem.task.Task;
import dev.tandem.task.fanout.FanOutAnswer.Stop;
import dev.tandem.task.fanout.FanOutBuckets;
import dev.tandem.task.fanout.FanOutPlan;
import dev.tandem.task.fanout.FanOutPlan.Rule;
import dev.tandem.task.fanout.FanOutRecord;
import dev.tandem.task.fanout.FanOutRecord.Phase;
import dev.tandem.task.fanout.FanOutRequest;
import dev.tandem.task.fanout.FanOutRequest.End;
import dev.tandem.task.fanout.Subtask;
import dev.tandem.task.store.FanOutIds;
import dev.tandem.task.store.SettledMark;
import dev.tandem.task.store.StoreRequest.HandOver;
import dev.tandem.task.store.StoreRequest.Move;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The fan-outs that a task has begun are given up when an operator ends it without a run. */
class GivenUpFanOutsIT extends OperatorTestBase {

    private static String id() {
        return UUID.randomUUID().toString().replace("-", "").substring(0, 20);
    }

    /** Begins a fan-out. @return its id */
    private String begin() {
        String id = id();
        begin(id, "");
        return id;
    }

    /** Begins a fan-out. @param parent which subtask its master is; "" if it is none */
    private void begin(String id, String parent) {
        ask(new FanOutRequest.Open(id, 7, plan(parent)));
    }

    private FanOutPlan plan(String parent) {
        return new FanOutPlan(queue, "0/0:1", "m", "t", parent, 1, Rule.COMPLETE, 0, "", new byte[0], 60_000, 100_000);
    }

    private void ask(FanOutRequest... requests) {
        get(store.fanOut(FanOutBuckets.of(requests[0].id()), List.of(requests)).toCompletableFuture());
    }

    private FanOutRecord view(String id) {
        return Objects.requireNonNull(get(store.fanOut(FanOutBuckets.of(id), List.of(new FanOutRequest.View(id)))
                        .toCompletableFuture())
                .get(0)
                .record());
    }

    /** Lets a task wait for its time, and an operator cancel it. */
    private void cancel(int offset, Task task) {
        hand(List.of(new HandOver(
                Position.of(0, offset),
                null,
                new SettledMark.Offset(offset),
                new Move.Schedule(Long.MAX_VALUE / 4),
                new Envelope(task, 2, 0, "boom").encode())));
        assertThat(get(store.admin().delete(partition, Position.of(0, offset)))).isEqualTo(Admin.Result.DONE);
    }

    /** Lets a task die without a run. */
    private void bury(int offset, Task task) {
        hand(List.of(new HandOver(
                Position.of(0, offset),
                null,
                new SettledMark.Offset(offset),
                new Move.Bury(),
                new Envelope(task, 2, 0, "boom").encode())));
    }

    private void retry(int offset) {
        assertThat(get(store.admin().retry(partition, Position.of(0, offset)))).isEqualTo(Admin.Result.DONE);
    }

    private Task master(String... fanOuts) {
        long until = System.currentTimeMillis() + 60_000;
        Map<String, Long> all = Arrays.stream(fanOuts).collect(Collectors.toMap(each -> each, each -> until));
        return FannedOut.with(new Task("m", queue, "t", null, new byte[] {1}, Map.of(), 1_000, 0, 5_000, 3, null), all);
    }

    @Test
    void thoseOfADeadTaskAreGivenUp() {
        String outer = begin();
        String inner = inner(0);
        begin(inner, new Subtask(outer, 0, 1, false).text());
        ask(new FanOutRequest.Nest(outer, 0, inner), new FanOutRequest.Seal(outer, 7, 1));
        bury(0, subtask(outer, 0));
        String ofMaster = begin();
        bury(1, master(ofMaster));
        passOn();

        assertThat(view(inner).why()).isEqualTo("its master died without a run");
        assertThat(view(inner).stop()).isEqualTo(Stop.ABANDONED);
        assertThat(view(ofMaster).stop()).isEqualTo(Stop.ABANDONED);
        assertThat(isCancelled(ofMaster)).isFalse();
    }

    @Test
    void thoseOfADeadTaskGoOnIfAnOperatorHasRetriedItMeanwhile() {
        String outer = begin();
        String inner = inner(0);
        begin(inner, new Subtask(outer, 0, 1, false).text());
        ask(new FanOutRequest.Nest(outer, 0, inner), new FanOutRequest.Seal(outer, 7, 1));
        bury(0, subtask(outer, 0));
        String ofMaster = begin();
        bury(1, master(ofMaster));
        retry(0);
        retry(1);
        for (String each : List.of(inner, ofMaster)) {
            ask(new FanOutRequest.Open(each, Long.MAX_VALUE / 2, plan("")));
        }
        passOn();

        assertThat(view(inner).stop()).isEqualTo(Stop.NO);
        assertThat(view(ofMaster).stop()).isEqualTo(Stop.NO);
        assertThat(view(outer).ended()).as("it ends with its own fan-out").isZero();
    }

    private Task subtask(String fanOut, int number) {
        Map<String, String> headers = Map.of(Subtask.HEADER, new Subtask(fanOut, number, 1, false).text());
        return new Task("s", queue, "t", null, new byte[] {1}, headers, 1_000, 0, 5_000, 3, null);
    }

    /** Returns the id of the fan-out of that subtask, if its task is at an offset. */
    private String inner(int offset) {
        return FanOutIds.of(partition, Position.of(0, offset), "s", 1_000, "");
    }

    private void passOn() {
        get(new UntoldEnds(store.adminConnection()).passOn(partition));
    }

    @Test
    void thatOfASubtaskIsGivenUpAndIsDueForThosePatrolsThatTellTheFanOutAroundIt() {
        String outer = begin();
        String inner = inner(0);
        begin(inner, new Subtask(outer, 0, 1, false).text());
        ask(new FanOutRequest.Note(inner, 7, 2), new FanOutRequest.Tell(inner, 0, End.SUCCEEDED, null));
        ask(new FanOutRequest.Nest(outer, 0, inner), new FanOutRequest.Seal(outer, 7, 1));
        cancel(0, subtask(outer, 0));
        passOn();

        assertThat(view(inner).stop()).isEqualTo(Stop.ABANDONED);
        assertThat(view(inner).phase()).as("one of its subtasks runs").isEqualTo(Phase.SEALED);
        assertThat(view(outer).ended()).isZero();
        ask(new FanOutRequest.Tell(inner, 1, End.SUCCEEDED, null), new FanOutRequest.Postpone(inner, 0));
        assertThat(view(inner).phase()).isEqualTo(Phase.COMPLETE);
        assertThat(get(store.fanOuts().due(1_000))).contains(inner);
    }

    @Test
    void oneWithoutSubtasksIsDueAtOnce() {
        String outer = begin();
        String inner = inner(0);
        begin(inner, new Subtask(outer, 0, 1, false).text());
        ask(new FanOutRequest.Nest(outer, 0, inner), new FanOutRequest.Seal(outer, 7, 1));
        cancel(0, subtask(outer, 0));
        passOn();

        assertThat(view(inner).phase()).isEqualTo(Phase.COMPLETE);
        assertThat(get(store.fanOuts().due(1_000))).contains(inner);
    }

    @Test
    void theFanOutAroundItDoesNotWaitForOneThatIsForgotten() {
        String outer = begin();
        ask(new FanOutRequest.Nest(outer, 0, inner(0)), new FanOutRequest.Seal(outer, 7, 1));
        cancel(0, subtask(outer, 0));
        passOn();

        assertThat(view(outer).finished()).isTrue();
        assertThat(view(outer).cancelled()).isEqualTo(1);
    }

    @Test
    void thatOfACopyGoesOn() {
        String outer = begin();
        String inner = id();
        begin(inner, new Subtask(outer, 0, 1, false).text());
        ask(new FanOutRequest.Nest(outer, 0, inner), new FanOutRequest.Seal(outer, 7, 1));
        cancel(0, subtask(outer, 0));
        passOn();

        assertThat(view(inner).stop()).isEqualTo(Stop.NO);
        assertThat(view(outer).ended()).isZero();
    }

    @Test
    void whatAMasterHasBegunIsCancelledWithItHoweverDeep() {
        String outer = begin();
        String inner = id();
        String innermost = id();
        String second = begin();
        begin(inner, new Subtask(outer, 0, 1, false).text());
        begin(innermost, new Subtask(inner, 3, 2, false).text());
        ask(new FanOutRequest.Nest(outer, 0, inner), new FanOutRequest.Note(outer, 7, 1));
        ask(new FanOutRequest.Nest(inner, 3, innermost), new FanOutRequest.Seal(inner, 7, 5));
        ask(new FanOutRequest.Note(second, 7, 1));
        Task master = new Task("m", queue, "t", null, new byte[] {1}, Map.of(), 1_000, 0, 5_000, 3, null);
        long until = System.currentTimeMillis() + 60_000;
        cancel(0, FannedOut.with(master, Map.of(outer, until, second, until)));
        passOn();

        assertThat(view(outer).stop()).as("for its result").isEqualTo(Stop.ABANDONED);
        assertThat(isCancelled(outer)).as("subtasks that run are interrupted").isTrue();
        assertThat(isCancelled(second)).isTrue();
        assertThat(view(inner).stop()).isEqualTo(Stop.CANCELLED);
        assertThat(view(innermost).stop()).isEqualTo(Stop.CANCELLED);
    }

    @Test
    void thoseWithinAnotherAreFoundInPages() {
        String outer = begin();
        List<String> inner =
                IntStream.range(0, 1_000).mapToObj(n -> "inner-" + n).toList();
        for (int from = 0; from < inner.size(); from += 250) {
            ask(IntStream.range(from, from + 250)
                    .mapToObj(n -> new FanOutRequest.Nest(outer, n, inner.get(n)))
                    .toArray(FanOutRequest[]::new));
        }

        Set<String> found = new HashSet<>();
        int pages = 0;
        String from = FanOutRequest.Within.FIRST;
        do {
            FanOutRequest asked = new FanOutRequest.Within(outer, from);
            String answer = get(store.fanOut(FanOutBuckets.of(outer), List.of(asked))
                            .toCompletableFuture())
                    .get(0)
                    .other();
            List<String> page = List.of(answer.split(" "));
            from = page.get(0);
            found.addAll(page.subList(1, page.size()));
            pages++;
        } while (!from.equals(FanOutRequest.Within.FIRST));
        assertThat(found).isEqualTo(Set.copyOf(inner));
        assertThat(pages).isGreaterThan(1);
    }

    private boolean isCancelled(String id) {
        return get(store.fanOut(FanOutBuckets.of(id), List.of(new FanOutRequest.Ask(id, 0)))
                        .toCompletableFuture())
                .get(0)
                .cancelled();
    }

    @Test
    void thoseOfAMasterThatIsNoSubtaskAreGivenUpLikewise() {
        String first = begin();
        String second = begin();
        String ended = begin();
        ask(new FanOutRequest.Seal(ended, 7, 3));
        Task master = new Task("m", queue, "t", null, new byte[] {1}, Map.of(), 1_000, 0, 5_000, 3, null);
        long until = System.currentTimeMillis() + 60_000;
        cancel(0, FannedOut.with(master, Map.of(first, until, second, until, ended, until)));
        passOn();

        assertThat(view(first).why()).isEqualTo("its master was cancelled");
        assertThat(view(first).finished()).isTrue();
        assertThat(view(second).finished()).isTrue();
        assertThat(view(ended).stop()).as("its stream had ended").isEqualTo(Stop.NO);
    }
}
