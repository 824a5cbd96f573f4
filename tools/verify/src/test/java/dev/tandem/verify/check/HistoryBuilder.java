package dev.tandem.verify.check;

import dev.tandem.verify.record.Event;
import dev.tandem.verify.record.Event.Ending;
import dev.tandem.verify.record.Event.Server;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A history told in milliseconds. */
final class HistoryBuilder {

    static final long LEASE = 10_000;

    private final List<Event> events = new ArrayList<>();
    private long offset;
    private long token = 100;

    private static long at(long millis) {
        return millis * 1_000_000;
    }

    HistoryBuilder tell(Event event) {
        events.add(event);
        return this;
    }

    HistoryBuilder without(Class<? extends Event> type) {
        events.removeIf(type::isInstance);
        return this;
    }

    /** Published and acknowledged, at the next offset of partition 0. */
    HistoryBuilder published(long millis, String id, @Nullable String key) {
        return tell(new Event.Published(at(millis), id, key, 0, offset++, at(millis), 0));
    }

    HistoryBuilder scheduled(long millis, String id, @Nullable String key, long due) {
        return tell(new Event.Published(at(millis), id, key, 0, offset++, at(millis), at(due)));
    }

    /** Under the next token, with a lease from now. */
    HistoryBuilder started(long millis, String process, String id, @Nullable String key, int attempt) {
        return started(millis, process, id, key, attempt, ++token, millis + LEASE);
    }

    HistoryBuilder started(
            long millis, String process, String id, @Nullable String key, int attempt, long under, long lease) {
        token = Math.max(token, under);
        return tell(new Event.RunStarted(at(millis), process, id, key, under, attempt, at(lease), -1, 0, 0));
    }

    /** Partition 0. */
    HistoryBuilder owned(long millis, String process, long epoch) {
        return tell(new Event.Acquired(at(millis), process, 0, epoch));
    }

    /** A claim of partition 0 that was asked for just before it started, under an epoch; succeeded within 10 ms. */
    HistoryBuilder ranUnder(long millis, String process, String id, @Nullable String key, long epoch, long under) {
        return ranUnder(millis, process, id, key, epoch, under, millis - 1);
    }

    HistoryBuilder ranUnder(
            long millis, String process, String id, @Nullable String key, long epoch, long under, long claimed) {
        tell(new Event.RunStarted(at(millis), process, id, key, under, 1, at(millis + LEASE), 0, epoch, at(claimed)));
        return finished(millis + 10, process, id, Ending.SUCCEEDED);
    }

    HistoryBuilder finished(long millis, String process, String id, Ending ending) {
        long under = events.stream()
                .filter(Event.RunStarted.class::isInstance)
                .map(Event.RunStarted.class::cast)
                .filter(each -> each.id().equals(id) && each.process().equals(process))
                .mapToLong(Event.RunStarted::token)
                .max()
                .orElseThrow();
        return tell(new Event.RunFinished(at(millis), process, id, under, ending));
    }

    /** Started and succeeded within 10 ms. */
    HistoryBuilder ran(long millis, String process, String id, @Nullable String key) {
        return started(millis, process, id, key, 1).finished(millis + 10, process, id, Ending.SUCCEEDED);
    }

    HistoryBuilder killed(long millis, String process) {
        return tell(new Event.ProcessEnded(at(millis), process, true));
    }

    HistoryBuilder left(long millis, String process) {
        return tell(new Event.LeaveRequested(at(millis - 100), process))
                .tell(new Event.ProcessEnded(at(millis), process, false));
    }

    HistoryBuilder frozen(long from, long to, String process) {
        return tell(new Event.ProcessFrozen(at(from), process)).tell(new Event.ProcessThawed(at(to), process));
    }

    HistoryBuilder cut(long from, long to, String process, Server link) {
        return tell(new Event.ConnectionCut(at(from), process, link))
                .tell(new Event.ConnectionHealed(at(to), process, link));
    }

    HistoryBuilder down(long from, long to, Server link) {
        return tell(new Event.ServerDown(at(from), link)).tell(new Event.ServerUp(at(to), link));
    }

    HistoryBuilder forgot(long since, long millis) {
        return tell(new Event.WritesLost(at(millis), at(since)));
    }

    HistoryBuilder fault(long from, long to, String... targets) {
        return tell(new Event.FaultBegan(at(from), "fault", 1, List.of(targets)))
                .tell(new Event.FaultEnded(at(to), "fault", 1, -1));
    }

    /** Partition 0 is committed up to there, and the store has these and these dead. */
    HistoryBuilder audited(long millis, long committed, List<String> held, List<String> dead) {
        return tell(new Event.Audit(at(millis), List.of(committed), held, dead));
    }

    /** The end: all is committed, and the store has these and these dead. */
    HistoryBuilder closed(long millis, List<String> held, List<String> dead) {
        return tell(new Event.TrialClosed(at(millis), 0)).audited(millis + 10, offset, held, dead);
    }

    HistoryBuilder closed(long millis) {
        return closed(millis, List.of(), List.of());
    }

    Judgement judge() {
        return judge(CheckerSettings.of(true, true, Duration.ofMillis(LEASE)));
    }

    Judgement judge(CheckerSettings bounds) {
        return Checker.judge(events, bounds);
    }
}
