package dev.tandem.executor;

import dev.tandem.ordering.Arrival;
import dev.tandem.ordering.Run;
import dev.tandem.task.Outcome;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.Task;
import dev.tandem.task.store.DedupAnswer;
import dev.tandem.task.store.DedupPolicy.Mode;
import dev.tandem.task.store.DedupRequest;
import dev.tandem.task.store.DedupRequest.Bearer;
import dev.tandem.task.store.DedupRequest.Ending;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Keeps duplicates from running. The store is asked about a task with a deduplication key when it arrives, in the order of
 * arrival, and again before it runs, unless the first answer is known here and young. It is told of the end before the outcome
 * is recorded: if the process dies in between, the task runs again, and is answered that it has succeeded. Thread-safe.
 */
final class DedupGate {

    /** For how long a run waits for an answer. Then its task is tried again later, and others may run. */
    private static final long ANSWER_MILLIS = 10_000;

    private static final DedupAnswer UNANSWERED = new DedupAnswer.Wait(5_000);

    /** For how long it is repeated that a task has ended, when its outcome is recorded already. */
    private static final long REPEATED_MILLIS = 600_000;

    /** How old an answer may be that a task may run. */
    private static final long YOUNG_MILLIS = 30_000;

    private static final int MAX_KNOWN = 20_000;

    private record Place(Partition partition, Position position) {}

    private record Known(DedupAnswer answer, long since) {}

    private final QueueSpec spec;
    private final ExecutorClock clock;
    private final DedupSender sender;
    /** What was answered about tasks that have not begun. Guarded by itself. */
    private final Map<Place, Known> known = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Place, Known> eldest) {
            return size() > MAX_KNOWN;
        }
    };

    /** What was answered about runs that workers have not begun. */
    private final Map<Run, DedupAnswer> answered = new ConcurrentHashMap<>();

    DedupGate(QueueSpec spec, ExecutorClock clock) {
        this(spec, clock, new DedupSender(spec.name(), spec.store(), clock));
    }

    DedupGate(QueueSpec spec, ExecutorClock clock, DedupSender sender) {
        this.spec = spec;
        this.clock = clock;
        this.sender = sender;
    }

    // ---- arrival ----

    /** Takes note that a task has come. The store is asked about it with the next {@link #flush}. */
    void arrived(Arrival arrival) {
        Task task = arrival.task();
        String key = task.dedupKey();
        if (key == null || task.unreadable() != null) {
            return;
        }
        Place place = new Place(arrival.partition(), arrival.position());
        long delay = Math.max(0, task.notBefore() - clock.wallMillis());
        Bearer bearer = bearer(place, task, arrival.surelyNew());
        sender.offer(
                new DedupRequest.Ask(key, bearer, false, delay, spec.parts().dedup()),
                REPEATED_MILLIS,
                answer -> note(place, answer));
    }

    private void note(Place place, @Nullable DedupAnswer answer) {
        boolean isFinal = answer instanceof DedupAnswer.Duplicate || answer instanceof DedupAnswer.Done;
        if (isFinal || answer instanceof DedupAnswer.Go && spec.parts().dedup().mode() == Mode.FIRST) {
            synchronized (known) {
                known.put(place, new Known(answer, clock.millis()));
            }
        }
    }

    /** Sends what is to be asked. */
    void flush() {
        sender.send();
    }

    // ---- before a run ----

    /**
     * Returns whether a run must wait for an answer of the store.
     *
     * @param goOn called on any thread when it need not wait any more; it must not block
     */
    boolean mustWait(Run run, Runnable goOn) {
        Task task = run.task();
        String key = task.dedupKey();
        if (key == null || task.unreadable() != null || answered.containsKey(run)) {
            return false;
        }
        Place place = new Place(run.partition(), run.position());
        DedupAnswer before = takeKnown(place);
        if (before != null) {
            answered.put(run, before);
            return false;
        }
        sender.add(
                new DedupRequest.Ask(
                        key, bearer(place, task, false), true, 0, spec.parts().dedup()),
                ANSWER_MILLIS,
                answer -> {
                    answered.put(run, answer == null ? UNANSWERED : answer);
                    goOn.run();
                });
        sender.send();
        return true;
    }

    private @Nullable DedupAnswer takeKnown(Place place) {
        Known found;
        synchronized (known) {
            found = known.remove(place);
        }
        boolean isOld = found != null
                && found.answer() instanceof DedupAnswer.Go
                && clock.millis() - found.since() > YOUNG_MILLIS;
        return found == null || isOld ? null : found.answer();
    }

    /** Returns whether a run that need not wait any more goes to its handler. */
    boolean mayRun(Run run) {
        DedupAnswer answer = answered.get(run);
        return answer == null || answer instanceof DedupAnswer.Go;
    }

    /** Takes what was answered about a run. @return the outcome of a task that does not run; null if it does */
    @Nullable
    Outcome takeOutcome(Run run) {
        DedupAnswer answer = run.task().dedupKey() == null ? null : answered.remove(run);
        if (answer instanceof DedupAnswer.Duplicate duplicate) {
            return new Outcome.Duplicate(duplicate.of());
        } else if (answer instanceof DedupAnswer.Done) {
            return new Outcome.Duplicate(spec.idOf(run));
        }
        return answer instanceof DedupAnswer.Wait wait ? new Outcome.Snoozed(wait.millis()) : null;
    }

    /** Forgets what was answered about a run that may go to its handler. */
    void forget(Run run) {
        answered.remove(run);
    }

    // ---- after a run ----

    /**
     * Tells the store how a run ended.
     *
     * @param then called on any thread when the outcome may be recorded; it must not block
     */
    void ended(Run run, Outcome outcome, Runnable then) {
        String key = run.task().dedupKey();
        Ending ending = ending(outcome);
        if (key == null) {
            then.run();
        } else if (ending != null) {
            DedupRequest told = new DedupRequest.Tell(key, bearer(run), ending, 0);
            sender.add(told, ANSWER_MILLIS, answer -> {
                if (answer == null) {
                    sender.offer(told, REPEATED_MILLIS, late -> {});
                }
                then.run();
            });
            sender.send();
        } else {
            runsLater(run, key, outcome);
            then.run();
        }
    }

    /** Returns what the store is told; null if the task has not ended, or ended as a duplicate. */
    private static @Nullable Ending ending(Outcome outcome) {
        if (outcome instanceof Outcome.Succeeded) {
            return Ending.SUCCEEDED;
        }
        boolean givenUp = outcome instanceof Outcome.Dead
                || outcome instanceof Outcome.Expired
                || outcome instanceof Outcome.Cancelled;
        return givenUp ? Ending.FAILED : null;
    }

    /** Says that a task waits for so long that it might count as lost. */
    private void runsLater(Run run, String key, Outcome outcome) {
        long delay = 0;
        if (outcome instanceof Outcome.Retry retry) {
            delay = retry.delayMillis();
        } else if (outcome instanceof Outcome.Snoozed snoozed) {
            delay = snoozed.delayMillis();
        }
        if (delay > spec.parts().dedup().lostAfterMillis() / 4) {
            sender.offer(new DedupRequest.Tell(key, bearer(run), Ending.LATER, delay), REPEATED_MILLIS, answer -> {});
            sender.send();
        }
    }

    // ---- names ----

    private Bearer bearer(Run run) {
        return bearer(new Place(run.partition(), run.position()), run.task(), false);
    }

    private Bearer bearer(Place place, Task task, boolean surelyNew) {
        Position position = place.position();
        String name = TaskIds.idOf(
                task,
                place.partition(),
                position,
                spec.parts().topic(),
                spec.source().kind());
        return Bearer.of(place.partition().name(), position, surelyNew, name);
    }
}
