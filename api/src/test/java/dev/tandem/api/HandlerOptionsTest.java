package dev.tandem.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.Set;
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

    @TaskHandler(queue = "orders", type = "cancel")
    void plain() {}

    @TaskHandler(
            queue = "orders",
            type = "ship",
            aliases = {"send", "dispatch"},
            timeout = "30s",
            maxAttempts = 8,
            backoff = @Backoff(initial = "1s", max = "1h", jitter = 0),
            deadOn = {IllegalStateException.class, ArithmeticException.class})
    void configured() {}

    @TaskHandler(queue = "orders", type = "ship", timeout = "soon")
    void unreadable() {}

    private static HandlerOptions annotated(String method) throws NoSuchMethodException {
        return HandlerOptions.of(
                HandlerOptionsTest.class.getDeclaredMethod(method).getAnnotation(TaskHandler.class));
    }

    @Test
    void anAnnotationSaysTheSame() throws NoSuchMethodException {
        HandlerOptions options = annotated("configured");

        assertThat(options.backoff()).isNotNull();
        assertThat(options.backoff().delayMillis(2, new Random(1))).isEqualTo(2_000);
        assertThat(new HandlerOptions(
                        options.timeout(), options.maxAttempts(), null, options.deadOn(), options.aliases()))
                .isEqualTo(new HandlerOptions(
                        Duration.ofSeconds(30),
                        8,
                        null,
                        Set.of(IllegalStateException.class, ArithmeticException.class),
                        List.of("send", "dispatch")));
        assertThat(annotated("plain")).isEqualTo(HandlerOptions.NONE);
        assertThatThrownBy(() -> annotated("unreadable"))
                .isInstanceOf(InvalidTaskException.class)
                .hasMessageContaining("The timeout 'soon' is no duration");
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
