package dev.tandem.verify.check;

import dev.tandem.verify.record.Event;
import dev.tandem.verify.record.Event.Ending;
import dev.tandem.verify.record.Event.Server;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Builds the history of a trial, with times in milliseconds. */
final class HistoryBuilder {

    static final long LEASE = 10_000;

    private final List<Event> events = new ArrayList<>();
    private final List<Event.KeptEnd> kept = new ArrayList<>();
    private long offset;
    private long token = 100;

    private static long at(long millis) {
        return millis * 1_000_000;
    }

    HistoryBuilder add(Event event) {
        events.add(event);
        return this;
    }

    /** Adds an acknowledged task at the next offset of partition 0. */
    HistoryBuilder published(long millis, String id, @Nullable String key) {
        return add(new Event.Published(at(millis), id, key, 0, offset++, at(millis), 0));
    }

    HistoryBuilder scheduled(long millis, String id, @Nullable String key, long due) {
        return add(new Event.Published(at(millis), id, key, 0, offset++, at(millis), at(due)));
    }

    /** Adds a start under the next token, with a full lease. */
    HistoryBuilder started(long millis, String process, String id, @Nullable String key, int attempt) {
        return started(millis, process, id, key, attempt, ++token, millis + LEASE);
    }

    HistoryBuilder started(
            long millis,
            String process,
            String id,
            @Nullable String key,
            int attempt,
            long withToken,
            long leaseUntil) {
        token = Math.max(token, withToken);
        return add(new Event.RunStarted(at(millis), process, id, key, withToken, attempt, at(leaseUntil), -1, 0, 0));
    }

    /** Makes a process the owner of partition 0. */
    HistoryBuilder acquired(long millis, String process, long epoch) {
        return add(new Event.Acquired(at(millis), process, 0, epoch));
    }

    /** Adds a run of 10 ms whose claim of partition 0 was requested under an epoch just before its start. */
    HistoryBuilder ranUnder(long millis, String process, String id, @Nullable String key, long epoch, long withToken) {
        return ranUnder(millis, process, id, key, epoch, withToken, millis - 1);
    }

    HistoryBuilder ranUnder(
            long millis, String process, String id, @Nullable String key, long epoch, long withToken, long claimed) {
        add(new Event.RunStarted(
                at(millis), process, id, key, withToken, 1, at(millis + LEASE), 0, epoch, at(claimed)));
        return finished(millis + 10, process, id, Ending.SUCCEEDED);
    }

    HistoryBuilder finished(long millis, String process, String id, Ending ending) {
        long lastToken = events.stream()
                .filter(Event.RunStarted.class::isInstance)
                .map(Event.RunStarted.class::cast)
                .filter(each -> each.id().equals(id) && each.process().equals(process))
                .mapToLong(Event.RunStarted::token)
                .max()
                .orElseThrow();
        return add(new Event.RunFinished(at(millis), process, id, lastToken, ending));
    }

    /** Adds a run that succeeds after 10 ms. */
    HistoryBuilder ran(long millis, String process, String id, @Nullable String key) {
        return started(millis, process, id, key, 1).finished(millis + 10, process, id, Ending.SUCCEEDED);
    }

    HistoryBuilder killed(long millis, String process) {
        return add(new Event.ProcessEnded(at(millis), process, true));
    }

    HistoryBuilder left(long millis, String process) {
        return add(new Event.LeaveRequested(at(millis - 100), process))
                .add(new Event.ProcessEnded(at(millis), process, false));
    }

    HistoryBuilder frozen(long from, long to, String process) {
        return add(new Event.ProcessFrozen(at(from), process)).add(new Event.ProcessThawed(at(to), process));
    }

    HistoryBuilder cut(long from, long to, String process, Server server) {
        return add(new Event.ConnectionCut(at(from), process, server))
                .add(new Event.ConnectionHealed(at(to), process, server));
    }

    HistoryBuilder down(long from, long to, Server server) {
        return add(new Event.ServerDown(at(from), server)).add(new Event.ServerUp(at(to), server));
    }

    HistoryBuilder writesLost(long since, long millis) {
        return add(new Event.WritesLost(at(millis), at(since)));
    }

    HistoryBuilder stalled(long from, long to, String process) {
        return add(new Event.ProcessStalled(at(to), process, at(from)));
    }

    /** Keeps in the store how a task ended. */
    HistoryBuilder ended(long millis, String id, String kind) {
        kept.add(new Event.KeptEnd(id, kind, at(millis)));
        return this;
    }

    HistoryBuilder cancelled(long asked, long confirmed, String id) {
        return add(new Event.CancelConfirmed(at(confirmed), id, at(asked)));
    }

    HistoryBuilder fault(long from, long to, String... targets) {
        return add(new Event.FaultBegan(at(from), "fault", 1, List.of(targets)))
                .add(new Event.FaultEnded(at(to), "fault", 1, -1));
    }

    /** Adds an audit: the committed offset of partition 0, and the held and dead tasks in the store. */
    HistoryBuilder audited(long millis, long committed, List<String> held, List<String> dead) {
        return add(new Event.Audit(at(millis), List.of(committed), held, dead));
    }

    /** Ends the trial with all offsets committed, and these held and dead tasks in the store. */
    HistoryBuilder closed(long millis, List<String> held, List<String> dead) {
        return add(new Event.TrialClosed(at(millis), 0))
                .audited(millis + 10, offset, held, dead)
                .add(new Event.EndsKept(at(millis + 20), List.copyOf(kept)));
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
