package dev.tandem.executor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.api.BatchOptions;
import dev.tandem.executor.RunBatch.Waiting;
import dev.tandem.ordering.Run;
import dev.tandem.ordering.TestRuns;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BatchCollectorTest {

    private final BatchCollector collector = new BatchCollector();

    private static BatchedHandler handler(int maxSize, String maxWait) {
        return new BatchedHandler(tasks -> List.of(), BatchOptions.of(maxSize, maxWait));
    }

    private static Run run(long offset) {
        return TestRuns.of(RunnerFixture.task("ship", ""), offset);
    }

    private static List<Run> runs(RunBatch batch) {
        return batch.runs().stream().map(Waiting::run).toList();
    }

    @Test
    void aFullBatchIsReadyAtOnceAndTheNextOneBegins() {
        BatchedHandler ships = handler(2, "1s");
        List<Run> runs = List.of(run(0), run(1), run(2));
        runs.forEach(each -> collector.add(ships, each, 0, 5));

        assertThat(collector.nextDue()).isLessThanOrEqualTo(5);
        assertThat(collector.takeDue(5)).singleElement().satisfies(batch -> {
            assertThat(runs(batch)).containsExactly(runs.get(0), runs.get(1));
            assertThat(batch.runs()).extracting(Waiting::since).containsOnly(5L);
        });
        assertThat(collector.waiting()).isEqualTo(1);
        assertThat(collector.nextDue()).isEqualTo(1_005);
    }

    @Test
    void aBatchIsDueWhenItsFirstRunHasWaitedLongEnough() {
        BatchedHandler ships = handler(10, "50ms");
        collector.add(ships, run(0), 0, 0);
        collector.add(ships, run(1), 0, 40);

        assertThat(collector.nextDue()).isEqualTo(50);
        assertThat(collector.takeDue(49)).isEmpty();
        assertThat(collector.takeDue(50))
                .singleElement()
                .satisfies(batch -> assertThat(runs(batch)).hasSize(2));
        assertThat(collector.nextDue()).isEqualTo(BatchCollector.NEVER);
    }

    @Test
    void aRunWaitsForHalfOfItsTimeoutAtMost() {
        BatchedHandler ships = handler(10, "50ms");
        collector.add(ships, run(0), 0, 0);
        collector.add(ships, run(1), 30, 10);

        assertThat(collector.nextDue()).isEqualTo(25);
    }

    @Test
    void handlersDoNotWaitForEachOther() {
        collector.add(handler(2, "50ms"), run(0), 0, 0);
        collector.add(handler(2, "10ms"), run(1), 0, 0);

        assertThat(collector.takeDue(10)).hasSize(1);
        assertThat(collector.takeAll()).hasSize(1);
        assertThat(collector.waiting()).isZero();
    }

    /** Random arrivals, looks at the clock and demands for all: no run is lost, doubled, overtaken or kept for too long. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void everyRunLeavesOnceInOrderAndInTime(long seed) {
        Random random = new Random(seed);
        int size = 1 + random.nextInt(8);
        int wait = random.nextInt(60);
        BatchedHandler ships = handler(size, wait + "ms");
        List<Run> added = new ArrayList<>();
        List<Run> left = new ArrayList<>();
        long now = 0;
        for (int i = 0; i < 5_000; i++) {
            int timeout = random.nextInt(4) == 0 ? 1 + random.nextInt(100) : 0;
            Run run = run(i);
            added.add(run);
            collector.add(ships, run, timeout, now);
            // A loop looks at the latest when something is due.
            now = Math.max(now, Math.min(collector.nextDue(), now + random.nextInt(40)));
            List<RunBatch> ready = random.nextInt(50) == 0 ? collector.takeAll() : collector.takeDue(now);
            for (RunBatch batch : ready) {
                long at = now;
                assertThat(batch.runs())
                        .hasSizeBetween(1, size)
                        .allSatisfy(each -> assertThat(at - each.since()).isLessThanOrEqualTo(wait));
                left.addAll(runs(batch));
            }
            assertThat(collector.waiting()).isEqualTo(added.size() - left.size());
        }
        collector.takeAll().forEach(batch -> left.addAll(runs(batch)));
        assertThat(left).containsExactlyElementsOf(added);
    }
}
