package dev.tandem.verify.check;

import dev.tandem.verify.record.Event;
import dev.tandem.verify.record.Event.Ending;
import dev.tandem.verify.record.Event.Link;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A history told in milliseconds. */
final class Story {

    static final long LEASE = 10_000;

    private final List<Event> events = new ArrayList<>();
    private long offset;
    private long token = 100;

    private static long at(long millis) {
        return millis * 1_000_000;
    }

    Story tell(Event event) {
        events.add(event);
        return this;
    }

    Story without(Class<? extends Event> type) {
        events.removeIf(type::isInstance);
        return this;
    }

    /** Published and acknowledged, at the next offset of partition 0. */
    Story published(long millis, String id, @Nullable String key) {
        return tell(new Event.Published(at(millis), id, key, 0, offset++, at(millis), 0));
    }

    Story scheduled(long millis, String id, @Nullable String key, long due) {
        return tell(new Event.Published(at(millis), id, key, 0, offset++, at(millis), at(due)));
    }

    /** Under the next token, with a lease from now. */
    Story started(long millis, String process, String id, @Nullable String key, int attempt) {
        return started(millis, process, id, key, attempt, ++token, millis + LEASE);
    }

    Story started(long millis, String process, String id, @Nullable String key, int attempt, long under, long lease) {
        token = Math.max(token, under);
        return tell(new Event.Started(at(millis), process, id, key, under, attempt, at(lease), -1, 0, 0));
    }

    /** Partition 0. */
    Story owned(long millis, String process, long epoch) {
        return tell(new Event.Owned(at(millis), process, 0, epoch));
    }

    /** A claim of partition 0 that was asked for just before it started, under an epoch; succeeded within 10 ms. */
    Story ranUnder(long millis, String process, String id, @Nullable String key, long epoch, long under) {
        return ranUnder(millis, process, id, key, epoch, under, millis - 1);
    }

    Story ranUnder(long millis, String process, String id, @Nullable String key, long epoch, long under, long claimed) {
        tell(new Event.Started(at(millis), process, id, key, under, 1, at(millis + LEASE), 0, epoch, at(claimed)));
        return finished(millis + 10, process, id, Ending.SUCCEEDED);
    }

    Story finished(long millis, String process, String id, Ending ending) {
        long under = events.stream()
                .filter(Event.Started.class::isInstance)
                .map(Event.Started.class::cast)
                .filter(each -> each.id().equals(id) && each.process().equals(process))
                .mapToLong(Event.Started::token)
                .max()
                .orElseThrow();
        return tell(new Event.Finished(at(millis), process, id, under, ending));
    }

    /** Started and succeeded within 10 ms. */
    Story ran(long millis, String process, String id, @Nullable String key) {
        return started(millis, process, id, key, 1).finished(millis + 10, process, id, Ending.SUCCEEDED);
    }

    Story killed(long millis, String process) {
        return tell(new Event.Died(at(millis), process, true));
    }

    Story left(long millis, String process) {
        return tell(new Event.Leaving(at(millis - 100), process)).tell(new Event.Died(at(millis), process, false));
    }

    Story frozen(long from, long to, String process) {
        return tell(new Event.Frozen(at(from), process)).tell(new Event.Thawed(at(to), process));
    }

    Story cut(long from, long to, String process, Link link) {
        return tell(new Event.Cut(at(from), process, link)).tell(new Event.Healed(at(to), process, link));
    }

    Story down(long from, long to, Link link) {
        return tell(new Event.Down(at(from), link)).tell(new Event.Up(at(to), link));
    }

    Story forgot(long since, long millis) {
        return tell(new Event.Forgot(at(millis), at(since)));
    }

    Story fault(long from, long to, String... targets) {
        return tell(new Event.Began(at(from), "fault", 1, List.of(targets)))
                .tell(new Event.Ended(at(to), "fault", 1, -1));
    }

    /** Partition 0 is committed up to there, and the store has these and these dead. */
    Story audited(long millis, long committed, List<String> held, List<String> dead) {
        return tell(new Event.Audited(at(millis), List.of(committed), held, dead));
    }

    /** The end: all is committed, and the store has these and these dead. */
    Story closed(long millis, List<String> held, List<String> dead) {
        return tell(new Event.Closed(at(millis), 0)).audited(millis + 10, offset, held, dead);
    }

    Story closed(long millis) {
        return closed(millis, List.of(), List.of());
    }

    Judgement judge() {
        return judge(Bounds.of(true, true, Duration.ofMillis(LEASE)));
    }

    Judgement judge(Bounds bounds) {
        return Checker.judge(events, bounds);
    }
}
