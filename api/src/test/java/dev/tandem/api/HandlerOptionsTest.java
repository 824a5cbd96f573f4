package dev.tandem.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class HandlerOptionsTest {

    @Test
    void optionsAreCollected() {
        RetryPolicy fixed = RetryPolicy.fixed(Duration.ofSeconds(1));

        HandlerOptions options = HandlerOptions.NONE
                .withTimeout("5m")
                .withMaxAttempts(3)
                .withBackoff(fixed)
                .withDeadOn(IllegalStateException.class)
                .withDeadOn(ArithmeticException.class)
                .withAlias("send")
                .withAlias("dispatch");

        assertThat(options.timeout()).isEqualTo(Duration.ofMinutes(5));
        assertThat(options.maxAttempts()).isEqualTo(3);
        assertThat(options.backoff()).isSameAs(fixed);
        assertThat(options.deadOn()).containsExactlyInAnyOrder(IllegalStateException.class, ArithmeticException.class);
        assertThat(options.aliases()).containsExactly("send", "dispatch");
    }

    @Test
    void valuesOutOfBoundsAreRefused() {
        assertThatThrownBy(() -> HandlerOptions.NONE.withTimeout("0s"))
                .hasMessage("The handler's timeout is PT0S: it must be 1 ms or more");
        assertThatThrownBy(() -> HandlerOptions.NONE.withMaxAttempts(0))
                .hasMessage("The handler's maxAttempts is 0: it must be 1 or more");
        assertThatThrownBy(() -> HandlerOptions.NONE.withAlias(" ")).hasMessageContaining("aliases");
    }
}
