package dev.tandem.executor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.api.BatchOptions;
import dev.tandem.api.Handler;
import dev.tandem.ordering.Run;
import dev.tandem.ordering.TestRuns;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RunStarterTest {

    private static final int SLOTS = 4;

    private final ManualClock clock = new ManualClock();
    private final Queue<Run> given = new ConcurrentLinkedQueue<>();
    private final List<RunBatch> batches = new ArrayList<>();
    private final WorkerPool workers = new WorkerPool(
            SLOTS,
            HandlerThreads.platform("test-"),
            new TimeoutWatchdog(clock, 1_000, stuck -> {}),
            (run, slot) -> given.add(run));
    private final QueueSpec spec = RunnerFixture.queue()
            .handler("ship", new BatchedHandler(tasks -> List.of(), BatchOptions.of(3, "50ms")))
            .handler("mail", Handler.of(task -> {}))
            .build();
    private final RunStarter starter = new RunStarter(spec, workers, Gates.of(spec, clock), again -> {}, batch -> {
        batches.add(batch);
        return batch.first();
    });

    @AfterEach
    void close() {
        workers.close();
    }

    private static Run ship(long offset) {
        return TestRuns.of(RunnerFixture.task("ship", ""), offset);
    }

    private void awaitGiven(Run... runs) {
        await().untilAsserted(() -> assertThat(given).contains(runs));
    }

    @Test
    void otherTypesStartAtOnceWhileABatchWaits() {
        Run mail = TestRuns.of(RunnerFixture.task("mail", ""), 1);
        starter.start(List.of(ship(0), mail), 0);
        starter.startDue(0, false);

        awaitGiven(mail);
        assertThat(batches).isEmpty();
        assertThat(starter.waiting()).isEqualTo(1);
        assertThat(starter.nextDue()).isEqualTo(50);
        starter.startDue(50, false);
        assertThat(batches).hasSize(1);
    }

    @Test
    void nothingWaitsOnceAllSlotsAreTaken() {
        starter.start(List.of(ship(0), ship(1)), 0);
        starter.startDue(0, false);
        assertThat(batches).isEmpty();

        starter.startDue(0, true);
        assertThat(batches)
                .singleElement()
                .satisfies(batch -> assertThat(batch.runs()).hasSize(2));
    }

    @Test
    void aTaskThatHasFailedOrWhoseExecutorDiedRunsAlone() {
        Run failed = TestRuns.of(RunnerFixture.task("ship", ""), 1, 2, TestRuns.FOREVER);
        Run lapsed = TestRuns.lapsed(RunnerFixture.task("ship", ""), 2, 1, TestRuns.FOREVER);
        starter.start(List.of(ship(0), failed, lapsed), 0);

        awaitGiven(failed, lapsed);
        assertThat(starter.waiting()).isEqualTo(1);
    }

    @Test
    void aStopStartsWhatWaitsAndCollectsNothingMore() {
        Run late = ship(2);
        starter.start(List.of(ship(0), ship(1)), 0);
        starter.stop();
        starter.start(List.of(late), 0);

        awaitGiven(late);
        assertThat(batches)
                .singleElement()
                .satisfies(batch -> assertThat(batch.runs()).hasSize(2));
        assertThat(starter.waiting()).isZero();
    }
}
