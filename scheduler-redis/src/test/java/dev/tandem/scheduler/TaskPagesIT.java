package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.Envelope;
import dev.tandem.task.Position;
import dev.tandem.task.Task;
import dev.tandem.task.TaskState;
import dev.tandem.task.store.SettledMark;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreRequest.Claim;
import dev.tandem.task.store.StoreRequest.HandOver;
import dev.tandem.task.store.StoreRequest.Move;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.function.LongFunction;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Pages of tasks have each task once, whatever the sizes of pages and envelopes, and are as large as is allowed at most. */
class TaskPagesIT extends OperatorTestBase {

    private static final int MAX_BYTES = 1 << 20;
    private static final int LARGE = 200_000;
    private static final int CLAIMED = 1_100;

    /** One in five tasks is large, and the first ones are small, as if all were. */
    private static final LongFunction<byte[]> PAYLOADS = i -> new byte[i > 20 && i % 5 == 0 ? LARGE : 10];

    private void hand(LongFunction<Move> moves, @Nullable String key, int tasks) {
        List<HandOver> entries = new ArrayList<>();
        for (long i = 0; i < tasks; i++) {
            Task task = Task.of(queue, key == null ? "key-" + i : key, PAYLOADS.apply(i));
            entries.add(new HandOver(
                    Position.of(0, i),
                    task.key(),
                    new SettledMark.Offset(i),
                    moves.apply(i),
                    Envelope.of(task).encode()));
        }
        hand(entries);
    }

    /** Returns the offsets of all tasks of a state, page by page. */
    private List<Long> all(TaskState state, int limit) {
        List<Long> all = new ArrayList<>();
        @Nullable String cursor = null;
        do {
            ResultPage<TaskView> page = page(state, cursor, limit);
            assertThat(page.items()).hasSizeLessThanOrEqualTo(limit);
            long bytes = page.items().stream()
                    .filter(each -> each.envelope() != null)
                    .mapToLong(each -> each.envelope().task().payload().length)
                    .sum();
            assertThat(bytes).as("a MiB, and one more task").isLessThan(MAX_BYTES + LARGE);
            all.addAll(offsets(page));
            cursor = page.next();
        } while (cursor != null);
        return all;
    }

    private static List<Long> offsets(int tasks) {
        return LongStream.range(0, tasks).boxed().toList();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 16, 17, 60, 500})
    void farOffTasksAreListedOnce(int limit) {
        hand(i -> new Move.Schedule(FAR / 2 + i % 3 * 60_000), null, 60);
        assertThat(all(TaskState.SCHEDULED, limit)).hasSize(60).containsExactlyInAnyOrderElementsOf(offsets(60));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 16, 17, 60, 500})
    void tasksThatAreSoonDueAreListedInTheirOrder(int limit) {
        long now = System.currentTimeMillis();
        hand(i -> new Move.Schedule(now + 30_000 + i), null, 60);
        assertThat(all(TaskState.SCHEDULED, limit)).containsExactlyElementsOf(offsets(60));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 16, 17, 60, 500})
    void parkedTasksAreListedInTheirOrderWithTheHeadOfTheirKey(int limit) {
        halt("k", 1_000);
        hand(i -> new Move.Park(), "k", 60);
        assertThat(all(TaskState.PARKED, limit)).containsExactlyElementsOf(offsets(60));
        assertThat(page(TaskState.PARKED, null, 20).items())
                .allSatisfy(each -> assertThat(each.head()).isEqualTo(Position.of(0, 1_000)));
        assertThat(get(store.inspector().keys().parkedBehind(partition, "k", limit)))
                .as("those of a MiB")
                .hasSize(Math.min(limit, 51))
                .allSatisfy(each -> assertThat(each.head()).isEqualTo(Position.of(0, 1_000)));
    }

    @ParameterizedTest
    @ValueSource(ints = {7, 100, 101, 500})
    void eachOfManyClaimedTasksIsListedOnce(int limit) {
        claimMany();
        assertThat(all(TaskState.ACTIVE, limit)).hasSize(CLAIMED).containsExactlyInAnyOrderElementsOf(offsets(CLAIMED));
    }

    /** Claims tasks one request after the other, so that each was claimed later than the one before, or at the same time. */
    private void claimMany() {
        for (long from = 0; from < CLAIMED; from += 100) {
            List<Claim> claims = LongStream.range(from, from + 100)
                    .mapToObj(i -> new Claim(Position.of(0, i), owner.nextToken(), "key-" + i, false))
                    .toList();
            assertThat(owner.settleAndClaim(List.of(), claims).claims())
                    .allMatch(StoreAnswer.ClaimResult.Ok.class::isInstance);
        }
    }

    @Test
    void thoseThatRunForLongestAreFoundAmongEightTimesAsMany() {
        claimMany();
        List<TaskView> some = get(store.inspector().running(List.of(partition), 20));

        assertThat(some).hasSize(20);
        assertThat(some).extracting(each -> each.claim().startedAt()).isSorted();
        assertThat(new TreeSet<>(some.stream()
                        .map(TaskView::position)
                        .map(Position::text)
                        .toList()))
                .hasSize(20);
        assertThat(get(store.inspector().running(List.of(partition), 500))).hasSize(500);
    }
}
