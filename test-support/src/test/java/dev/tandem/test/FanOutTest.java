package dev.tandem.test;

import static dev.tandem.api.TaskOptions.delay;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.api.FanOut;
import dev.tandem.api.FanOutResult;
import dev.tandem.api.FatalTaskException;
import dev.tandem.api.TaskContext;
import dev.tandem.api.TaskRequest;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tasks that fan out in tests of applications. */
class FanOutTest {

    private final List<FanOutResult> results = new CopyOnWriteArrayList<>();

    private TestTandem start(FanOut plan) {
        return TestTandem.start(TestTandem.program()
                .queue("imports")
                .handler(
                        "import",
                        Integer.class,
                        (rows, task) -> task.fanOut(
                                IntStream.range(0, rows)
                                        .mapToObj(row -> TaskRequest.of("imports", "row", row)
                                                .with(delay(row + "m"))),
                                plan))
                .handler("row", Integer.class, FanOutTest::read)
                .handler(
                        "imported",
                        Integer.class,
                        (rows, task) -> results.add(task.fanOutResult().orElseThrow())));
    }

    private static void read(Integer row, TaskContext task) {
        if (row == 1) {
            throw new FatalTaskException("no such product");
        }
    }

    private static FanOut imported() {
        return FanOut.then(TaskRequest.of("imports", "imported", 0));
    }

    private static void submit(TestTandem tandem, int rows) {
        tandem.client().submit(TaskRequest.of("imports", "import", rows));
    }

    @Test
    void theFinalTaskComesWhenAllSubtasksHaveEnded() {
        try (TestTandem tandem = start(imported())) {
            submit(tandem, 3);
            tandem.advance("1m");
            assertThat(tandem.tasks("imported")).isEmpty();

            tandem.advance("1m");
            tandem.assertThat("imported").count(1).succeeded();
            assertThat(results).hasSize(1);
            assertThat(results.get(0).succeeded()).isEqualTo(2);
            assertThat(results.get(0).errors().get(0).error()).contains("no such product");
        }
    }

    @Test
    void theFirstFailureStopsTheRest() {
        try (TestTandem tandem = start(imported().failFast())) {
            submit(tandem, 4);
            tandem.advance("4m");
            tandem.assertThat("imported").count(1).succeeded();
            assertThat(results.get(0).state()).isEqualTo(FanOutResult.State.FAILED);
            assertThat(results.get(0).cancelled()).isEqualTo(2);
        }
    }
}
