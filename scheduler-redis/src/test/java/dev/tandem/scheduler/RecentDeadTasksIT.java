package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tandem.task.Envelope;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.Task;
import dev.tandem.task.TaskState;
import dev.tandem.task.store.SettledMark;
import dev.tandem.task.store.StoreRequest.HandOver;
import dev.tandem.task.store.StoreRequest.Move;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Lists of the dead tasks that died since a time. */
class RecentDeadTasksIT extends OperatorTestBase {

    private static final int EARLIER = 1_200;

    /** The place of the sorted set among the keys of a partition. */
    private static final int DEAD = 10;

    @Test
    void theLatestAreListedAndTheOthersAreNotRead() {
        for (int first = 0; first < EARLIER; first += 400) {
            bury(first, 400);
        }
        long since = nextMillis(EARLIER - 1);
        bury(EARLIER, 3);

        ReadBudget budget = ReadBudget.forList(2_000);
        ResultPage<TaskView> all = page(since, null, 50, null, budget);
        assertThat(offsets(all)).containsExactlyInAnyOrder(1_200L, 1_201L, 1_202L);
        assertThat(all.next()).isNull();

        // A search that finds nothing has looked at three tasks.
        for (int budgeted : new int[] {3, 4}) {
            ReadBudget ofSearch = ReadBudget.forList(budgeted);
            ResultPage<TaskView> none = page(since, null, 50, task -> false, ofSearch);
            assertThat(none.items()).isEmpty();
            assertThat(none.next()).isNull();
            assertThat(ofSearch.isSpent()).isEqualTo(budgeted == 3);
        }
        assertThat(CountedReads.bytes(
                        store.adminConnection(),
                        Script.INSPECT,
                        partition,
                        "page",
                        "dead",
                        "",
                        "500",
                        Long.toString(since)))
                .as("bytes that Redis reads for three tasks")
                .isLessThan(1_000);
    }

    @Test
    void theBudgetIsOfAllPartitions() {
        int partitions = 10;
        for (int number = 0; number < partitions; number++) {
            if (number > 0) {
                owner.close();
                owner = new TestOwner(store, Partition.of(queue, number), "executor-one");
                owner.acquire();
            }
            bury(0, 40);
        }
        List<TaskView> looked = new ArrayList<>();
        @Nullable String cursor = null;
        int pages = 0;
        do {
            int before = looked.size();
            ReadBudget budget = ReadBudget.forList(100);
            Predicate<TaskView> none = task -> {
                looked.add(task);
                return false;
            };
            cursor = page(0, cursor, 50, none, budget).next();
            assertThat(looked.size() - before).isLessThanOrEqualTo(120);
            pages++;
        } while (cursor != null);
        assertThat(looked).hasSize(partitions * 40);
        assertThat(pages).isEqualTo(4);

        ReadBudget ofNothing = ReadBudget.forList(1);
        assertThat(page(FAR, null, 50, task -> true, ofNothing).next()).isNull();
        assertThat(ofNothing.isSpent()).as("no task was read").isFalse();
    }

    /** All died in the same microsecond. The last task of a page goes, or dies again, before the next one is read. */
    @ParameterizedTest
    @ValueSource(strings = {"gone", "1000000", "-1000000"})
    void aListGoesOnWhereItsLastTaskWas(String change) {
        bury(0, 60);
        ResultPage<TaskView> first = page(0, null, 20, null, ReadBudget.forList());
        long moved = offsets(first).get(19);
        byte[] last = Position.of(0, moved).text().getBytes(StandardCharsets.US_ASCII);
        byte[] dead = store.adminConnection().keys().of(partition)[DEAD];
        get(store.adminConnection()
                .run(commands -> commands.zscore(dead, last)
                        .thenCompose(score -> change.equals("gone")
                                ? commands.zrem(dead, last)
                                : commands.zadd(dead, score + Long.parseLong(change), last))));

        List<Long> listed = new ArrayList<>(offsets(first).subList(0, 19));
        for (@Nullable String cursor = first.next(); cursor != null; ) {
            ResultPage<TaskView> page = page(0, cursor, 20, null, ReadBudget.forList());
            offsets(page).stream().filter(offset -> offset != moved).forEach(listed::add);
            cursor = page.next();
        }
        assertThat(listed)
                .hasSize(59)
                .containsExactlyInAnyOrderElementsOf(LongStream.range(0, 60)
                        .filter(offset -> offset != moved)
                        .boxed()
                        .toList());
    }

    @Test
    void pagesGoOnUntilThoseThatDiedEarlier() {
        bury(0, 5);
        long since = nextMillis(4);
        bury(5, 5);
        List<Long> found = new ArrayList<>();
        @Nullable String cursor = null;
        int pages = 0;
        do {
            ResultPage<TaskView> page = page(since, cursor, 2, null, ReadBudget.forList());
            found.addAll(offsets(page));
            cursor = page.next();
            pages++;
        } while (cursor != null);

        assertThat(found).containsExactlyInAnyOrder(5L, 6L, 7L, 8L, 9L);
        assertThat(pages).isEqualTo(3);
        assertThat(offsets(page(0, null, 50, null, ReadBudget.forList()))).hasSize(10);
        assertThat(offsets(page(FAR, null, 50, null, ReadBudget.forList()))).isEmpty();
        assertThatThrownBy(() -> page(since, "x", 2, null, ReadBudget.forList()))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private ResultPage<TaskView> page(
            long since, @Nullable String cursor, int limit, @Nullable Predicate<TaskView> chosen, ReadBudget budget) {
        return get(new RecentDeadTasks(store.inspector()).page(queue, null, since, cursor, limit, chosen, budget));
    }

    /** Waits for a millisecond in which no task has died yet, and returns it. @param last the last that died */
    private long nextMillis(long last) {
        Optional<TaskView> died = get(store.inspector().task(partition, Position.of(0, last)));
        assertThat(died).get().extracting(TaskView::state).isEqualTo(TaskState.DEAD);
        long since = died.orElseThrow().at() + 1;
        await().until(() -> System.currentTimeMillis() > since);
        return since;
    }

    private void bury(long first, int count) {
        List<HandOver> entries = new ArrayList<>();
        for (long offset = first; offset < first + count; offset++) {
            Task task = new Task(null, queue, "ship", null, new byte[] {1}, Map.of(), 0, 0, 0, 0, null);
            byte[] envelope = new Envelope(task, 1, 0, "boom").encode();
            entries.add(new HandOver(
                    Position.of(0, offset), null, new SettledMark.Offset(offset), new Move.Bury(), envelope));
        }
        hand(entries);
    }
}
