package dev.tandem.executor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.api.FanOut;
import dev.tandem.api.TaskRequest;
import dev.tandem.ordering.Run;
import dev.tandem.ordering.TestRuns;
import dev.tandem.task.Task;
import dev.tandem.task.fanout.FanOutRequest;
import dev.tandem.task.store.FanOutIds;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A master that fans out under several names. */
class NamedFanOutTest extends FanOutTestBase {

    @Test
    void theStoreIsToldOfWhichMasterEachIs() throws Exception {
        Task task = new Task("import-1", "orders", "import", null, new byte[0], Map.of(), 0, 0, 0, 0, null);
        Run run = TestRuns.of(task, 7, 1, TestRuns.FOREVER);
        AttemptFanOuts fanOuts = new AttemptFanOuts(run, spec);
        for (String name : List.of("", "emails", "letters")) {
            fanOuts.fanOut(
                    Stream.of(TaskRequest.of("orders", "row", 1)),
                    FanOut.withoutFinalTask().named(name));
        }

        List<FanOutRequest.Open> begun = store.requests(FanOutRequest.Open.class);
        String masterHash = FanOutIds.of(run.partition(), run.position(), task, "");
        assertThat(begun)
                .extracting(FanOutRequest.Open::id)
                .doesNotHaveDuplicates()
                .contains(masterHash);
        assertThat(begun)
                .extracting(FanOutRequest.Open::masterHash)
                .containsExactly(masterHash, masterHash, masterHash);
    }
}
