package dev.tandem.test;

import static dev.tandem.api.TaskOptions.dedupKey;
import static dev.tandem.api.TaskOptions.delay;
import static dev.tandem.api.TaskOptions.id;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.api.TaskOptions;
import dev.tandem.api.TaskRequest;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** Tasks with deduplication keys in tests of applications. */
class DedupTest {

    private final List<String> ran = new CopyOnWriteArrayList<>();

    private TestTandem start(String mode) {
        return TestTandem.start(TestTandem.program()
                .queue("orders")
                .setting("dedup.mode", mode)
                .handler("ship", String.class, (order, task) -> ran.add(task.id())));
    }

    private static void submit(TestTandem tandem, String name, TaskOptions... options) {
        tandem.client()
                .submit(TaskRequest.of("orders", "ship", "o-7")
                        .withKey(name)
                        .with(id(name), dedupKey("order-7"))
                        .with(options));
    }

    @Test
    void theFirstRunsUntilItsKeyIsFree() {
        try (TestTandem tandem = start("first")) {
            submit(tandem, "first", delay("1m"));
            submit(tandem, "second");
            assertThat(tandem.tasks("ship")).hasSize(2);
            assertThat(ran).isEmpty();

            tandem.advance("1m").tasks();
            assertThat(ran).containsExactly("first");

            tandem.advance("10m").tasks();
            submit(tandem, "third");
            tandem.tasks();
            assertThat(ran).containsExactly("first", "third");
        }
    }

    @Test
    void theLastRunsAtTheTimeOfTheFirst() {
        try (TestTandem tandem = start("replace")) {
            submit(tandem, "first", delay("1h"));
            submit(tandem, "second", delay("1m"));
            submit(tandem, "third");
            tandem.advance("59m").tasks();
            assertThat(ran).isEmpty();
            tandem.advance("2m").tasks();
            assertThat(ran).containsExactly("third");
        }
    }
}
