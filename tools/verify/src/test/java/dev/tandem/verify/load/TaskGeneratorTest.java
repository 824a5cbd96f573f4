package dev.tandem.verify.load;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.verify.load.TaskGenerator.GeneratedTask;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The generated tasks cover what the guarantees are about, and follow from the seed. */
class TaskGeneratorTest {

    private static final Duration LEASE = Duration.ofSeconds(10);

    private static List<GeneratedTask> generate(Workload workload, long seed, int longEvery) {
        TaskGenerator generator = new TaskGenerator(workload, new Random(seed), LEASE, longEvery);
        return Stream.generate(generator::next).limit(5_000).toList();
    }

    @Test
    void generatesTheSameTasksFromTheSameSeedWithUniqueIds() {
        List<GeneratedTask> tasks = generate(Workload.KAFKA_ZIPF, 1, 100);
        assertThat(generate(Workload.KAFKA_ZIPF, 1, 100)).isEqualTo(tasks);
        assertThat(generate(Workload.KAFKA_ZIPF, 2, 100)).isNotEqualTo(tasks);
        assertThat(tasks.stream().map(GeneratedTask::id)).doesNotHaveDuplicates();
    }

    @Test
    void generatesFailingScheduledLongAndSlowTasksAndTasksBehindFailingOnes() {
        List<GeneratedTask> tasks = generate(Workload.KAFKA_ZIPF, 3, 500);
        assertThat(tasks.stream().filter(each -> each.instruction().outcome() == HandlerInstruction.Outcome.FAIL_ONCE))
                .hasSizeBetween(25, 100);
        assertThat(tasks.stream()
                        .filter(each -> each.key().startsWith("fails-")
                                && each.instruction().outcome() == HandlerInstruction.Outcome.SUCCEED))
                .hasSizeGreaterThan(50);
        assertThat(tasks.stream().filter(each -> !each.delay().isZero())).hasSizeBetween(50, 200);
        assertThat(tasks.stream().filter(each -> each.instruction().millis() > LEASE.toMillis()))
                .hasSize(10);
        assertThat(tasks.stream().filter(each -> each.instruction().millis() > 100))
                .hasSizeGreaterThan(200);
    }

    @Test
    void generatesNoTaskThatTakesLongOnceOnlyQuickTasksAreWanted() {
        TaskGenerator generator = new TaskGenerator(Workload.KAFKA_ZIPF, new Random(3), LEASE, 500);
        generator.onlyQuickTasks();
        assertThat(Stream.generate(generator::next).limit(5_000))
                .allMatch(each -> each.delay().isZero() && each.instruction().millis() < LEASE.toMillis())
                .noneMatch(each -> each.instruction().outcome() == HandlerInstruction.Outcome.FAIL_ONCE);
    }

    @Test
    void letsOneTaskDieInAnOrderedQueueAndOthersFollowIt() {
        List<GeneratedTask> dead = generate(Workload.RABBIT_ORDERED, 4, 0).stream()
                .filter(each -> each.key().equals(TaskGenerator.DEAD_KEY))
                .toList();
        assertThat(dead).hasSizeGreaterThan(10);
        assertThat(dead.get(0).instruction().outcome()).isEqualTo(HandlerInstruction.Outcome.DIE);
        assertThat(dead.subList(1, dead.size()))
                .noneMatch(each -> each.instruction().outcome() == HandlerInstruction.Outcome.DIE);
        assertThat(generate(Workload.RABBIT_UNORDERED, 4, 0).stream()
                        .filter(each -> each.instruction().outcome() == HandlerInstruction.Outcome.DIE))
                .hasSameSizeAs(dead);
    }

    @Test
    void repeatsZipfKeysAndHardlyEverDistinctOnes() {
        assertThat(generate(Workload.KAFKA_ZIPF, 5, 0).stream()
                        .filter(each -> each.key().equals("k0")))
                .hasSizeGreaterThan(500);
        assertThat(generate(Workload.KAFKA_DISTINCT, 5, 0).stream()
                        .map(GeneratedTask::key)
                        .distinct())
                .hasSizeGreaterThan(4_000);
    }

    @Test
    void readsAPayloadAsItWasWritten() {
        HandlerInstruction instruction = new HandlerInstruction(HandlerInstruction.Outcome.FAIL_ONCE, 1_234);
        assertThat(HandlerInstruction.of(instruction.payload())).isEqualTo(instruction);
    }
}
