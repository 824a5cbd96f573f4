package dev.tandem.verify.check;

import static dev.tandem.verify.check.JudgementAssertions.assertKeeps;
import static dev.tandem.verify.check.JudgementAssertions.assertViolates;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.verify.record.Event;
import dev.tandem.verify.record.Event.Ending;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Events: histories with one defect each. */
class EventCheckTest {

    private static final long MILLI = 1_000_000;

    private static HistoryBuilder ran() {
        return new HistoryBuilder()
                .published(0, "a1", "a")
                .published(1, "a2", "a")
                .ran(100, "p", "a1", "a")
                .ran(200, "p", "a2", "a");
    }

    private static Event came(long millis, String id, String kind, long sequence) {
        return new Event.TaskEventCame(
                millis * MILLI, "0/" + sequence, kind, id, id.substring(0, 1), "0", sequence, null);
    }

    private static Judgement read(HistoryBuilder history) {
        return read(history, 0, 0);
    }

    private static Judgement read(HistoryBuilder history, int stuck, long left) {
        return history.add(new Event.TaskEventsRead(21_000 * MILLI, stuck, left))
                .closed(20_000)
                .judge();
    }

    @Test
    void reportsAnEndWithoutItsEvent() {
        HistoryBuilder all = ran().add(came(110, "a1", "succeeded", 1)).add(came(210, "a2", "succeeded", 2));
        assertKeeps(read(all), CheckerRule.EVENTS);
        assertViolates(read(ran().add(came(210, "a2", "succeeded", 2))), CheckerRule.EVENTS);
        // Redis has forgotten the outcome, and its event.
        assertKeeps(read(ran().add(came(210, "a2", "succeeded", 2)).writesLost(90, 150)), CheckerRule.EVENTS);
    }

    @Test
    void reportsAnExpiryAndADeathWithoutTheirEvents() {
        assertViolates(
                read(new HistoryBuilder().published(0, "exp-1-1", "exp-1").ended(900, "exp-1-1", "expired")),
                CheckerRule.EVENTS);
        HistoryBuilder died = new HistoryBuilder()
                .published(0, "a1", "a")
                .started(100, "p", "a1", "a", 1)
                .finished(110, "p", "a1", Ending.DEAD)
                .add(new Event.TaskEventsRead(21_000 * MILLI, 0, 0))
                .closed(20_000, List.of(), List.of("a1"));
        assertViolates(died.judge(), CheckerRule.EVENTS);
        assertKeeps(died.add(came(120, "a1", "dead", 1)).judge(), CheckerRule.EVENTS);
    }

    @Test
    void reportsAnEventOfWhatDidNotHappen() {
        HistoryBuilder failed = new HistoryBuilder()
                .published(0, "a1", "a")
                .started(100, "p", "a1", "a", 1)
                .finished(110, "p", "a1", Ending.FAILED)
                .add(came(120, "a1", "succeeded", 1));
        assertViolates(
                failed.closed(20_000, List.of("a1"), List.of()).judge(), CheckerRule.EVENTS, CheckerRule.ALL_DONE);
    }

    @Test
    void reportsEventsOfAKeyInTheWrongOrder() {
        assertViolates(
                read(ran().add(came(210, "a2", "succeeded", 2)).add(came(220, "a1", "succeeded", 1))),
                CheckerRule.EVENTS);
        assertViolates(
                read(ran().add(came(210, "a2", "succeeded", 1)).add(came(220, "a1", "succeeded", 2))),
                CheckerRule.EVENTS);
        // A copy.
        assertKeeps(
                read(ran().add(came(210, "a1", "succeeded", 1))
                        .add(came(220, "a2", "succeeded", 2))
                        .add(came(230, "a1", "succeeded", 1))),
                CheckerRule.EVENTS);
    }

    @Test
    void judgesNoMissingEventsIfTheyWereNotAllRead() {
        Judgement unread =
                ran().add(came(210, "a2", "succeeded", 2)).closed(20_000).judge();
        assertThat(unread.verdicts().get(CheckerRule.EVENTS)).isInstanceOf(Verdict.NotChecked.class);
        Judgement busy = read(ran().add(came(210, "a2", "succeeded", 2)).stalled(19_000, 19_500, "p"), 1, 100);
        assertThat(busy.verdicts().get(CheckerRule.EVENTS)).isInstanceOf(Verdict.NotChecked.class);
        Judgement left = read(ran().add(came(210, "a2", "succeeded", 2)), 0, 100);
        assertThat(left.verdicts().get(CheckerRule.EVENTS)).isInstanceOf(Verdict.NotChecked.class);
        assertViolates(read(ran().add(came(210, "a2", "succeeded", 2)), 1, 100), CheckerRule.EVENTS);
        Judgement dropped =
                read(ran().add(came(210, "a2", "succeeded", 2)).add(new Event.TaskEventsDropped(150 * MILLI, "p", 1)));
        assertThat(dropped.verdicts().get(CheckerRule.EVENTS)).isInstanceOf(Verdict.NotChecked.class);
    }
}
