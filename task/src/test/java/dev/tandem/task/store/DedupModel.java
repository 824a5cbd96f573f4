package dev.tandem.task.store;

import dev.tandem.task.store.DedupPolicy.Mode;
import dev.tandem.task.store.DedupRequest.Ask;
import dev.tandem.task.store.DedupRequest.Bearer;
import dev.tandem.task.store.DedupRequest.Ending;
import dev.tandem.task.store.DedupRequest.Tell;
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

    private enum State {
        WAITS,
        BEGUN,
        DONE,
        FAILED
    }

    /** What is known of a key: the task that bears it, and others that came. */
    private static final class Entry {
        private State state = State.WAITS;
        private Bearer task;
        private DedupPolicy policy;
        private long since;
        private long due;
        private long taken;
        private long expires;
        private long keep;
        private long notBefore;
        private final Set<String> accepted = new HashSet<>();
        private final Map<String, String> duplicates = new HashMap<>();
        private final Map<String, String> duplicateMessages = new HashMap<>();

        Entry(Bearer task, DedupPolicy policy) {
            this.task = task;
            this.policy = policy;
        }

        boolean isOpen() {
            return state == State.WAITS || state == State.BEGUN;
        }

        int marks() {
            return accepted.size() + duplicates.size() + duplicateMessages.size();
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

    private final Map<String, Entry> entries = new HashMap<>();

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
        if (entry != null) {
            tell(entry, (Tell) request, now);
        }
        return DedupAnswer.Noted.INSTANCE;
    }

    private DedupAnswer ask(String key, @Nullable Entry entry, Ask ask, long now) {
        Bearer task = ask.task();
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
                entry.task = new Bearer(
                        task.partition(),
                        task.position(),
                        entry.task.identity(),
                        entry.task.named(),
                        false,
                        task.name());
                entry.state = entry.state == State.FAILED ? State.WAITS : entry.state;
                return go(entry, ask, now);
            } else if (here || task.named()) {
                return DedupAnswer.Done.INSTANCE;
            }
        }
        if (entry.accepted.contains(acceptedName(task.surelyNew() ? "" : task.identity(), task.place()))) {
            entry.keepUntil(now + ask.delayMillis() + entry.policy.lostAfterMillis());
            return DedupAnswer.Go.INSTANCE;
        }
        of = again && task.named() ? entry.duplicateMessages.get(task.identity()) : null;
        if (of != null) {
            return new DedupAnswer.Duplicate(of);
        }
        boolean taken = ask.policy().mode() == Mode.FIRST && now < entry.taken;
        if (taken || entry.isOpen() && entry.marks() >= MAX_MARKS) {
            return duplicate(entry, ask, now);
        }
        return bear(key, entry, ask, now);
    }

    private static DedupAnswer duplicate(Entry entry, Ask ask, long now) {
        String of = entry.task.name();
        if (entry.marks() < MAX_MARKS) {
            entry.duplicates.put(ask.task().place(), of);
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
            entry.accepted.addAll(old.accepted);
            entry.duplicates.putAll(old.duplicates);
            entry.duplicateMessages.putAll(old.duplicateMessages);
        }
        if (old != null && old.isOpen()) {
            Bearer before = old.task;
            boolean first = ask.policy().mode() == Mode.FIRST;
            if (!first && old.state == State.WAITS) {
                entry.duplicates.put(before.place(), ask.task().name());
                if (before.named() && !before.identity().equals(ask.task().identity())) {
                    entry.duplicateMessages.put(before.identity(), ask.task().name());
                }
                entry.notBefore = ask.policy().mode() == Mode.REPLACE ? Math.max(old.notBefore, old.due) : 0;
            } else if (!first || !old.policy.untilDone()) {
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
        }
        entry.open(now);
        return waits ? new DedupAnswer.Wait(entry.notBefore - now) : DedupAnswer.Go.INSTANCE;
    }

    private static void tell(Entry entry, Tell tell, long now) {
        if (!entry.task.place().equals(tell.task().place())) {
            if (tell.ending() != Ending.LATER) {
                entry.accepted.remove(
                        acceptedName(tell.task().identity(), tell.task().place()));
            }
        } else if (tell.ending() == Ending.LATER) {
            entry.due = now + tell.delayMillis();
            entry.open(now);
        } else if (tell.ending() == Ending.SUCCEEDED || entry.state != State.DONE) {
            entry.state = tell.ending() == Ending.SUCCEEDED ? State.DONE : State.FAILED;
            DedupPolicy policy = entry.policy;
            entry.taken = now;
            if (entry.state == State.DONE || !policy.releaseOnFailure()) {
                entry.taken = Math.max(entry.windowEnd(), policy.untilDone() ? now + policy.retentionMillis() : 0);
            }
            entry.expires = Math.max(Math.max(entry.taken, entry.keep), now + KEPT_MILLIS);
        }
    }

    private static String acceptedName(String identity, String place) {
        return identity.isEmpty() ? place : identity;
    }
}
