package dev.tandem.test;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.api.TaskClient;
import dev.tandem.spring.TandemAutoConfiguration;
import dev.tandem.spring.TandemOutboxAutoConfiguration;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** A test of an application neither writes to its outbox nor publishes from there. */
class NoOutboxInTestsTest {

    @Test
    void theClientOfTheTestTakesThePlaceOfTheOutbox() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        TandemOutboxAutoConfiguration.class,
                        TandemAutoConfiguration.class,
                        TestTandemAutoConfiguration.class))
                .withPropertyValues("tandem.queues.orders.source=kafka", "tandem.outbox.enabled=true")
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasSingleBean(TaskClient.class)
                        .doesNotHaveBean("tandemApplicationOutbox"));
    }
}
