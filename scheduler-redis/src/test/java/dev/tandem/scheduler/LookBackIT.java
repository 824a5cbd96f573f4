package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.store.Incarnation;
import dev.tandem.task.store.LookBack;
import dev.tandem.task.store.LookBack.Ask;
import dev.tandem.task.store.LookBack.State;
import dev.tandem.task.store.PartitionHistory;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreRequest;
import dev.tandem.task.store.StoreRequest.Move;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests what Redis knows of keys in a partition that they left, and of the counts of partitions that a queue had. */
class LookBackIT extends OperatorTestBase {

    @Test
    void keysAreUnsettledBelowTheOffsetsAtWhichTheyRunOrWait() {
        claim(3, "runs");
        retryLater("fails", 4);
        halt("halted", 5);
        hand(List.of(entry(6, "delayed", new Move.Schedule(FAR))));
        retryLater("later", 7);
        commit(8);

        LookBack.Answer answer = look(
                "",
                7,
                new Ask("runs", 7),
                new Ask("fails", 7),
                new Ask("halted", 7),
                new Ask("delayed", 7),
                new Ask("later", 7),
                new Ask("later", 8),
                new Ask("runs", 3),
                new Ask("unheard of", 8),
                new Ask("unheard of", 9),
                new Ask("unheard of", 0));

        assertThat(answer.storedCommit()).isEqualTo(8);
        assertThat(answer.states())
                .containsExactly(
                        State.UNSETTLED,
                        State.UNSETTLED,
                        State.UNSETTLED,
                        State.CLEAR,
                        State.CLEAR,
                        State.UNSETTLED,
                        State.CLEAR,
                        State.CLEAR,
                        State.UNREAD,
                        State.CLEAR);
        assertThat(answer.listed()).containsExactlyInAnyOrder("runs", "fails", "halted");
        assertThat(answer.all()).isTrue();
    }

    @Test
    void offsetsOfAnotherLogAreNotCompared() {
        commit(8);
        assertThat(look("", -1, new Ask("k", 5)).states()).containsExactly(State.CLEAR);
        LookBack.Answer other = look("another", -1, new Ask("k", 5), new Ask("k", 0));
        assertThat(other.storedCommit()).isEqualTo(-1);
        assertThat(other.states()).containsExactly(State.UNREAD, State.CLEAR);
        assertThat(other.all()).isFalse();
    }

    @Test
    void asManyKeysAreListedAsAreAllowed() {
        IntStream.range(0, LookBack.MAX_LISTED + 20).forEach(i -> retryLater("k" + i, i));
        LookBack.Answer answer = look("", 1_000, new Ask("k7", 8));
        assertThat(answer.listed()).hasSize(LookBack.MAX_LISTED).doesNotHaveDuplicates();
        assertThat(answer.all()).isFalse();
        assertThat(answer.states()).containsExactly(State.UNREAD);
    }

    @Test
    void theHistoryChangesOnlyIfNobodyElseChangedIt() {
        PartitionHistory first = PartitionHistory.first("topic", 4);
        PartitionHistory grown = first.grown(8, 1_000, 2_000);
        assertThat(store.partitionHistory(queue).toCompletableFuture().join()).isEmpty();
        assertThat(Stream.of(
                                store.changePartitionHistory(queue, null, first, 0),
                                store.changePartitionHistory(queue, null, grown, 0),
                                store.changePartitionHistory(queue, first, grown, 0),
                                store.changePartitionHistory(queue, first, grown, 0))
                        .map(changed -> changed.toCompletableFuture().join()))
                .containsExactly(true, false, true, false);
        assertThat(store.partitionHistory(queue).toCompletableFuture().join()).contains(grown);
    }

    @Test
    void aGrowthGetsItsTimesFromRedisAndIsNotClosedEarly() {
        PartitionHistory first = PartitionHistory.first("topic", 2);
        assertThat(change(null, first, 0)).isTrue();
        assertThat(change(first, first.growing(3, 60_000), 0)).isTrue();
        long now = get(store.adminConnection().now());
        PartitionHistory open =
                store.partitionHistory(queue).toCompletableFuture().join().orElseThrow();
        PartitionHistory.Growth growth = open.growths().get(0);
        assertThat(growth.since()).isBetween(now - 10_000, now);
        assertThat(growth.openUntil()).isEqualTo(growth.since() + 60_000);

        PartitionHistory closed = open.closed(growth, List.of(7L, 8L, 0L));
        assertThat(change(open, closed, growth.openUntil())).isFalse();
        assertThat(change(open, closed, growth.since())).isTrue();
        assertThat(store.partitionHistory(queue).toCompletableFuture().join()).contains(closed);
    }

    private boolean change(@Nullable PartitionHistory expected, PartitionHistory next, long notBefore) {
        return store.changePartitionHistory(queue, expected, next, notBefore)
                .toCompletableFuture()
                .join();
    }

    private void commit(long offset) {
        owner.ask(new StoreRequest.RecordCommit(owner.header(), Incarnation.of(0), offset), StoreAnswer.Ok.class);
    }

    private LookBack.Answer look(String source, long listBelow, Ask... asks) {
        return store.lookBack(partition, new LookBack(source, List.of(asks), listBelow))
                .toCompletableFuture()
                .join();
    }
}
