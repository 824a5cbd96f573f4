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
import dev.tandem.task.store.StoreRequest.Settle;
import dev.tandem.task.store.StoreRequest.Verdict;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Pages of tasks have each task once, whatever the sizes of pages and envelopes, and are as large as is allowed at most. */
class TaskPagesIT extends OperatorTestBase {

    private static final int MAX_BYTES = 1 << 20;
    private static final int LARGE = 200_000;
    private static final int CLAIMED = 1_100;

    /** Keys of a partition, by their places among all. */
    private static final int CLAIMS = 1;

    private static final int TASKS = 4;
    private static final int SCHEDULED = 5;
    private static final int DEAD = 10;
    private static final int DEAD_TASKS = 11;

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

    private List<Long> all(TaskState state, int limit) {
        return all(state, limit, listed -> {});
    }

    /** Returns the offsets of all tasks of a state, page by page. @param behind gets those of a page before the next one */
    private List<Long> all(TaskState state, int limit, Consumer<List<Long>> behind) {
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
            behind.accept(offsets(page));
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
        Map<Long, Long> tokens = claimMany(0);
        assertThat(all(TaskState.ACTIVE, limit)).hasSize(CLAIMED).containsExactlyInAnyOrderElementsOf(offsets(CLAIMED));

        List<Long> listed = all(TaskState.ACTIVE, limit, page -> succeed(page, tokens));
        assertThat(listed)
                .as("although those of the pages before have ended")
                .hasSize(CLAIMED)
                .containsExactlyInAnyOrderElementsOf(offsets(CLAIMED));
    }

    /** Redis has fewer and more places for claims meanwhile, and so other pieces. */
    @ParameterizedTest
    @ValueSource(ints = {7, 101})
    void noneIsLeftOutWhileOthersBeginAndEnd(int limit) {
        claimMany(0);
        Map<Long, Long> others = claimMany(CLAIMED);
        Deque<Long> toEnd = new ArrayDeque<>(others.keySet());
        List<Long> listed = all(TaskState.ACTIVE, limit, page -> {
            List<Long> ended = new ArrayList<>();
            while (ended.size() < limit && !toEnd.isEmpty()) {
                ended.add(toEnd.remove());
            }
            succeed(ended, others);
        });
        assertThat(listed).containsAll(offsets(CLAIMED));

        AtomicLong more = new AtomicLong(2 * CLAIMED);
        List<Long> whileItGrows = all(TaskState.ACTIVE, limit, page -> {
            if (more.get() < 5 * CLAIMED) {
                claim(more.getAndAdd(2L * limit), 2 * limit);
            }
        });
        assertThat(whileItGrows).containsAll(offsets(CLAIMED));
    }

    /** Cursors of earlier versions do not name the end of their piece, so the whole piece is read again. */
    @Test
    void cursorOfAnEarlierVersionBeginsItsPieceAgain() {
        claimMany(0);
        String earlier = TaskCursor.encode("0 0:999".getBytes(StandardCharsets.US_ASCII));
        assertThat(offsets(page(TaskState.ACTIVE, earlier, 500)))
                .containsExactlyElementsOf(offsets(page(TaskState.ACTIVE, null, 500)));
    }

    /** Earlier versions compare this text with positions. It comes before all of them, so the piece begins again. */
    @Test
    void cursorWithinAPieceHasSeenNothingForAnEarlierVersion() {
        claimMany(0);
        String cursor =
                new String(TaskCursor.decode(page(TaskState.ACTIVE, null, 7).next()), StandardCharsets.US_ASCII);
        assertThat(cursor).matches("0 !\\d+ 0:\\d+");
        assertThat(cursor.substring(cursor.indexOf(' ') + 1)).isLessThan("0:0");
    }

    /** Claims tasks one request after the other, so that each was claimed later than the one before, or at the same time. */
    private Map<Long, Long> claimMany(long first) {
        Map<Long, Long> tokens = new LinkedHashMap<>();
        for (long from = first; from < first + CLAIMED; from += 100) {
            tokens.putAll(claim(from, 100));
        }
        return tokens;
    }

    /** Returns the tokens by offset. */
    private Map<Long, Long> claim(long first, int count) {
        List<Claim> claims = LongStream.range(first, first + count)
                .mapToObj(i -> new Claim(Position.of(0, i), owner.nextToken(), "key-" + i, false))
                .toList();
        assertThat(owner.settleAndClaim(List.of(), claims).claims())
                .allMatch(StoreAnswer.ClaimResult.Ok.class::isInstance);
        Map<Long, Long> tokens = new LinkedHashMap<>();
        claims.forEach(each -> tokens.put(offset(each.position()), each.token()));
        return tokens;
    }

    private void succeed(List<Long> offsets, Map<Long, Long> tokens) {
        List<Settle> settles = offsets.stream()
                .map(offset -> new Settle(
                        Position.of(0, offset),
                        tokens.get(offset),
                        "key-" + offset,
                        new SettledMark.Offset(offset),
                        new Verdict.Success(kept(null, null)),
                        0))
                .toList();
        owner.settleAndClaim(settles, List.of());
    }

    private static long offset(Position position) {
        return Long.parseLong(position.text().substring(2));
    }

    /** The last task of a page is cancelled, or due at another time, before the next one is read. */
    @ParameterizedTest
    @CsvSource({"gone, false", "-1000, false", "1000, false", "gone, true", "-1000, true", "1000, true"})
    void aListGoesOnWhereItsLastTaskWas(String change, boolean allStates) {
        long due = System.currentTimeMillis() + 60_000;
        hand(i -> new Move.Schedule(due), null, 60);
        Function<@Nullable String, ResultPage<TaskView>> pages = cursor -> allStates
                ? get(store.inspector().allTasks(queue, null, cursor, 20, null, ReadBudget.forList()))
                : page(TaskState.SCHEDULED, cursor, 20);
        ResultPage<TaskView> first = pages.apply(null);
        byte[] last = first.items().get(19).position().text().getBytes(StandardCharsets.US_ASCII);
        byte[] scheduled = store.adminConnection().keys().of(partition)[SCHEDULED];
        get(store.adminConnection()
                .run(commands -> change.equals("gone")
                        ? commands.zrem(scheduled, last)
                        : commands.zadd(scheduled, due + Long.parseLong(change), last)));

        List<Long> listed = new ArrayList<>(offsets(first).subList(0, 19));
        long moved = offsets(first).get(19);
        for (@Nullable String cursor = first.next(); cursor != null; ) {
            ResultPage<TaskView> page = pages.apply(cursor);
            offsets(page).stream().filter(offset -> offset != moved).forEach(listed::add);
            cursor = page.next();
        }
        assertThat(listed)
                .hasSize(59)
                .containsExactlyInAnyOrderElementsOf(
                        offsets(60).stream().filter(offset -> offset != moved).toList());
    }

    /** Envelopes are read one by one, and besides one, none for which the page has no room. */
    @Test
    void largeEnvelopesBehindSmallOnesAreNotReadForNothing() {
        byte[][] keys = store.adminConnection().keys().of(partition);
        for (int i = 0; i < 28; i++) {
            byte[] position = "0:%02d".formatted(i).getBytes(StandardCharsets.US_ASCII);
            byte[] envelope = Envelope.of(Task.of(queue, "k", new byte[i < 12 ? 10 : MAX_BYTES]))
                    .encode();
            double diedAt = 2_000_000_000_000_000.0 - i;
            byte[] claim = new byte[18];
            claim[0] = 1;
            claim[15] = 1;
            claim[16] = 'x';
            get(store.adminConnection().run(commands -> {
                commands.hset(keys[CLAIMS], position, claim);
                commands.hset(keys[TASKS], position, envelope);
                commands.hset(keys[DEAD_TASKS], position, envelope);
                return commands.zadd(keys[DEAD], diedAt, position);
            }));
        }
        assertThat(page(TaskState.DEAD, null, 50).items()).hasSize(13);
        List<String[]> calls = List.of(
                new String[] {"page", "dead", "", "50"},
                new String[] {"page", "active", "", "50"},
                new String[] {"running", "50"});
        for (String[] call : calls) {
            assertThat(CountedReads.bytes(store.adminConnection(), Script.INSPECT, partition, call))
                    .as("%s", List.of(call))
                    .isBetween((long) MAX_BYTES, MAX_BYTES + 100_000L);
        }
        for (String stage : List.of("dead", "active")) {
            assertThat(CountedReads.bytes(
                            store.adminConnection(), Script.SCAN_TASKS, partition, stage, "", "100", "+inf"))
                    .as(stage)
                    .isBetween((long) MAX_BYTES, MAX_BYTES + 100_000L);
        }
    }

    @Test
    void thoseThatRunForLongestAreFoundAmongEightTimesAsMany() {
        claimMany(0);
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
