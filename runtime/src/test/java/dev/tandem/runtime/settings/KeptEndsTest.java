package dev.tandem.runtime.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;

/** Warnings about ends that are forgotten before tasks stop waiting for them. */
class KeptEndsTest {

    private static List<String> warnings(String timeout, Map<String, Object> ofPayments) {
        StandardEnvironment environment = new StandardEnvironment();
        environment.getPropertySources().addFirst(new MapPropertySource("payments", ofPayments));
        environment
                .getPropertySources()
                .addFirst(new MapPropertySource(
                        "test",
                        Map.of(
                                "tandem.queues.payments.source",
                                "kafka",
                                "tandem.queues.mails.source",
                                "rabbit",
                                "tandem.queues.mails.dependencies.timeout",
                                timeout)));
        return KeptEnds.warnings(SettingsLoader.load(environment).queues());
    }

    @Test
    void aQueueThatForgetsBeforeOthersStopWaitingIsNamed() {
        assertThat(warnings("3d", Map.of("tandem.queues.payments.dependencies.keep", "2d")))
                .containsExactly("tandem.queues.payments.dependencies.keep is '2d', but tasks of mails wait for longer"
                        + " (dependencies.timeout). If they wait for tasks of payments, leave keep out or raise it:"
                        + " an end that is forgotten lets them wait until they die");
        assertThat(warnings("2d", Map.of("tandem.queues.payments.dependencies.keep", "2d")))
                .isEmpty();
        assertThat(warnings("3d", Map.of())).isEmpty();
    }
}
