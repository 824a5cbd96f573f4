package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.scheduler.WaitCycle.Edge;
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
    private int asked;

    private static Waiter task(int number) {
        return new Waiter(Partition.of("q", 0), Position.of(0, number));
    }

    /** Says that a task waits for another one since a time, or is parked behind it. */
    private void waits(int task, int other, long since) {
        edges.computeIfAbsent(task(task), none -> new ArrayList<>()).add(new Edge(task(other), "t" + other, since));
    }

    private String find(int start) {
        return new WaitCycle(task(start), each -> {
                    asked++;
                    return CompletableFuture.completedFuture(edges.getOrDefault(each, List.of()));
                })
                .find("t" + start)
                .join()
                .orElse("none");
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
    void aSearchIsBounded() {
        IntStream.range(0, 10_000).forEach(i -> waits(i, i + 1, i + 1));
        assertThat(find(0)).isEqualTo("none");
        assertThat(asked).isLessThanOrEqualTo(WaitCycle.MAX_TASKS + 1);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void ofTheTasksOfASingleCycleOneClosesIt(long seed) {
        Random random = new Random(seed);
        int length = 2 + random.nextInt(10);
        for (int i = 0; i < length; i++) {
            waits(i, (i + 1) % length, 1 + random.nextInt(3));
            waits(i, 100 + random.nextInt(5), 1 + random.nextInt(3));
        }
        assertThat(IntStream.range(0, length).filter(each -> !find(each).equals("none")))
                .as("seed %s: %s", seed, edges)
                .hasSize(1);
    }
}
