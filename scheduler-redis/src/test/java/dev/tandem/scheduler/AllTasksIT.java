package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.TaskState;
import dev.tandem.task.store.Incarnation;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreRequest;
import dev.tandem.task.store.StoreRequest.HandOver;
import dev.tandem.task.store.StoreRequest.Move;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Lists of the tasks in all states, and what a blocked key shows of its head and its lane. */
class AllTasksIT extends OperatorTestBase {

    private static final long HOUR = 3_600_000;

    @Test
    void tasksOfAllStatesAreListedInOneList() {
        halt("halted", 1);
        park("halted", 2, 3);
        retryLater("waiting", 4);
        schedule(5, System.currentTimeMillis() + 2 * HOUR);
        schedule(6, System.currentTimeMillis() + 60_000);
        claim(7, "running");
        awaitPartitions(1);

        for (int limit : new int[] {1, 2, 100}) {
            assertThat(all(null, limit).stream().map(AllTasksIT::offset).toList())
                    .as("running, by due time, parked, dead; %d at a time", limit)
                    .containsExactly(7L, 6L, 4L, 5L, 2L, 3L, 1L);
        }
        TaskView parked = all(null, 100).get(4);
        assertThat(parked.head()).isEqualTo(Position.of(0, 1));
        TaskView dead = all(null, 100).get(6);
        assertThat(dead.head()).as("it is the head itself").isEqualTo(Position.of(0, 1));
    }

    /** Retried, near and far-off tasks of three partitions, some of them due at the same time. */
    @ParameterizedTest
    @ValueSource(ints = {3, 7, 50, 1_000})
    void waitingTasksOfAllPartitionsComeByDueTime(int limit) {
        Random random = new Random(limit);
        long now = System.currentTimeMillis();
        int tasks = 0;
        for (int number = 0; number < 3; number++) {
            Partition each = Partition.of(queue, number);
            try (TestOwner its = number == 0 ? null : new TestOwner(store, each, "executor-one")) {
                TestOwner writer = its == null ? owner : its;
                if (its != null) {
                    its.acquire();
                }
                List<HandOver> entries = new ArrayList<>();
                for (int i = 0; i < 60; i++) {
                    long in = i % 3 == 0 ? random.nextInt(8) * 10_000L : 100_000 + random.nextInt(40) * 5_000L;
                    entries.add(entry(100 + i, null, new Move.Schedule(now + in)));
                }
                writer.ask(
                        new StoreRequest.TakeCustody(writer.header(), Incarnation.of(0), 0, 10, 1_000, entries),
                        StoreAnswer.CustodyTaken.class);
                tasks += entries.size();
            }
        }
        for (int i = 0; i < 10; i++) {
            retryLater("key-" + i, i);
        }
        tasks += 10;
        awaitPartitions(3);

        List<TaskView> listed = all(null, limit);

        assertThat(listed)
                .extracting(task -> task.partition().name() + "/" + task.position())
                .hasSize(tasks)
                .doesNotHaveDuplicates();
        if (limit == 1_000) {
            assertThat(listed).isSortedAccordingTo(Comparator.comparingLong(TaskView::at));
        } else {
            // The minute of the first far-off tasks may begin before the last near ones are due.
            assertThat(listed.stream().map(task -> task.at() / 60_000))
                    .as("all minute by minute")
                    .isSorted();
            assertThat(listed.stream().map(TaskView::at).filter(at -> at < now + 90_000))
                    .as("the near ones in order")
                    .isSorted();
        }
        assertThat(all("1", limit))
                .hasSize(60)
                .allMatch(task -> task.partition().name().equals("1"));
    }

    @Test
    void madeUpCursorIsRefused() {
        awaitPartitions(1);
        for (String cursor :
                new String[] {"x", "due", "due.x", "gone.x", "due." + TaskCursor.encode("1 NEAR 0 x".getBytes())}) {
            assertThatThrownBy(
                            () -> get(store.inspector().allTasks(queue, null, cursor, 10, null, ReadBudget.forList())))
                    .hasMessageContaining("is not one that a page returned");
        }
    }

    @Test
    void keyShowsItsHeadAndTheFirstOfItsLane() {
        retryLater("k", 1);
        park("k", 4, 2, 3);
        park("k", 9);

        KeyView key = get(store.inspector().keys().find(partition, "k")).orElseThrow();
        assertThat(key.headTask().state()).isEqualTo(TaskState.RETRY);
        assertThat(key.headTask().envelope().attempts()).isEqualTo(3);
        assertThat(key.headTask().at()).isGreaterThan(System.currentTimeMillis());
        assertThat(get(store.inspector().keys().parkedBehind(partition, "k", 3)))
                .extracting(AllTasksIT::offset)
                .containsExactly(4L, 2L, 3L);
        assertThat(get(store.inspector().keys().parkedBehind(partition, "open", 3)))
                .isEmpty();
        assertThat(get(store.inspector().keys().blocked(partition, null, 10)).items())
                .singleElement()
                .satisfies(listed -> {
                    assertThat(listed.headTask().position()).isEqualTo(Position.of(0, 1));
                    assertThat(listed.headTask().at()).isEqualTo(key.headTask().at());
                });
    }

    private List<TaskView> all(@Nullable String only, int limit) {
        List<TaskView> all = new ArrayList<>();
        String cursor = null;
        do {
            ResultPage<TaskView> page =
                    get(store.inspector().allTasks(queue, only, cursor, limit, null, ReadBudget.forList()));
            assertThat(page.items()).hasSizeLessThanOrEqualTo(limit);
            all.addAll(page.items());
            cursor = page.next();
        } while (cursor != null);
        return all;
    }

    private void awaitPartitions(int count) {
        await().until(() -> get(store.inspector().partitions(queue)).size() == count);
    }

    private static long offset(TaskView task) {
        return Long.parseLong(task.position().text().substring(2));
    }
}
