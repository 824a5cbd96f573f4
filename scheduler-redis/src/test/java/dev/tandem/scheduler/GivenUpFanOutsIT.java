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
import dev.tandem.task.store.SettledMark;
import dev.tandem.task.store.StoreRequest.HandOver;
import dev.tandem.task.store.StoreRequest.Move;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The fan-outs that a task has begun are given up when an operator ends it without a run. */
class GivenUpFanOutsIT extends OperatorTestBase {

    private static String id() {
        return UUID.randomUUID().toString().replace("-", "").substring(0, 20);
    }

    /** Begins a fan-out. @param parent which subtask its master is; "" if it is none */
    private String open(String parent) {
        String id = id();
        FanOutPlan plan =
                new FanOutPlan(queue, "0/0:1", "m", "t", parent, 1, Rule.COMPLETE, 0, "", new byte[0], 60_000, 100_000);
        ask(new FanOutRequest.Open(id, 7, plan));
        return id;
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

    private Task subtask(String fanOut, int number) {
        Map<String, String> headers = Map.of(Subtask.HEADER, new Subtask(fanOut, number, 1, false).text());
        return new Task("s", queue, "t", null, new byte[] {1}, headers, 1_000, 0, 5_000, 3, null);
    }

    private void passOn() {
        get(new UntoldEnds(store.adminConnection()).passOn(partition));
    }

    @Test
    void thatOfASubtaskIsGivenUpAndIsDueForThosePatrolsThatTellTheFanOutAroundIt() {
        String outer = open("");
        String inner = open(new Subtask(outer, 0, 1, false).text());
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
        String outer = open("");
        String inner = open(new Subtask(outer, 0, 1, false).text());
        ask(new FanOutRequest.Nest(outer, 0, inner), new FanOutRequest.Seal(outer, 7, 1));
        cancel(0, subtask(outer, 0));
        passOn();

        assertThat(view(inner).phase()).isEqualTo(Phase.COMPLETE);
        assertThat(get(store.fanOuts().due(1_000))).contains(inner);
    }

    @Test
    void theFanOutAroundItDoesNotWaitForOneThatIsForgotten() {
        String outer = open("");
        ask(new FanOutRequest.Nest(outer, 0, id()), new FanOutRequest.Seal(outer, 7, 1));
        cancel(0, subtask(outer, 0));
        passOn();

        assertThat(view(outer).finished()).isTrue();
        assertThat(view(outer).cancelled()).isEqualTo(1);
    }

    @Test
    void thoseOfAMasterThatIsNoSubtaskAreGivenUpLikewise() {
        String first = open("");
        String second = open("");
        String ended = open("");
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
