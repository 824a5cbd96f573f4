package dev.tandem.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.TaskHeaders.Binding;
import dev.tandem.task.TaskHeaders.Field;
import dev.tandem.task.TaskHeaders.Origin;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PutAsideTest {

    private static Task task(Map<String, String> headers) {
        return new Task(null, "orders", "pay", "k", new byte[] {1}, headers, 0, 0, 0, 0, null);
    }

    @Test
    void theMarkTravelsWithTheEnvelopeAndIsTakenAwayAgain() {
        Task task = task(Map.of("color", "red"));
        assertThat(PutAside.isMarked(task)).isFalse();

        Task marked = PutAside.with(task);
        Envelope stored = Envelope.decode("orders", new Envelope(marked, 0, 7, null).encode());

        assertThat(PutAside.isMarked(stored.task())).isTrue();
        assertThat(PutAside.with(marked)).isSameAs(marked);
        assertThat(PutAside.without(stored.task()).headers()).isEqualTo(task.headers());
        assertThat(PlatformHeaders.without(marked.headers())).isEqualTo(task.headers());
    }

    @Test
    void noPublisherSetsIt() {
        TaskHeaders headers = new TaskHeaders("orders", Binding.KAFKA, TaskHeaders.DEFAULT_MAX_PAYLOAD);
        Task read = headers.read(
                        List.of(Field.of(PutAside.HEADER, "1"), Field.of("color", "red")),
                        new Origin(null, null, null, null, 0, 0),
                        new byte[] {1})
                .task();

        assertThat(read.headers()).containsOnly(Map.entry("color", "red"));
    }
}
