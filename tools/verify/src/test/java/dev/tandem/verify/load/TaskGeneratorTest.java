package dev.tandem.verify.load;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.verify.load.TaskGenerator.GeneratedTask;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What is published has all that the guarantees are about, and follows from the seed. */
class TaskGeneratorTest {

    private static final Duration LEASE = Duration.ofSeconds(10);

    private static List<GeneratedTask> make(Workload workload, long seed, int longEvery) {
        TaskGenerator maker = new TaskGenerator(workload, new Random(seed), LEASE, longEvery);
        return Stream.generate(maker::next).limit(5_000).toList();
    }

    @Test
    void theSameSeedMakesTheSameTasksAndNoIdTwice() {
        List<GeneratedTask> tasks = make(Workload.KAFKA_ZIPF, 1, 100);
        assertThat(make(Workload.KAFKA_ZIPF, 1, 100)).isEqualTo(tasks);
        assertThat(make(Workload.KAFKA_ZIPF, 2, 100)).isNotEqualTo(tasks);
        assertThat(tasks.stream().map(GeneratedTask::id)).doesNotHaveDuplicates();
    }

    @Test
    void thereAreFailingScheduledLongAndSlowTasksAndTasksBehindFailingOnes() {
        List<GeneratedTask> tasks = make(Workload.KAFKA_ZIPF, 3, 500);
        assertThat(tasks.stream().filter(each -> each.deed().what() == HandlerInstruction.Outcome.FAIL_ONCE))
                .hasSizeBetween(25, 100);
        assertThat(tasks.stream()
                        .filter(each -> each.key().startsWith("fails-")
                                && each.deed().what() == HandlerInstruction.Outcome.SUCCEED))
                .hasSizeGreaterThan(50);
        assertThat(tasks.stream().filter(each -> !each.delay().isZero())).hasSizeBetween(50, 200);
        assertThat(tasks.stream().filter(each -> each.deed().millis() > LEASE.toMillis()))
                .hasSize(10);
        assertThat(tasks.stream().filter(each -> each.deed().millis() > 100)).hasSizeGreaterThan(200);
    }

    @Test
    void whenItEasesOffNothingIsMadeThatTakesLongToEnd() {
        TaskGenerator maker = new TaskGenerator(Workload.KAFKA_ZIPF, new Random(3), LEASE, 500);
        maker.easeOff();
        assertThat(Stream.generate(maker::next).limit(5_000))
                .allMatch(each -> each.delay().isZero() && each.deed().millis() < LEASE.toMillis())
                .noneMatch(each -> each.deed().what() == HandlerInstruction.Outcome.FAIL_ONCE);
    }

    @Test
    void inAnOrderedQueueOneTaskDiesAndOthersFollowIt() {
        List<GeneratedTask> dead = make(Workload.RABBIT_ORDERED, 4, 0).stream()
                .filter(each -> each.key().equals(TaskGenerator.DEAD_KEY))
                .toList();
        assertThat(dead).hasSizeGreaterThan(10);
        assertThat(dead.get(0).deed().what()).isEqualTo(HandlerInstruction.Outcome.DIE);
        assertThat(dead.subList(1, dead.size()))
                .noneMatch(each -> each.deed().what() == HandlerInstruction.Outcome.DIE);
        assertThat(make(Workload.RABBIT_UNORDERED, 4, 0).stream()
                        .filter(each -> each.deed().what() == HandlerInstruction.Outcome.DIE))
                .hasSameSizeAs(dead);
    }

    @Test
    void zipfKeysRepeatAndDistinctOnesHardlyDo() {
        assertThat(make(Workload.KAFKA_ZIPF, 5, 0).stream()
                        .filter(each -> each.key().equals("k0")))
                .hasSizeGreaterThan(500);
        assertThat(make(Workload.KAFKA_DISTINCT, 5, 0).stream()
                        .map(GeneratedTask::key)
                        .distinct())
                .hasSizeGreaterThan(4_000);
    }

    @Test
    void aPayloadIsReadAsItWasWritten() {
        HandlerInstruction deed = new HandlerInstruction(HandlerInstruction.Outcome.FAIL_ONCE, 1_234);
        assertThat(HandlerInstruction.of(deed.payload())).isEqualTo(deed);
    }
}
