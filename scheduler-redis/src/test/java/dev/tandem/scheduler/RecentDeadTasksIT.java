package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tandem.task.Envelope;
import dev.tandem.task.Position;
import dev.tandem.task.Task;
import dev.tandem.task.TaskState;
import dev.tandem.task.store.SettledMark;
import dev.tandem.task.store.StoreRequest.HandOver;
import dev.tandem.task.store.StoreRequest.Move;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Lists of the dead tasks that died since a time. */
class RecentDeadTasksIT extends OperatorTestBase {

    private static final int EARLIER = 1_200;

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

        // A search that finds nothing looks at one page of 500, and so does not spend what would be enough for two.
        ReadBudget ofSearch = ReadBudget.forList(600);
        ResultPage<TaskView> none = page(since, null, 50, task -> false, ofSearch);
        assertThat(none.items()).isEmpty();
        assertThat(none.next()).isNull();
        assertThat(ofSearch.isSpent()).isFalse();
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
