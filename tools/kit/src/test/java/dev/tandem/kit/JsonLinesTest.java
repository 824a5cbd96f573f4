package dev.tandem.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JsonLinesTest {

    @JsonTypeInfo(use = JsonTypeInfo.Id.SIMPLE_NAME, property = "event")
    private sealed interface Event {

        record Started(long at, String task, List<String> keys) implements Event {}

        record Ended(long at, @Nullable String error) implements Event {

            @SuppressWarnings("unused") // must not become a field
            boolean isFailure() {
                return error != null;
            }
        }
    }

    @TempDir
    Path folder;

    private Path file;

    @BeforeEach
    void nameFile() {
        file = folder.resolve("one.events");
    }

    @Test
    void readsWhatWasWrittenSinceTheLastCall() throws IOException {
        JsonLinesTail<Event> tail = new JsonLinesTail<>(file, Event.class);
        assertThat(tail.next()).isEmpty();
        Event started = new Event.Started(1, "line\nbreak, \t\"é\"", List.of("a", "b"));
        Event ended = new Event.Ended(2, null);

        try (JsonLinesLog<Event> log = new JsonLinesLog<>(file)) {
            log.write(started);
            assertThat(tail.next()).containsExactly(started);
            log.write(ended);
            log.write(started);
        }

        assertThat(tail.next()).containsExactly(ended, started);
        assertThat(tail.next()).isEmpty();
        assertThat(Files.readAllLines(file)).contains("{\"event\":\"Ended\",\"at\":2,\"error\":null}");
    }

    @Test
    void appendsToAnEarlierLog() {
        for (int at = 1; at <= 2; at++) {
            try (JsonLinesLog<Event> log = new JsonLinesLog<>(file)) {
                log.write(new Event.Ended(at, "error"));
            }
        }

        assertThat(new JsonLinesTail<>(file, Event.class).next())
                .containsExactly(new Event.Ended(1, "error"), new Event.Ended(2, "error"));
    }

    @Test
    void leavesAnUnfinishedLineForLater() throws IOException {
        JsonLinesTail<Event> tail = new JsonLinesTail<>(file, Event.class);

        Files.writeString(file, "{\"event\":\"Ended\",\"at\":1}\n{\"event\":\"Ended\",");
        assertThat(tail.next()).containsExactly(new Event.Ended(1, null));
        Files.writeString(file, "\"at\":2}\n", StandardOpenOption.APPEND);

        assertThat(tail.next()).containsExactly(new Event.Ended(2, null));
    }

    @Test
    void recordsEventsOfAnInterruptedThread() {
        Event event = new Event.Ended(1, null);
        try (JsonLinesLog<Event> log = new JsonLinesLog<>(file)) {
            Thread.currentThread().interrupt();
            log.write(event);
            assertThat(Thread.interrupted()).isTrue();
            log.write(event);
        }

        assertThat(new JsonLinesTail<>(file, Event.class).next()).containsExactly(event, event);
    }

    @Test
    void refusesAnEventOfAnotherVersion() throws IOException {
        Files.writeString(file, "{\"event\":\"Ended\",\"at\":1,\"error\":null,\"more\":2}\n");

        assertThatIllegalArgumentException()
                .isThrownBy(() -> new JsonLinesTail<>(file, Event.class).next())
                .withMessageContaining("more");
    }

    @Test
    void refusesALineThatIsNoEvent() throws IOException {
        Files.writeString(file, "nonsense\n");

        assertThatIllegalArgumentException()
                .isThrownBy(() -> new JsonLinesTail<>(file, Event.class).next())
                .withMessageContaining("one.events")
                .withMessageContaining("nonsense");
    }
}
