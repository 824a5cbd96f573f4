package dev.tandem.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.server.api.RunningReader.Plan;
import dev.tandem.server.api.RunningReader.Source;
import dev.tandem.server.inspect.ClaimedTask;
import dev.tandem.server.inspect.PartitionInfo;
import dev.tandem.server.inspect.TaskCounts;
import dev.tandem.task.Task;
import dev.tandem.task.TaskState;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** How much is read does not grow with the number of queues, partitions and tasks. */
class RunningReaderTest {

    private static Source source(String queue, int partitions, long claimedInEach) {
        return new Source(
                queue,
                IntStream.range(0, partitions)
                        .mapToObj(i -> new PartitionInfo(
                                Integer.toString(i),
                                null,
                                0,
                                new TaskCounts(claimedInEach, 0, 0, 0, 0, 0),
                                Map.of(),
                                0,
                                0,
                                0L,
                                null))
                        .toList());
    }

    private static int partitions(Plan plan) {
        return plan.sources().stream()
                .mapToInt(each -> each.partitions().size())
                .sum();
    }

    @Test
    void allIsReadWhereThereIsLittle() {
        Plan plan = RunningReader.plan(List.of(source("a", 3, 50), source("b", 1, 5)));
        assertThat(plan.all()).isTrue();
        assertThat(plan.ofPartition()).isEqualTo(50);
        assertThat(RunningReader.plan(List.of(source("a", 1, 200))).all()).isTrue();
        assertThat(RunningReader.plan(List.of()).all()).isTrue();
    }

    @Test
    void ofAPartitionWithManyTheOldestAreRead() {
        Plan plan = RunningReader.plan(List.of(source("a", 1, 201)));
        assertThat(plan.ofPartition()).isEqualTo(200);
        assertThat(plan.all()).isFalse();
    }

    @Test
    void moreThanSomeQueuesAndPartitionsAreLeftOut() {
        Plan manyQueues = RunningReader.plan(
                IntStream.range(0, 30).mapToObj(i -> source("q" + i, 2, 1)).toList());
        assertThat(manyQueues.sources()).hasSize(20);
        assertThat(manyQueues.all()).isFalse();

        Plan manyPartitions = RunningReader.plan(List.of(source("a", 150, 9), source("b", 150, 1), source("c", 9, 1)));
        assertThat(partitions(manyPartitions)).isEqualTo(200);
        assertThat(manyPartitions.sources()).extracting(Source::queue).containsExactly("a", "b");
        assertThat(manyPartitions.ofPartition()).isEqualTo(1);
        assertThat(manyPartitions.all()).isFalse();
    }

    /** Claims are read after they were counted. */
    @Test
    void asManyTasksAsAreReadOfAPartitionAtMostMayNotBeAll() {
        List<ClaimedTask> claimed = List.of(claimed("0", "0:1"), claimed("0", "0:2"), claimed("1", "0:1"));
        assertThat(RunningReader.mayHaveMore(Map.of("a", claimed), 3)).isFalse();
        assertThat(RunningReader.mayHaveMore(Map.of("a", claimed), 2)).isTrue();
        assertThat(RunningReader.mayHaveMore(Map.of("a", List.of(), "b", claimed), 2))
                .isTrue();
    }

    private static ClaimedTask claimed(String partition, String position) {
        Task task = Task.of("a", "key", new byte[] {1});
        return new ClaimedTask(
                ApiTestBase.info(partition, position, TaskState.ACTIVE, task, null),
                Instant.parse("2026-11-20T10:02:00Z"));
    }
}
