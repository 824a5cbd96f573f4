package dev.tandem.task;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class UnhandledSinceTest {

    private static Task task(Map<String, String> headers) {
        return new Task(null, "orders", "pay", "k", new byte[] {1}, headers, 0, 0, 0, 0, null);
    }

    @Test
    void theTimeTravelsWithTheEnvelopeAndIsTakenAwayAgain() {
        Task task = task(Map.of("color", "red"));
        assertThat(UnhandledSince.of(task)).isEqualTo(UnhandledSince.NEVER);

        Task waits = UnhandledSince.with(task, 1_700_000_000_000L, 1_700_000_030_000L);
        Envelope stored = Envelope.decode("orders", new Envelope(waits, 0, 7, "no handler").encode());

        assertThat(UnhandledSince.of(stored.task())).isEqualTo(1_700_000_000_000L);
        assertThat(UnhandledSince.nextTry(stored.task())).isEqualTo(1_700_000_030_000L);
        assertThat(UnhandledSince.without(stored.task()).headers()).isEqualTo(task.headers());
        assertThat(PlatformHeaders.without(waits.headers())).isEqualTo(task.headers());
    }

    @Test
    void aTimeThatCannotBeReadIsNone() {
        assertThat(UnhandledSince.of(task(Map.of(UnhandledSince.HEADER, "soon"))))
                .isEqualTo(UnhandledSince.NEVER);
        assertThat(UnhandledSince.of(task(Map.of(UnhandledSince.HEADER, "-5")))).isEqualTo(UnhandledSince.NEVER);
    }
}
