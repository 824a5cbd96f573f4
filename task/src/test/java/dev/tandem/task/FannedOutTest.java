package dev.tandem.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.TaskHeaders.Binding;
import dev.tandem.task.TaskHeaders.Field;
import dev.tandem.task.TaskHeaders.Origin;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FannedOutTest {

    private static Task task(Map<String, String> headers) {
        return new Task(null, "orders", "pay", "k", new byte[] {1}, headers, 0, 0, 0, 0, null);
    }

    @Test
    void theTimesTravelWithTheEnvelope() {
        Task master = task(Map.of("color", "red"));
        assertThat(FannedOut.with(master, Map.of())).isSameAs(master);
        assertThat(FannedOut.keptUntil(master, "a")).isEqualTo(FannedOut.NEVER);

        Task first = FannedOut.with(master, Map.of("a", 100L));
        Task second = FannedOut.with(first, Map.of("a", 90L, "b", 200L));
        Task stored = Envelope.decode("orders", new Envelope(second, 1, 7, null).encode())
                .task();

        assertThat(FannedOut.keptUntil(stored, "a")).isEqualTo(100);
        assertThat(FannedOut.keptUntil(stored, "b")).isEqualTo(200);
        assertThat(FannedOut.keptUntil(stored, "c")).isEqualTo(FannedOut.NEVER);
        assertThat(PlatformHeaders.without(stored.headers())).isEqualTo(master.headers());
    }

    @Test
    void theirNumberIsBoundedAndWhatCannotBeReadIsNotKnown() {
        Task master = task(Map.of(FannedOut.HEADER, "a,b x,,c 7,"));
        assertThat(FannedOut.keptUntil(master, "a")).isEqualTo(FannedOut.NEVER);
        assertThat(FannedOut.keptUntil(master, "c")).isEqualTo(7);

        for (int i = 0; i < 3 * FannedOut.MAX_FAN_OUTS; i++) {
            master = FannedOut.with(master, Map.of("f" + i, 1_000L + i));
        }
        assertThat(master.headers().get(FannedOut.HEADER).split(",")).hasSize(FannedOut.MAX_FAN_OUTS);
        assertThat(FannedOut.keptUntil(master, "f47")).isEqualTo(1_047);
    }

    @Test
    void noPublisherSetsThem() {
        Task read = new TaskHeaders("orders", Binding.KAFKA, TaskHeaders.DEFAULT_MAX_PAYLOAD)
                .read(
                        List.of(Field.of(FannedOut.HEADER, "a 1,"), Field.of("color", "red")),
                        new Origin(null, null, null, null, 0, 0),
                        new byte[] {1})
                .task();

        assertThat(read.headers()).containsOnly(Map.entry("color", "red"));
    }
}
