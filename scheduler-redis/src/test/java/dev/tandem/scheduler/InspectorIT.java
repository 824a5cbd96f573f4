package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tandem.task.Envelope;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.Task;
import dev.tandem.task.TaskState;
import dev.tandem.task.store.Incarnation;
import dev.tandem.task.store.SettledMark;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreAnswer.BlockReason;
import dev.tandem.task.store.StoreRequest;
import dev.tandem.task.store.StoreRequest.HandOver;
import dev.tandem.task.store.StoreRequest.Move;
import dev.tandem.task.store.StoreRequest.Settle;
import dev.tandem.task.store.StoreRequest.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

/** The inspector tells the state of queues. */
class InspectorIT extends OperatorTestBase {

    @Test
    void countsAndListsEveryState() {
        halt("halted", 1);
        park("halted", 2, 3);
        retryLater("waiting", 4);
        schedule(5, FAR);
        schedule(6, FAR + 1);
        claim(7, "running");
        Position succeeded = Position.of(0, 8);
        long token = claim(8, null);
        owner.settleAndClaim(
                List.of(new Settle(
                        succeeded, token, null, new SettledMark.Offset(8), new Verdict.Success(kept(null, null)), 0)),
                List.of());
        await().until(() -> !get(store.inspector().partitions(queue)).isEmpty());

        PartitionView view = get(store.inspector().counts(queue)).get(0);
        assertThat(view.tasks())
                .isEqualTo(Map.of(
                        TaskState.DEAD, 1L,
                        TaskState.PARKED, 2L,
                        TaskState.RETRY, 1L,
                        TaskState.SCHEDULED, 2L,
                        TaskState.ACTIVE, 1L,
                        TaskState.SUCCEEDED, 0L));
        assertThat(view.owner()).isEqualTo("executor-one");
        assertThat(view.leaseMillis()).isBetween(1L, TestOwner.LEASE);
        assertThat(view.blockedKeys()).isEqualTo(2);
        assertThat(view.overdueMillis()).as("none is due yet").isEqualTo(-1);
        assertThat(view.totals()).containsEntry("succeeded", 1L).containsEntry("retried", 1L);

        assertThat(offsets(TaskState.DEAD)).containsExactly(1L);
        assertThat(offsets(TaskState.PARKED)).containsExactly(2L, 3L);
        assertThat(offsets(TaskState.RETRY)).containsExactly(4L);
        assertThat(offsets(TaskState.SCHEDULED)).containsExactly(5L, 6L);
        assertThat(offsets(TaskState.SUCCEEDED)).containsExactly(8L);
        TaskView running = page(TaskState.ACTIVE, null, 10).items().get(0);
        assertThat(running.envelope()).isNull();
        assertThat(running.claim().executor()).isEqualTo("executor-one");
        assertThat(running.claim().key()).isEqualTo("running");
        assertThat(running.claim().startedAt()).isCloseTo(System.currentTimeMillis(), Offset.offset(60_000L));
        assertThat(running.claim().leaseUntil()).isGreaterThan(running.claim().startedAt());

        for (int offset = 1; offset <= 8; offset++) {
            assertThat(get(store.inspector().task(partition, Position.of(0, offset))))
                    .isPresent();
        }
        assertThat(get(store.inspector().task(partition, Position.of(0, 99)))).isEmpty();
    }

    @Test
    void pagesThroughStatesAndPartitions() {
        halt("halted", 1);
        park("halted", 2, 3, 4, 5, 6, 7, 8, 9);
        Partition second = Partition.of(queue, 1);
        try (TestOwner other = new TestOwner(store, second, "executor-one")) {
            other.acquire();
            List<HandOver> entries = new ArrayList<>();
            for (int i = 20; i < 27; i++) {
                entries.add(entry(i, null, new Move.Schedule(FAR + i)));
                schedule(i, FAR + i);
            }
            other.ask(
                    new StoreRequest.TakeCustody(other.header(), Incarnation.of(0), 0, 10, 1_000, entries),
                    StoreAnswer.CustodyTaken.class);
            await().until(() -> get(store.inspector().partitions(queue)).size() == 2);
            List<TaskView> all = new ArrayList<>();
            String cursor = null;
            do {
                ResultPage<TaskView> page = get(store.inspector().tasks(queue, TaskState.SCHEDULED, cursor, 3));
                assertThat(page.items()).hasSizeLessThanOrEqualTo(3);
                all.addAll(page.items());
                cursor = page.next();
            } while (cursor != null);
            assertThat(all).hasSize(14).doesNotHaveDuplicates();
            assertThat(all.subList(0, 7)).allMatch(task -> task.partition().equals(partition));
        }
        ResultPage<TaskView> first = page(TaskState.PARKED, null, 5);
        assertThat(first.items()).hasSize(5);
        assertThat(offsets(page(TaskState.PARKED, first.next(), 5))).containsExactly(7L, 8L, 9L);
        assertThatThrownBy(() -> page(TaskState.PARKED, "?", 5)).hasMessageContaining("cursor '?'");
        assertThatThrownBy(() -> page(TaskState.DEAD, null, 0)).hasMessageContaining("limit is 0");
    }

    @Test
    void findsTasksByGivenAndDefaultIds() {
        Task labelled = new Task("invoice-7", queue, "t", null, new byte[3], Map.of(), 0, 0, 0, 0, null);
        byte[] envelope = Envelope.of(labelled).encode();
        owner.ask(
                new StoreRequest.TakeCustody(
                        owner.header(),
                        Incarnation.of(0),
                        0,
                        10,
                        10,
                        List.of(
                                new HandOver(
                                        Position.of(0, 1),
                                        null,
                                        new SettledMark.Offset(1),
                                        new Move.Schedule(FAR),
                                        envelope),
                                new HandOver(
                                        Position.of(0, 2),
                                        null,
                                        new SettledMark.Offset(2),
                                        new Move.Schedule(FAR),
                                        envelope),
                                entry(3, null, new Move.Schedule(FAR)))),
                StoreAnswer.CustodyTaken.class);
        await().until(() -> !get(store.inspector().partitions(queue)).isEmpty());
        assertThat(get(store.inspector().tasks(queue, "invoice-7", 20)))
                .extracting(TaskView::position)
                .containsExactlyInAnyOrder(Position.of(0, 1), Position.of(0, 2));
        assertThat(get(store.inspector().tasks(queue, "topic:0:3", 20)))
                .extracting(TaskView::position)
                .containsExactly(Position.of(0, 3));
        assertThat(get(store.inspector().tasks(queue, "topic:1:3", 20))).isEmpty();
        assertThat(get(store.inspector().tasks(queue, "nobody", 20))).isEmpty();
    }

    @Test
    void anIdOfManyTasksFindsAsManyAsAreAskedFor() {
        Task labelled = new Task("nightly", queue, "t", null, new byte[3], Map.of(), 0, 0, 0, 0, null);
        byte[] envelope = Envelope.of(labelled).encode();
        List<HandOver> entries = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            entries.add(
                    new HandOver(Position.of(0, i), null, new SettledMark.Offset(i), new Move.Schedule(FAR), envelope));
        }
        hand(entries);
        await().until(() -> !get(store.inspector().partitions(queue)).isEmpty());
        for (int i = 0; i < 10; i++) {
            get(store.admin().delete(partition, Position.of(0, i)));
        }
        assertThat(get(store.inspector().tasks(queue, "nightly", 20)))
                .hasSize(20)
                .doesNotHaveDuplicates()
                .extracting(TaskView::position)
                .doesNotContain(Position.of(0, 5));
    }

    @Test
    void pageEndsAfterItsBytes() {
        Task large = new Task(null, queue, "t", null, new byte[300_000], Map.of(), 0, 0, 0, 0, null);
        byte[] envelope = Envelope.of(large).encode();
        for (int i = 0; i < 9; i++) {
            hand(List.of(new HandOver(
                    Position.of(0, i), null, new SettledMark.Offset(i), new Move.Schedule(FAR + i), envelope)));
        }
        List<Long> seen = new ArrayList<>();
        String cursor = null;
        do {
            ResultPage<TaskView> page = page(TaskState.SCHEDULED, cursor, 100);
            assertThat(page.items()).hasSizeLessThanOrEqualTo(4);
            seen.addAll(offsets(page));
            cursor = page.next();
        } while (cursor != null);
        assertThat(seen).containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L);
    }

    @Test
    void fullestKeyIsTheOneWithTheMostParkedTasks() {
        assertThat(get(store.inspector().keys().fullest(partition))).isEmpty();
        for (int i = 0; i < 300; i++) {
            retryLater("key-" + i, i);
            park("key-" + i, 1_000 + i);
        }
        park("key-77", 2_000, 2_001, 2_002, 2_003, 2_004);
        KeyView fullest = get(store.inspector().keys().fullest(partition)).orElseThrow();
        assertThat(fullest.key()).isEqualTo("key-77");
        assertThat(fullest.parked()).isEqualTo(6);
        assertThat(fullest.reason()).isEqualTo(BlockReason.HEAD);
    }

    @Test
    void listsBlockedKeys() {
        for (int i = 0; i < 30; i++) {
            retryLater("key-" + i, i);
        }
        List<KeyView> all = new ArrayList<>();
        String cursor = null;
        do {
            ResultPage<KeyView> page = get(store.inspector().keys().blocked(partition, cursor, 10));
            all.addAll(page.items());
            cursor = page.next();
        } while (cursor != null);
        assertThat(all).extracting(KeyView::key).hasSize(30).doesNotHaveDuplicates();
        assertThat(all).allMatch(key -> key.since() > 0 && key.reason() == BlockReason.HEAD);
    }
}
