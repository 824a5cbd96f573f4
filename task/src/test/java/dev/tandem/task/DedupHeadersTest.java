package dev.tandem.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.TaskHeaders.Binding;
import dev.tandem.task.TaskHeaders.Field;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How a task says by its headers how it is told from its duplicates. */
class DedupHeadersTest {

    private final TaskHeaders reader = new TaskHeaders("orders", Binding.KAFKA, 1_000);

    private TaskHeaders.Read read(Field... fields) {
        return reader.read(List.of(fields), new TaskHeaders.Origin(null, null, null, null, 0, 0), new byte[0]);
    }

    @ParameterizedTest
    @CsvSource({"1h, 3600000", "PT1S, 1000", "1000, 1000", "365d, 31536000000"})
    void theyAreKeptInTheFormThatExecutorsRead(String window, String millis) {
        Task task = read(
                        Field.of("tandem-dedup-key", "order-7"),
                        Field.of("tandem-dedup-mode", "keep-last"),
                        Field.of("tandem-dedup-window", window))
                .task();
        assertThat(task.dedupKey()).isEqualTo("order-7");
        assertThat(task.headers()).isEqualTo(Map.of("tandem-dedup-mode", "keep-last", "tandem-dedup-window", millis));
    }

    @ParameterizedTest
    @CsvSource({
        "tandem-dedup-mode, last, 'first, keep-last, replace'",
        "tandem-dedup-window, 999, from 1s to 365d",
        "tandem-dedup-window, 366d, from 1s to 365d",
        "tandem-dedup-window, a while, from 1s to 365d"
    })
    void whatCannotBeReadSaysWhatToWrite(String name, String value, String remedy) {
        assertThat(read(Field.of(name, value)).unreadable()).contains(name, value, remedy);
    }

    @Test
    void theLastOfSeveralCounts() {
        assertThat(read(Field.of("tandem-dedup-mode", "first"), Field.of("tandem-dedup-mode", "replace"))
                        .task()
                        .headers())
                .isEqualTo(Map.of("tandem-dedup-mode", "replace"));
    }
}
