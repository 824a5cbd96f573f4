package dev.tandem.verify.record;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.kit.JsonLinesLog;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every kind of event is read as it was written. */
class EventFilesTest {

    private static final List<Event> EVENTS = List.of(
            new Event.TrialOpened(1, "1.0", "kill", "kafka-zipf", 7, 10_000, 0, 2, 150, 6, List.of("Redis 7, here")),
            new Event.ProcessStarted(2, "p"),
            new Event.Published(3, "a,\t1\\", "ke\ny", 3, 4, 5, 6),
            new Event.Published(4, "", null, -1, 4, 5, 6),
            new Event.Unacknowledged(5, "a2", null),
            new Event.RunStarted(6, "p", "a1", null, Long.MAX_VALUE, 2, 9, 5, 77, 2),
            new Event.Acquired(7, "p", 5, 77),
            new Event.LeaseRenewed(8, "p", "a1", 7, 8),
            new Event.RunFinished(9, "p", "a1", 7, Event.Ending.SUCCEEDED),
            new Event.Audit(10, List.of(1L, 20L), List.of("a,b", "c"), List.of()),
            new Event.ProcessStalled(11, "p", 10),
            new Event.ClockSet(12, "p", -3_600_000),
            new Event.ProcessFrozen(13, "p"),
            new Event.ProcessThawed(14, "p"),
            new Event.ConnectionCut(15, "p", Event.Server.STORE),
            new Event.ConnectionHealed(16, "p", Event.Server.BROKER),
            new Event.ServerDown(17, Event.Server.STORE),
            new Event.ServerUp(18, Event.Server.STORE),
            new Event.WritesLost(19, 17),
            new Event.FaultBegan(20, "kill", 1, List.of("p")),
            new Event.FaultEnded(21, "kill", 1, -1),
            new Event.LeaveRequested(22, "p"),
            new Event.ProcessEnded(23, "p", true),
            new Event.FanOutResulted(24, "p", "f1", "COMPLETE", 12, 9, 2, 1),
            new Event.TrialClosed(25, -1),
            new Event.CheckpointRead(26, 25, "p", "step-1-1", 7, 3),
            new Event.CheckpointSaved(27, "p", "step-1-1", 7, 4),
            new Event.CancelConfirmed(28, "canw-0-1", 27),
            new Event.TaskEventCame(29, "0/a/dead/3", "dead", "a1", "a", "0", 5, "a0"),
            new Event.TaskEventCame(30, "0/b/dead/3", "dead", "b1", null, "0", 6, null),
            new Event.TaskEventsDropped(31, "p", 2),
            new Event.TaskEventsRead(32, 0, 100),
            new Event.ServerStalled(32, Event.Server.STORE, 30),
            new Event.ScheduleStopped(33),
            new Event.EndsKept(34, List.of(new Event.KeptEnd("exp-1-1", "expired", 12))));

    @TempDir
    private Path folder;

    @Test
    void readsEveryKindOfEventAsItWasWritten() {
        assertThat(EVENTS.stream().map(Object::getClass).distinct())
                .as("kinds of events")
                .hasSize(Event.class.getPermittedSubclasses().length);
        assertThat(EventFiles.existIn(folder)).isFalse();
        try (JsonLinesLog<Event> log = new JsonLinesLog<>(EventFiles.of(folder, "p"))) {
            EVENTS.forEach(log::write);
        }
        assertThat(EventFiles.existIn(folder)).isTrue();
        assertThat(EventFiles.readAll(folder)).isEqualTo(EVENTS);
    }

    @Test
    void mergesTheEventsOfAllFilesByTime() {
        try (JsonLinesLog<Event> one = new JsonLinesLog<>(EventFiles.of(folder, "e1"));
                JsonLinesLog<Event> other = new JsonLinesLog<>(EventFiles.of(folder, "e2"))) {
            other.write(new Event.ProcessStarted(1, "e2"));
            other.write(new Event.ProcessFrozen(3, "e2"));
            one.write(new Event.ProcessStarted(2, "e1"));
        }
        assertThat(EventFiles.readAll(folder)).extracting(Event::at).containsExactly(1L, 2L, 3L);
    }
}
