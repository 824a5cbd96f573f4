package dev.tandem.verify.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What was written is read as it was, whole events only. */
class EventLogTest {

    private static final List<Event> EVENTS = List.of(
            new Event.ProcessStarted(1, "p"),
            new Event.TrialOpened(1, "1.0", "kill", "kafka-zipf", 7, 10_000, 0, 2, 150, 6, List.of("Redis 7, here")),
            new Event.Published(2, "a,\t1\\", "ke\ny", 3, 4, 5, 6),
            new Event.Published(2, "", null, -1, 4, 5, 6),
            new Event.RunStarted(3, "p", "a1", null, Long.MAX_VALUE, 2, 9, 5, 77, 2),
            new Event.Acquired(3, "p", 5, 77),
            new Event.LeaseRenewed(4, "p", "a1", 7, 8),
            new Event.RunFinished(5, "p", "a1", 7, Event.Ending.SUCCEEDED),
            new Event.Audit(6, List.of(1L, 20L), List.of("a,b", "c"), List.of()),
            new Event.ConnectionCut(7, "p", Event.Server.STORE),
            new Event.FaultBegan(8, "kill", 1, List.of("p")),
            new Event.FaultEnded(9, "kill", 1, -1),
            new Event.ProcessEnded(10, "p", true));

    @TempDir
    private Path folder;

    @Test
    void eventsAreReadAsTheyWereWritten() {
        Path file = folder.resolve("p.events");
        try (EventLog log = new EventLog(file)) {
            EVENTS.forEach(log::write);
        }
        assertThat(new EventTail(file).next()).isEqualTo(EVENTS);
        assertThat(EventTail.readAll(folder)).isEqualTo(EVENTS);
    }

    @Test
    void aTornLastLineWaitsForItsEnd() throws IOException {
        Path file = folder.resolve("p.events");
        byte[] line = EventJson.encode(EVENTS.get(1));
        EventTail tail = new EventTail(file);
        assertThat(tail.next()).as("before there is a file").isEmpty();
        Files.write(file, EventJson.encode(EVENTS.get(0)));
        Files.write(file, java.util.Arrays.copyOf(line, 7), StandardOpenOption.APPEND);
        assertThat(tail.next()).containsExactly(EVENTS.get(0));
        assertThat(tail.next()).isEmpty();
        Files.write(file, java.util.Arrays.copyOfRange(line, 7, line.length), StandardOpenOption.APPEND);
        assertThat(tail.next()).containsExactly(EVENTS.get(1));
    }

    @Test
    void aWholeLineThatIsNoEventIsNotPassedOver() throws IOException {
        Path file = folder.resolve("p.events");
        Files.writeString(file, "Nonsense\t1\n");
        assertThatThrownBy(() -> new EventTail(file).next())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Nonsense");
    }

    @Test
    void anInterruptedThreadStillRecords() {
        Path file = folder.resolve("p.events");
        try (EventLog log = new EventLog(file)) {
            Thread.currentThread().interrupt();
            log.write(EVENTS.get(0));
            assertThat(Thread.interrupted()).isTrue();
            log.write(EVENTS.get(3));
        }
        assertThat(new EventTail(file).next()).containsExactly(EVENTS.get(0), EVENTS.get(3));
    }
}
