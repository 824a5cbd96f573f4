package dev.tandem.task.store;

import dev.tandem.task.BusinessId;
import dev.tandem.task.Position;
import dev.tandem.task.store.DedupPolicy.Mode;
import dev.tandem.task.store.DedupRequest.Ask;
import dev.tandem.task.store.DedupRequest.Ending;
import dev.tandem.task.store.DedupRequest.Tell;
import dev.tandem.task.store.WaitRequest.Waiter;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A model of what a store knows of deduplication keys. The script of Redis is compared with it. */
public final class DedupModel {

    /** For how long an end is remembered at least. */
    static final long KEPT_MILLIS = 600_000;

    static final int MAX_MARKS = 10_000;

    /** The longest time for which ends are remembered because tasks wait so long for others of the queue. */
    static final long MAX_EXPECTED_WAIT = 7 * 24 * 3_600_000L;

    /** For how long it is remembered that a task waits, behind the end of its wait. */
    static final long WAITS_KEPT = 3_600_000;

    private enum State {
        WAITS,
        BEGUN,
        DONE,
        FAILED,
        /** Nothing is known of the task, but others wait for it. */
        AWAITED
    }

    /** What is known of a key: the task that bears it, and others that came. */
    private static final class Entry {
        private State state = State.WAITS;
        private TaskIdentity task;
        private DedupPolicy policy;
        private long since;
        private long due;
        private long taken;
        private long expires;
        private long keep;
        private long notBefore;
        private long token;
        private long awaited;
        private long succeeded;
        private final Set<String> accepted = new HashSet<>();
        private final Map<String, String> duplicates = new HashMap<>();
        private final Map<String, String> duplicateMessages = new HashMap<>();

        Entry(TaskIdentity task, DedupPolicy policy) {
            this.task = task;
            this.policy = policy;
        }

        boolean isOpen() {
            return state == State.WAITS || state == State.BEGUN;
        }

        boolean isFull() {
            return accepted.size() + duplicates.size() + duplicateMessages.size() >= MAX_MARKS;
        }

        void markDuplicate(TaskIdentity other, String of, String identity) {
            duplicates.put(other.place(), of);
            if (other.named() && !other.identity().equals(identity)) {
                duplicateMessages.put(other.identity(), of);
            }
        }

        void open(long now) {
            long lostAt = Math.max(now, Math.max(due, notBefore)) + policy.lostAfterMillis();
            taken = Math.max(windowEnd(), policy.untilDone() ? lostAt : 0);
            expires = Math.max(Math.max(taken, keep), lostAt);
        }

        long windowEnd() {
            return policy.windowMillis() > 0 ? since + policy.windowMillis() : 0;
        }

        void keepUntil(long until) {
            keep = Math.max(keep, until);
            expires = Math.max(expires, keep);
        }
    }

    /** A task that waits for another one. */
    private static final class Waiting {
        private final long since;
        private boolean over;
        private long until;

        Waiting(long since) {
            this.since = since;
        }
    }

    private final Map<String, Entry> entries = new HashMap<>();
    private final Map<String, Map<Waiter, Waiting>> waiting = new HashMap<>();
    /** The longest waits for tasks of queues. A store forgets them after some weeks. */
    private final Map<String, Long> longestWaits = new HashMap<>();

    /** Applies a request at a time in epoch milliseconds. */
    public DedupAnswer apply(String queue, DedupRequest request, long now) {
        String key = queue + "/" + request.key();
        Entry entry = entries.get(key);
        if (entry != null && now > entry.expires) {
            entries.remove(key);
            entry = null;
        }
        if (request instanceof Ask ask) {
            return ask(key, entry, ask, now);
        }
        Tell tell = (Tell) request;
        if (entry == null && tell.ending() != Ending.LATER) {
            entry = nobody();
            entries.put(key, entry);
        }
        long expected = longestWaits.getOrDefault(queue, 0L);
        return new DedupAnswer.Noted(entry != null && tell(entry, tell, expected, now));
    }

    // ---- tasks that wait for others ----

    /** Applies a request at a time in epoch milliseconds. */
    public WaitAnswer apply(WaitRequest request, long now) {
        String key = request.on().queue() + "/" + request.on().key();
        Map<Waiter, Waiting> waiters = waiting.computeIfAbsent(key, none -> new HashMap<>());
        waiters.values().removeIf(each -> each.until < now);
        if (request instanceof WaitRequest.Over over) {
            waiters.remove(over.task());
            return WaitAnswer.NOTED;
        }
        Waiting its = waiters.get(request.task());
        if (request instanceof WaitRequest.Later later) {
            waiters.values().forEach(each -> each.until = Math.max(each.until, now + later.delayMillis() + WAITS_KEPT));
            return WaitAnswer.NOTED;
        }
        if (request instanceof WaitRequest.Released) {
            if (its != null) {
                its.over = true;
            }
            return WaitAnswer.NOTED;
        }
        WaitRequest.Ask ask = (WaitRequest.Ask) request;
        longestWaits.merge(ask.on().queue(), Math.min(ask.limitMillis(), MAX_EXPECTED_WAIT), Math::max);
        Entry entry = entries.get(key);
        if (entry != null && now > entry.expires) {
            entries.remove(key);
            entry = null;
        }
        if (its == null) {
            its = new Waiting(now);
            waiters.put(ask.task(), its);
        }
        its.over |= entry != null && (entry.state == State.DONE || entry.succeeded >= its.since);
        long until = now + ask.limitMillis() + WAITS_KEPT;
        waiters.values().forEach(each -> each.until = Math.max(each.until, until));
        String name = entry == null ? "" : entry.task.name();
        WaitAnswer.State state = stateOf(its, entry);
        if (!its.over) {
            if (entry == null) {
                entry = nobody();
                entries.put(key, entry);
            }
            entry.awaited = Math.max(entry.awaited, until);
            entry.keepUntil(entry.awaited);
        }
        return new WaitAnswer(state, name, now - its.since);
    }

    private static Entry nobody() {
        TaskIdentity none = new TaskIdentity("", new Position("-"), "", false, false, "", 0);
        Entry entry = new Entry(none, new DedupPolicy(Mode.FIRST, 0, false, 0, true, 0));
        entry.state = State.AWAITED;
        return entry;
    }

    private static WaitAnswer.State stateOf(Waiting its, @Nullable Entry entry) {
        if (its.over) {
            return WaitAnswer.State.SUCCEEDED;
        } else if (entry == null || entry.state == State.AWAITED) {
            return WaitAnswer.State.UNKNOWN;
        }
        return entry.state == State.FAILED ? WaitAnswer.State.FAILED : WaitAnswer.State.OPEN;
    }

    /** Returns the tasks that still have to wait for one. */
    public Set<Waiter> waitingFor(BusinessId id) {
        Set<Waiter> those = new HashSet<>();
        waiting.getOrDefault(id.queue() + "/" + id.key(), Map.of()).forEach((waiter, its) -> {
            if (!its.over) {
                those.add(waiter);
            }
        });
        return those;
    }

    // ---- deduplication ----

    private DedupAnswer ask(String key, @Nullable Entry entry, Ask ask, long now) {
        TaskIdentity task = ask.task();
        if (entry == null) {
            return bear(key, null, ask, now);
        }
        String of = entry.duplicates.get(task.place());
        if (of != null) {
            return new DedupAnswer.Duplicate(of);
        }
        boolean here = entry.task.place().equals(task.place());
        boolean again = !task.identity().isEmpty() && !task.surelyNew();
        if (here || again && entry.task.identity().equals(task.identity())) {
            if (entry.state != State.DONE) {
                entry.task = new TaskIdentity(
                        task.partition(),
                        task.position(),
                        entry.task.identity(),
                        entry.task.named(),
                        false,
                        task.name(),
                        0);
                entry.state = entry.state == State.FAILED ? State.WAITS : entry.state;
                return go(entry, ask, now);
            } else if (here || task.named()) {
                return DedupAnswer.Done.INSTANCE;
            }
        }
        if (entry.accepted.contains(acceptedName(task.surelyNew() ? "" : task.identity(), task.place()))) {
            return accept(entry, ask, now);
        }
        of = again && task.named() ? entry.duplicateMessages.get(task.identity()) : null;
        if (of != null) {
            return new DedupAnswer.Duplicate(of);
        }
        boolean first = ask.policy().mode() == Mode.FIRST;
        if (first && (now < entry.taken || entry.isOpen() && entry.isFull())) {
            return duplicate(entry, ask, now);
        } else if (ask.begins() && !first && entry.state == State.WAITS) {
            return accept(entry, ask, now);
        }
        return bear(key, entry, ask, now);
    }

    private static DedupAnswer accept(Entry entry, Ask ask, long now) {
        if (!entry.isFull()) {
            entry.accepted.add(acceptedName(ask.task().identity(), ask.task().place()));
        }
        entry.keepUntil(now + ask.delayMillis() + entry.policy.lostAfterMillis());
        return DedupAnswer.Go.INSTANCE;
    }

    private static DedupAnswer duplicate(Entry entry, Ask ask, long now) {
        String of = entry.task.name();
        if (!entry.isFull()) {
            entry.markDuplicate(ask.task(), of, entry.task.identity());
            entry.keepUntil(now + ask.delayMillis() + entry.policy.lostAfterMillis());
        }
        return new DedupAnswer.Duplicate(of);
    }

    private DedupAnswer bear(String key, @Nullable Entry old, Ask ask, long now) {
        Entry entry = new Entry(ask.task(), ask.policy());
        entry.since = now;
        entry.due = now + ask.delayMillis();
        if (old != null) {
            entry.keep = old.keep;
            entry.awaited = old.awaited;
            entry.succeeded = old.succeeded;
            entry.accepted.addAll(old.accepted);
            entry.duplicates.putAll(old.duplicates);
            entry.duplicateMessages.putAll(old.duplicateMessages);
        }
        if (old != null && old.isOpen()) {
            TaskIdentity before = old.task;
            boolean first = ask.policy().mode() == Mode.FIRST;
            if (!first && old.state == State.WAITS) {
                if (!entry.isFull()) {
                    entry.markDuplicate(before, ask.task().name(), ask.task().identity());
                }
                entry.notBefore = ask.policy().mode() == Mode.REPLACE ? Math.max(old.notBefore, old.due) : 0;
            } else if (!entry.isFull() && (!first || !old.policy.untilDone())) {
                entry.accepted.add(acceptedName(before.identity(), before.place()));
            }
            entry.keep = Math.max(entry.keep, old.expires);
        }
        entries.put(key, entry);
        return go(entry, ask, now);
    }

    private static DedupAnswer go(Entry entry, Ask ask, long now) {
        boolean waits = ask.begins() && entry.notBefore > now;
        if (ask.begins() && !waits) {
            entry.state = State.BEGUN;
            entry.token = ask.task().token();
        }
        entry.open(now);
        return waits ? new DedupAnswer.Wait(entry.notBefore - now) : DedupAnswer.Go.INSTANCE;
    }

    /** Returns whether tasks may wait for the end that was told. */
    private static boolean tell(Entry entry, Tell tell, long expected, long now) {
        if (entry.state == State.AWAITED && tell.ending() != Ending.LATER) {
            entry.state = State.BEGUN;
            entry.task = tell.task();
        }
        TaskIdentity task = tell.task();
        boolean one = task.named() || task.isRecord();
        boolean bears = entry.task.place().equals(task.place())
                || one && entry.task.identity().equals(task.identity());
        if (!bears) {
            if (tell.ending() != Ending.LATER) {
                entry.accepted.remove(acceptedName(task.identity(), task.place()));
            }
        } else if (tell.ending() == Ending.SUCCEEDED) {
            return finish(entry, State.DONE, tell, expected, now);
        } else if (task.token() >= entry.token) {
            if (tell.ending() == Ending.FAILED && entry.state != State.DONE) {
                return finish(entry, State.FAILED, tell, expected, now);
            } else if (tell.ending() == Ending.LATER && entry.isOpen()) {
                entry.due = now + tell.delayMillis();
                entry.open(now);
            }
        }
        return false;
    }

    /** @param expected for how long tasks may wait for those of the queue */
    private static boolean finish(Entry entry, State state, Tell tell, long expected, long now) {
        entry.policy = entry.policy.withKept(Math.max(entry.policy.keptMillis(), tell.keptMillis()));
        entry.state = state;
        entry.succeeded = state == State.DONE ? now : entry.succeeded;
        entry.taken = now;
        DedupPolicy policy = entry.policy;
        if (state == State.DONE || !policy.releaseOnFailure()) {
            entry.taken = Math.max(entry.windowEnd(), policy.untilDone() ? now + policy.retentionMillis() : 0);
        }
        long kept = policy.keptMillis() > 0 ? policy.keptMillis() : expected;
        entry.expires = Math.max(Math.max(entry.taken, entry.keep), now + Math.max(KEPT_MILLIS, kept));
        return entry.awaited > now;
    }

    private static String acceptedName(String identity, String place) {
        return identity.isEmpty() ? place : identity;
    }
}
