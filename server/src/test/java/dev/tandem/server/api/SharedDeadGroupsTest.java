package dev.tandem.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tandem.server.api.SharedDeadGroups.Halted;
import dev.tandem.server.inspect.PartitionInfo;
import dev.tandem.server.inspect.TaskCounts;
import dev.tandem.server.inspect.UnavailableException;
import dev.tandem.task.Partition;
import dev.tandem.task.store.DeadGroup;
import dev.tandem.task.store.DeadGroups;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** How much is read of the groups of dead tasks of all queues, and how often. */
class SharedDeadGroupsTest {

    private static Views.Queue queue(String name, long... deadOfPartitions) {
        List<Views.Partition> partitions = IntStream.range(0, deadOfPartitions.length)
                .mapToObj(i -> new Views.Partition(
                        Integer.toString(i),
                        null,
                        null,
                        deadOfPartitions[i] / 2,
                        new TaskCounts(0, 0, 0, 0, deadOfPartitions[i], 0),
                        null,
                        null,
                        null,
                        null))
                .toList();
        TaskCounts counts =
                new TaskCounts(0, 0, 0, 0, LongStream.of(deadOfPartitions).sum(), 0);
        return queue(name, counts, partitions);
    }

    private static Views.Queue queue(
            String name, @Nullable TaskCounts counts, @Nullable List<Views.Partition> partitions) {
        return new Views.Queue(
                name,
                "kafka",
                "key",
                "running",
                null,
                false,
                null,
                null,
                null,
                0L,
                0L,
                null,
                null,
                counts,
                null,
                null,
                null,
                null,
                partitions);
    }

    /** Returns a queue that has dead tasks in this many partitions. */
    private static Views.Queue wide(String name, int partitions) {
        return queue(name, LongStream.range(0, partitions).map(i -> 9).toArray());
    }

    private static Partition partition(String queue, int number) {
        return Partition.of(queue, number);
    }

    private long now = 1;
    private int groupsOfEach = 1;
    private int ungroupedOfEach;
    private final List<Partition> asked = new ArrayList<>();
    private final List<Integer> askedGroups = new ArrayList<>();
    private final SharedDeadGroups shared = new SharedDeadGroups(this::answer, () -> now);

    private Map<Partition, DeadGroups> answer(List<Partition> partitions, int most) {
        assertThat(partitions).hasSizeLessThanOrEqualTo(SharedDeadGroups.AT_ONCE);
        asked.addAll(partitions);
        askedGroups.add(most);
        Map<Partition, DeadGroups> answers = new HashMap<>();
        for (Partition partition : partitions) {
            List<DeadGroup> groups = IntStream.range(0, Math.min(most, groupsOfEach))
                    .mapToObj(i -> new DeadGroup("group-" + i, null, "", 2, 1, 0, 0))
                    .toList();
            answers.put(partition, new DeadGroups(9, ungroupedOfEach, groupsOfEach, most < groupsOfEach, groups));
        }
        return answers;
    }

    @Test
    void queuesWithTheMostDeadTasksAreReadAndNoMoreThanTwenty() {
        List<Views.Queue> queues = new ArrayList<>();
        for (long dead = 0; dead < 50; dead++) {
            queues.add(queue("queue-" + dead, 0, dead));
        }
        queues.add(queue("unknown", null, List.of()));
        Collections.shuffle(queues);

        assertThat(shared.following().apply(queues)).hasSize(SharedDeadGroups.MOST_QUEUES);
        assertThat(asked)
                .as("nothing of partitions without dead tasks")
                .hasSize(SharedDeadGroups.MOST_QUEUES)
                .startsWith(partition("queue-49", 1), partition("queue-48", 1))
                .endsWith(partition("queue-30", 1));
        asked.clear();
        assertThat(shared.following().apply(List.of(queue("well", 0), queue("unknown", null, List.of()))))
                .isEmpty();
        assertThat(asked).isEmpty();
    }

    @Test
    void theNumberOfPartitionsOfAllQueuesIsBoundedAndEachQueueHasSome() {
        List<Views.Queue> queues = List.of(wide("a", 300), wide("b", 40), wide("c", 1));

        Map<String, DeadGroups> groups = shared.following().apply(queues);

        assertThat(asked).hasSize(SharedDeadGroups.MOST_PARTITIONS).contains(partition("c", 0), partition("b", 39));
        assertThat(groups).containsOnlyKeys("a", "b", "c");
        assertThat(groups.get("a").partial()).isTrue();
        assertThat(groups.get("b"))
                .isEqualTo(
                        new DeadGroups(360, 0, 40, false, List.of(new DeadGroup("group-0", null, "", 80, 40, 0, 0))));
    }

    @Test
    void noFurtherPartitionsAreReadAfterSomeThousandGroups() {
        groupsOfEach = 501;
        List<Views.Queue> queues = List.of(wide("a", 12), wide("b", 6), queue("c", 1));

        Map<String, DeadGroups> groups = shared.following().apply(queues);

        assertThat(asked).as("each may have 501 groups").hasSize(8);
        assertThat(askedGroups).as("1,000 of 19 partitions").containsOnly(1_000 / 19);
        assertThat(groups).containsOnlyKeys("a", "b", "c");
        assertThat(groups.get("a").partial()).isTrue();
        assertThat(groups.get("a").groups()).hasSize(1_000 / 19);
        assertThat(shared.halting(List.of(queue("a", 2_000))).get("a"))
                .as("all halted keys of a partition are known")
                .isEqualTo(new Halted(501, false));
    }

    @Test
    void ofOneQueueWithManyPartitionsSomeAreReadAndAllDeadTasksAreCounted() {
        groupsOfEach = 501;

        DeadGroups groups = shared.of("a", partitions(40));

        assertThat(asked).as("each may have 501 groups").hasSize(8).contains(partition("a", 39));
        assertThat(groups.partial()).isTrue();
        assertThat(groups.dead()).isEqualTo(8 * 9 + IntStream.range(0, 32).sum());
        assertThat(groups.ungrouped()).isZero();
    }

    @Test
    void ofOneQueueWithFewGroupsAllAreRead() {
        groupsOfEach = 3;
        DeadGroups groups = shared.of("a", partitions(40));

        assertThat(asked).as("all with dead tasks").hasSize(39);
        assertThat(groups.partial()).isFalse();
        assertThat(groups.groups()).hasSize(3);
        assertThat(shared.of("b", partitions(1))).isEqualTo(DeadGroups.NONE);
    }

    /** Returns partitions of which each has as many dead tasks as its number. */
    private static List<PartitionInfo> partitions(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> new PartitionInfo(
                        Integer.toString(i), null, 0, new TaskCounts(0, 0, 0, 0, i, 0), Map.of(), 0, 0, 0L, null))
                .toList();
    }

    @Test
    void whoWantsMoreGroupsThanWereReadAsksAgain() {
        groupsOfEach = 501;
        shared.following().apply(List.of(wide("a", 8)));
        asked.clear();
        var following = shared.following();
        following.apply(List.of());
        following.apply(List.of(wide("a", 8)));
        assertThat(asked).isEmpty();
        following.apply(List.of(queue("a", 9)));
        assertThat(askedGroups).endsWith(1_000);
        shared.halting(List.of(queue("a", 9)));
        assertThat(asked).containsExactly(partition("a", 0));
    }

    @Test
    void haltedKeysThatWereNotReadMayBeMore() {
        List<Views.Queue> queues = new ArrayList<>();
        for (int i = 1; i <= 21; i++) {
            queues.add(queue("queue-" + i, 2L * i));
        }
        queues.add(wide("wide", 201));

        Map<String, Halted> halted = shared.halting(queues);

        assertThat(halted.get("wide")).isEqualTo(new Halted(181, true));
        assertThat(halted.get("queue-21")).isEqualTo(new Halted(1, false));
        assertThat(halted.get("queue-1")).as("not read").isEqualTo(new Halted(0, true));
        assertThat(halted).hasSize(22);
    }

    @Test
    void tasksThatAreInNoGroupMayHaltMoreKeys() {
        ungroupedOfEach = 7;
        assertThat(shared.halting(List.of(queue("a", 9)))).containsEntry("a", new Halted(1, true));
        assertThat(shared.halting(List.of(queue("b", 2))))
                .as("not more than are blocked")
                .containsEntry("b", new Halted(1, false));
    }

    @Test
    void neverMoreKeysAreHaltedThanAreBlocked() {
        groupsOfEach = 5;
        assertThat(shared.halting(List.of(queue("a", 8, 0)))).containsEntry("a", new Halted(4, false));
    }

    @Test
    void whoWantsHaltedKeysReadsOnlyPartitionsWithBlockedOnes() {
        assertThat(shared.halting(List.of(queue("a", 1, 2), queue("b", 1)))).containsOnlyKeys("a");
        assertThat(asked).containsExactly(partition("a", 1));
    }

    @Test
    void whoLooksAtOtherQueuesReadsOnlyThese() {
        List<Views.Queue> two = List.of(queue("a", 3), queue("b", 2));
        assertThat(shared.halting(two)).containsOnlyKeys("a", "b");
        assertThat(shared.halting(List.of(queue("b", 3), queue("c", 2)))).containsOnlyKeys("b", "c");
        assertThat(shared.halting(two)).as("no queue of another caller").containsOnlyKeys("a", "b");
        assertThat(asked).containsExactly(partition("a", 0), partition("b", 0), partition("c", 0));
    }

    @Test
    void aReadingIsGoodForFiveSecondsForHaltedKeysAndForOneWhereItIsFollowed() {
        List<Views.Queue> queues = List.of(queue("a", 2));
        var following = shared.following();
        following.apply(queues);
        now += Duration.ofMillis(900).toNanos();
        following.apply(queues);
        assertThat(asked).hasSize(1);
        now += Duration.ofMillis(200).toNanos();
        shared.halting(queues);
        assertThat(asked).hasSize(1);
        following.apply(queues);
        assertThat(asked).hasSize(2);
        shared.following().apply(queues);
        assertThat(asked).as("whoever opens the page sees what is there now").hasSize(3);
        now += Duration.ofSeconds(5).toNanos();
        shared.halting(queues);
        assertThat(asked).hasSize(4);
    }

    /** Has one caller read while others come, and returns what they got when the reading ends. */
    private static List<Future<Map<String, Halted>>> together(SharedDeadGroups shared, CountDownLatch end)
            throws InterruptedException {
        List<Views.Queue> queues = List.of(queue("a", 2));
        ExecutorService callers = Executors.newCachedThreadPool();
        try {
            List<Future<Map<String, Halted>>> answers = new ArrayList<>();
            for (int caller = 0; caller < 4; caller++) {
                answers.add(callers.submit(() -> shared.halting(queues)));
            }
            await().until(() -> shared.waiting() == 3);
            end.countDown();
            callers.shutdown();
            assertThat(callers.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
            return answers;
        } finally {
            callers.shutdownNow();
        }
    }

    private static void waitFor(CountDownLatch end) {
        try {
            end.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void whoComesWhileOthersReadWaitsForThem() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        SharedDeadGroups slow = new SharedDeadGroups(
                (partitions, most) -> {
                    waitFor(end);
                    return answer(partitions, most);
                },
                System::nanoTime);

        for (Future<Map<String, Halted>> answer : together(slow, end)) {
            assertThat(answer.get()).containsOnlyKeys("a");
        }
        assertThat(asked).containsExactly(partition("a", 0));
    }

    @Test
    void whoHasWaitedForAFailureDoesNotAskAgain() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        SharedDeadGroups broken = new SharedDeadGroups(
                (partitions, most) -> {
                    waitFor(end);
                    asked.addAll(partitions);
                    throw new UnavailableException("Redis did not answer");
                },
                System::nanoTime);

        for (Future<Map<String, Halted>> answer : together(broken, end)) {
            assertThatThrownBy(answer::get).hasCauseInstanceOf(UnavailableException.class);
        }
        assertThat(asked).hasSize(1);
        assertThatThrownBy(() -> broken.halting(List.of(queue("a", 2)))).isInstanceOf(UnavailableException.class);
        assertThat(asked).as("but who comes later does").hasSize(2);
    }
}
