package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.scheduler.WaitCycle.Edge;
import dev.tandem.scheduler.WaitCycle.FanOutOf;
import dev.tandem.scheduler.WaitCycle.Held;
import dev.tandem.scheduler.WaitCycle.HeldUp;
import dev.tandem.task.BusinessId;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.store.WaitRequest.Waiter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whether a task waits for itself. */
class WaitCycleTest {

    private final Map<Waiter, List<Edge>> edges = new HashMap<>();
    private final Map<Waiter, List<Held>> heldUp = new HashMap<>();
    private final Map<Waiter, List<Integer>> subtasks = new HashMap<>();
    private final Map<Integer, List<Held>> finals = new HashMap<>();
    private int asked;

    private final WaitCycle.Graph graph = new WaitCycle.Graph() {
        @Override
        public CompletableFuture<List<Edge>> edgesOf(Waiter task) {
            asked++;
            return CompletableFuture.completedFuture(edges.getOrDefault(task, List.of()));
        }

        @Override
        public CompletableFuture<HeldUp> heldUpBy(Waiter task) {
            asked++;
            List<Integer> its = subtasks.getOrDefault(task, List.of());
            List<Held> held = new ArrayList<>(heldUp.getOrDefault(task, List.of()));
            its.forEach(each -> held.addAll(finals.getOrDefault(each, List.of())));
            String name = "t" + task.position().text().substring(2);
            return CompletableFuture.completedFuture(
                    new HeldUp(name, its.stream().map(WaitCycleTest::fanOut).toList(), held));
        }
    };

    private static Waiter task(int number) {
        return new Waiter(Partition.of("q", 0), Position.of(0, number));
    }

    /** Says that a task waits for another one since a time, or is parked behind it. */
    private void waits(int task, int other, long since) {
        edges.computeIfAbsent(task(task), none -> new ArrayList<>())
                .add(new Edge(task(other), null, "t" + other, since));
        holdsUp(other, new Held(task(task), null, "t" + other, since));
    }

    private void holdsUp(int task, Held held) {
        heldUp.computeIfAbsent(task(task), none -> new ArrayList<>()).add(held);
    }

    /** Says that a task waits for the final task of a fan-out, which has not come. */
    private void waitsForFinal(int task, int fanOut, long since) {
        FanOutOf it = fanOut(fanOut);
        edges.computeIfAbsent(task(task), none -> new ArrayList<>())
                .add(new Edge(null, it.on(), "final" + fanOut, since));
        finals.computeIfAbsent(fanOut, none -> new ArrayList<>())
                .add(new Held(task(task), it, "final" + fanOut, since));
    }

    private void isSubtask(int task, int fanOut) {
        subtasks.computeIfAbsent(task(task), none -> new ArrayList<>()).add(fanOut);
    }

    private static FanOutOf fanOut(int number) {
        return new FanOutOf(new BusinessId("q", "final" + number), "f" + number);
    }

    private String find(int start) {
        return new WaitCycle(task(start), "t" + start, graph).find().join().orElse("none");
    }

    @Test
    void theTaskThatBeganToWaitLastClosesTheCycle() {
        waits(1, 2, 100);
        waits(2, 3, 300);
        waits(3, 1, 200);
        waits(2, 4, 300);
        assertThat(find(2)).isEqualTo("t2 -> t3 -> t1 -> t2");
        assertThat(find(1)).isEqualTo("none");
        assertThat(find(3)).isEqualTo("none");
        assertThat(find(4)).isEqualTo("none");
    }

    @Test
    void aParkedTaskClosesNoCycle() {
        waits(1, 2, 100);
        waits(2, 1, 0);
        assertThat(find(1)).isEqualTo("t1 -> t2 -> t1");
        assertThat(find(2)).isEqualTo("none");
    }

    @Test
    void whoWaitsForACycleOfOthersIsNoneOfIt() {
        waits(1, 2, 100);
        waits(2, 1, 200);
        waits(3, 1, 300);
        assertThat(find(3)).isEqualTo("none");
    }

    @Test
    void aSubtaskThatWaitsForWhoWaitsForItsFinalTaskWaitsForItself() {
        isSubtask(1, 7);
        waitsForFinal(2, 7, 100);
        waits(1, 2, 200);
        assertThat(find(1)).isEqualTo("t1 -> t2 -> final7, the final task of fan-out f7 -> t1");
        assertThat(find(2)).as("it began to wait first").isEqualTo("none");
        isSubtask(3, 8);
        waits(3, 2, 300);
        assertThat(find(3)).as("a subtask of another fan-out").isEqualTo("none");
    }

    @Test
    void whoClosesTheCycleMayWaitForTheFinalTask() {
        isSubtask(1, 7);
        waits(1, 3, 100);
        waits(3, 2, 110);
        waitsForFinal(2, 7, 200);
        assertThat(find(2)).isEqualTo("t2 -> final7, the final task of fan-out f7 -> t1 -> t3 -> t2");
        assertThat(find(1)).isEqualTo("none");
        assertThat(find(3)).isEqualTo("none");
    }

    @Test
    void aHeadThatWaitsForTheFinalTaskOfASubtaskBehindItWaitsForItself() {
        isSubtask(1, 7);
        waits(1, 2, 0);
        waits(5, 2, 0);
        waitsForFinal(2, 7, 100);
        assertThat(find(2)).isEqualTo("t2 -> final7, the final task of fan-out f7 -> t1 -> t2");
    }

    @Test
    void aCycleMayGoThroughSeveralFanOuts() {
        isSubtask(1, 7);
        isSubtask(2, 8);
        waitsForFinal(1, 8, 100);
        waitsForFinal(2, 7, 90);
        assertThat(find(1))
                .isEqualTo(
                        "t1 -> final8, the final task of fan-out f8 -> t2 -> final7, the final task of fan-out f7 -> t1");
        assertThat(find(2)).isEqualTo("none");
    }

    @Test
    void aSearchForSubtasksIsBounded() {
        waitsForFinal(0, 7, 100);
        IntStream.range(1, 10_000).forEach(i -> waits(i, i - 1, i));
        isSubtask(9_999, 7);
        assertThat(find(0)).isEqualTo("none");
        assertThat(asked).isLessThanOrEqualTo(WaitCycle.MAX_TASKS + 2);
    }

    @Test
    void aSearchIsBounded() {
        IntStream.range(0, 10_000).forEach(i -> waits(i, i + 1, i + 1));
        assertThat(find(0)).isEqualTo("none");
        assertThat(asked).isLessThanOrEqualTo(WaitCycle.MAX_TASKS + 1);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})
    void ofTheTasksOfASingleCycleOneClosesIt(long seed) {
        Random random = new Random(seed);
        int length = 2 + random.nextInt(10);
        for (int i = 0; i < length; i++) {
            int next = (i + 1) % length;
            if (seed % 2 == 0 && random.nextInt(3) == 0) {
                waitsForFinal(i, i, 1 + random.nextInt(3));
                isSubtask(next, i);
            } else {
                waits(i, next, 1 + random.nextInt(3));
            }
            waits(i, 100 + random.nextInt(5), 1 + random.nextInt(3));
        }
        assertThat(IntStream.range(0, length).filter(each -> !find(each).equals("none")))
                .as("seed %s: %s", seed, edges)
                .hasSize(1);
    }
}
