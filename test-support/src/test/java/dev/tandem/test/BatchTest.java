package dev.tandem.test;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.api.BatchFailedException;
import dev.tandem.api.BatchOptions;
import dev.tandem.api.TaskRequest;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Batch handlers in tests of applications. */
class BatchTest {

    private final List<List<String>> calls = new CopyOnWriteArrayList<>();

    private final TestTandem tandem = TestTandem.start(TestTandem.program()
            .queue("orders")
            .handlerBatch("ship", String.class, BatchOptions.of(3, "50ms"), (orders, tasks) -> {
                calls.add(orders);
                if (tasks.get(0).attempt() == 1 && orders.contains("bad")) {
                    throw new BatchFailedException(Map.of(orders.indexOf("bad"), new IllegalStateException("no")));
                }
            }));

    @AfterEach
    void close() {
        tandem.close();
    }

    private void submit(String key, String order) {
        tandem.client().submit(TaskRequest.of("orders", "ship", order).withKey(key));
    }

    @Test
    void withOneTaskAtATimeEachIsACallOfItsOwn() {
        submit("a", "o-1");
        submit("b", "o-2");

        tandem.assertThat("ship").succeeded().count(2);
        assertThat(calls).containsExactly(List.of("o-1"), List.of("o-2"));
    }

    @Test
    void aBatchWaitsForTheClockOfTheTest() {
        tandem.concurrency(10);
        submit("a", "o-1");
        submit("b", "o-2");

        tandem.runDue();
        assertThat(calls).isEmpty();
        tandem.advance("50ms").assertThat("ship").succeeded().count(2);
        assertThat(calls).containsExactly(List.of("o-1", "o-2"));
    }

    @Test
    void aFullBatchRunsAtOnceAndTheTaskThatFailsIsTriedAgainAlone() {
        tandem.concurrency(10);
        submit("a", "o-1");
        submit("b", "bad");
        submit("c", "o-3");

        tandem.runDue();
        tandem.assertThat("ship").withKey("b").isWaiting().attempts(1);
        tandem.assertThat("ship").withKey("a").succeeded();
        tandem.advance("1m").assertThat("ship").succeeded().count(3);
        assertThat(calls).containsExactly(List.of("o-1", "bad", "o-3"), List.of("bad"));
    }
}
