package dev.tandem.ordering;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.ordering.lanes.Entries;
import dev.tandem.ordering.lanes.TaskEntry;
import dev.tandem.task.Position;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A row that a worker goes through while the core stops it. */
class RowTest {

    private static final int RUNS = 64;
    private static final int ROWS = 20_000;
    private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final List<Row.Step> steps =
            IntStream.range(0, RUNS).mapToObj(RowTest::step).toList();
    private final Row row = new Row("k", steps, 1_000);

    private static Row.Step step(int offset) {
        TaskEntry entry = Entries.delivered("k", offset);
        Run run = new Run(
                CoreScript.PARTITION,
                entry.position(),
                entry.requireTask(),
                100 + offset,
                1,
                0,
                offset,
                Long.MAX_VALUE);
        return new Row.Step(run, entry);
    }

    /** Begins one run after another until the row says no, as a worker does. */
    private static List<Position> beginAll(Row row) {
        List<Position> begun = new ArrayList<>();
        for (Run next = row.beginAfter(0, 0); next != null; next = row.beginAfter(begun.size(), 0)) {
            begun.add(next.position());
        }
        return begun;
    }

    /** Stops the row, and takes in what has begun, as the core does. */
    private static List<Position> stop(Row row) {
        row.stop();
        List<Position> known = new ArrayList<>();
        for (Run next = row.begunNext(); next != null; next = row.begunNext()) {
            Row.Step step = row.advance();
            assertThat(step.run()).isSameAs(next).isSameAs(row.present());
            known.add(step.entry().position());
        }
        return known;
    }

    @Test
    void theCoreTakesInExactlyWhatAWorkerHasBegun() throws Exception {
        List<Position> all = steps.stream().map(step -> step.entry().position()).toList();
        int cutShort = 0;
        var worker = Executors.newSingleThreadExecutor();
        try {
            long end = System.nanoTime() + PATIENCE_NANOS;
            // On a busy machine a worker may be through with each row before it is stopped.
            for (int i = 0; i < ROWS || (cutShort == 0 && System.nanoTime() < end); i++) {
                Row each = new Row("k", steps, 1_000);
                var begun = worker.submit(() -> beginAll(each));
                // Each row is stopped after another while.
                while (each.begunNext() == null && i % 4 != 0) {
                    Thread.onSpinWait();
                }
                List<Position> known = stop(each);
                List<Position> rest =
                        each.takeRest().stream().map(TaskEntry::position).toList();

                assertThat(begun.get()).isEqualTo(known);
                assertThat(Stream.of(all.subList(0, 1), known, rest).flatMap(List::stream))
                        .containsExactlyElementsOf(all);
                cutShort += known.isEmpty() || rest.isEmpty() ? 0 : 1;
            }
        } finally {
            worker.shutdownNow();
        }
        assertThat(cutShort).as("rows that were stopped in the middle").isPositive();
    }

    @Test
    void nothingBeginsAfterItsTimeOrOutOfPlace() {
        assertThat(row.beginAfter(0, 1_000)).isNull();
        assertThat(row.beginAfter(1, 0)).isNull();

        assertThat(row.beginAfter(0, 999)).isSameAs(steps.get(1).run());
        assertThat(row.beginAfter(0, 999)).isNull();
    }

    @Test
    void theRestIsTakenOnce() {
        row.stop();

        assertThat(row.takeRest()).hasSize(RUNS - 1);
        assertThat(row.takeRest()).isEmpty();
    }
}
