package dev.tandem.test;

import dev.tandem.api.TaskOptions;
import dev.tandem.api.TaskRequest;
import org.junit.jupiter.api.Test;

/** Tests of tasks that expire. */
class ExpiredTaskTest {

    @Test
    void aTaskExpiresByTheClockOfTheTest() {
        try (TestTandem tandem =
                TestTandem.start(TestTandem.program().queue("orders").handler("ship", String.class, (text, task) -> {
                    throw new IllegalStateException("no carrier");
                }))) {
            tandem.client()
                    .submit(TaskRequest.of("orders", "ship", "a")
                            .withKey("c-1")
                            .with(TaskOptions.delay("1h"), TaskOptions.ttl("90s")));
            tandem.assertThat("ship").isWaiting();

            tandem.advance("2h");

            tandem.assertThat("ship").expired();
        }
    }
}
