package dev.tandem.verify.load;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.verify.load.TaskMaker.Made;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What is published has all that the guarantees are about, and follows from the seed. */
class TaskMakerTest {

    private static final Duration LEASE = Duration.ofSeconds(10);

    private static List<Made> make(Workload workload, long seed, int longEvery) {
        TaskMaker maker = new TaskMaker(workload, new Random(seed), LEASE, longEvery);
        return Stream.generate(maker::next).limit(5_000).toList();
    }

    @Test
    void theSameSeedMakesTheSameTasksAndNoIdTwice() {
        List<Made> tasks = make(Workload.KAFKA_ZIPF, 1, 100);
        assertThat(make(Workload.KAFKA_ZIPF, 1, 100)).isEqualTo(tasks);
        assertThat(make(Workload.KAFKA_ZIPF, 2, 100)).isNotEqualTo(tasks);
        assertThat(tasks.stream().map(Made::id)).doesNotHaveDuplicates();
    }

    @Test
    void thereAreFailingScheduledLongAndSlowTasksAndTasksBehindFailingOnes() {
        List<Made> tasks = make(Workload.KAFKA_ZIPF, 3, 500);
        assertThat(tasks.stream().filter(each -> each.deed().what() == Deed.What.FAIL_ONCE))
                .hasSizeBetween(25, 100);
        assertThat(tasks.stream()
                        .filter(each ->
                                each.key().startsWith("fails-") && each.deed().what() == Deed.What.SUCCEED))
                .hasSizeGreaterThan(50);
        assertThat(tasks.stream().filter(each -> !each.delay().isZero())).hasSizeBetween(50, 200);
        assertThat(tasks.stream().filter(each -> each.deed().millis() > LEASE.toMillis()))
                .hasSize(10);
        assertThat(tasks.stream().filter(each -> each.deed().millis() > 100)).hasSizeGreaterThan(200);
    }

    @Test
    void whenItEasesOffNothingIsMadeThatTakesLongToEnd() {
        TaskMaker maker = new TaskMaker(Workload.KAFKA_ZIPF, new Random(3), LEASE, 500);
        maker.easeOff();
        assertThat(Stream.generate(maker::next).limit(5_000))
                .allMatch(each -> each.delay().isZero() && each.deed().millis() < LEASE.toMillis())
                .noneMatch(each -> each.deed().what() == Deed.What.FAIL_ONCE);
    }

    @Test
    void inAnOrderedQueueOneTaskDiesAndOthersFollowIt() {
        List<Made> dead = make(Workload.RABBIT_ORDERED, 4, 0).stream()
                .filter(each -> each.key().equals(TaskMaker.DEAD_KEY))
                .toList();
        assertThat(dead).hasSizeGreaterThan(10);
        assertThat(dead.get(0).deed().what()).isEqualTo(Deed.What.DIE);
        assertThat(dead.subList(1, dead.size())).noneMatch(each -> each.deed().what() == Deed.What.DIE);
        assertThat(make(Workload.RABBIT_UNORDERED, 4, 0).stream()
                        .filter(each -> each.deed().what() == Deed.What.DIE))
                .hasSameSizeAs(dead);
    }

    @Test
    void zipfKeysRepeatAndDistinctOnesHardlyDo() {
        assertThat(make(Workload.KAFKA_ZIPF, 5, 0).stream()
                        .filter(each -> each.key().equals("k0")))
                .hasSizeGreaterThan(500);
        assertThat(make(Workload.KAFKA_DISTINCT, 5, 0).stream().map(Made::key).distinct())
                .hasSizeGreaterThan(4_000);
    }

    @Test
    void aPayloadIsReadAsItWasWritten() {
        Deed deed = new Deed(Deed.What.FAIL_ONCE, 1_234);
        assertThat(Deed.of(deed.payload())).isEqualTo(deed);
    }
}
