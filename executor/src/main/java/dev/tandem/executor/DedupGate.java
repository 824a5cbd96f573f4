package dev.tandem.executor;

import dev.tandem.ordering.Arrival;
import dev.tandem.ordering.Run;
import dev.tandem.task.Outcome;
import dev.tandem.task.Task;
import dev.tandem.task.TaskPlace;
import dev.tandem.task.WaitReason;
import dev.tandem.task.store.DedupAnswer;
import dev.tandem.task.store.DedupBuckets;
import dev.tandem.task.store.DedupPolicy;
import dev.tandem.task.store.DedupPolicy.Mode;
import dev.tandem.task.store.DedupRequest;
import dev.tandem.task.store.DedupRequest.Ending;
import dev.tandem.task.store.Store;
import dev.tandem.task.store.TaskIdentity;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Keeps duplicates from running. The store is asked about a task with a deduplication key when it arrives, in the order of
 * arrival, and again before it runs, unless the first answer is known here and young. If the run then waits at the gates behind
 * this one for so long that it might count as lost while its handler runs, the store is asked once more. It is told of the end
 * before the outcome is recorded: if the process dies in between, the task runs again, and is answered that it has succeeded.
 * Thread-safe.
 */
final class DedupGate implements Gate {

    /** The longest time that a run waits for an answer. Then its task is tried again later, and others may run. */
    private static final long ANSWER_MILLIS = 10_000;

    private static final WaitReason WAITS_FOR = new WaitReason.Other("another task with its deduplication key");

    private static final DedupAnswer UNANSWERED = new DedupAnswer.Wait(5_000);

    /** The time for which this repeats to the store that a task has ended whose outcome is recorded already. */
    private static final long REPEATED_MILLIS = 600_000;

    /**
     * The time for which a question about a task that has come is repeated. Its partition may have another owner by then, who has asked too: a
     * late request would give the key to a task that has ended.
     */
    private static final long ARRIVAL_MILLIS = 10_000;

    /** The greatest age of an answer to a question of the arrival by which a task may run. */
    private static final long YOUNG_MILLIS = 30_000;

    /** The time that is left between the end of the longest run and when its task counts as lost, to tell the end. */
    private static final long SPARE_MILLIS = 30_000;

    private static final int MAX_KNOWN = 20_000;

    /** An answer, and when it was asked for. */
    private record Known(DedupAnswer answer, long askedAt) {}

    /** What becomes of a run by the answer to a question. @param outcome null if the run goes to its handler */
    private record Decided(@Nullable Outcome outcome, long askedAt) {}

    private final QueueSpec spec;
    private final ExecutorClock clock;
    private final BucketSender<DedupRequest, DedupAnswer> sender;
    /** The answers about tasks that have not begun. Guarded by itself. */
    private final Map<TaskPlace, Known> known = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<TaskPlace, Known> eldest) {
            return size() > MAX_KNOWN;
        }
    };

    /** The decisions about runs that workers have not begun. */
    private final Map<Run, Decided> decided = new ConcurrentHashMap<>();

    DedupGate(QueueSpec spec, ExecutorClock clock) {
        this(spec, clock, new BucketSender<>(buckets(spec), clock));
    }

    DedupGate(QueueSpec spec, ExecutorClock clock, BucketSender<DedupRequest, DedupAnswer> sender) {
        this.spec = spec;
        this.clock = clock;
        this.sender = sender;
    }

    /** Returns the buckets of a queue's deduplication keys. */
    static BucketSender.Buckets<DedupRequest, DedupAnswer> buckets(QueueSpec spec) {
        String queue = spec.name();
        return new BucketSender.Buckets<>(
                "Queue " + queue,
                "deduplication keys",
                DedupBuckets.COUNT,
                Store.MAX_DEDUP_REQUESTS,
                request -> DedupBuckets.of(queue, request.key()),
                (bucket, requests) -> spec.store().dedup(queue, bucket, requests));
    }

    @Override
    public boolean concerns(Task task) {
        return task.dedupKey() != null;
    }

    // ---- arrival ----

    @Override
    public void arrived(Arrival arrival) {
        Task task = arrival.task();
        String key = task.dedupKey();
        if (key == null || task.unreadable() != null) {
            return;
        }
        TaskPlace place = new TaskPlace(arrival.partition(), arrival.position());
        long delay = Math.max(0, task.notBefore() - clock.wallMillis());
        TaskIdentity bearer = bearer(place, task, arrival.surelyNew());
        DedupPolicy policy = policy(task);
        long now = clock.millis();
        sender.offer(
                new DedupRequest.Ask(key, bearer, false, delay, policy),
                ARRIVAL_MILLIS,
                answer -> note(place, answer, policy.mode(), now));
    }

    /** Returns the policy of a task. Whatever the settings say, no task counts as lost while it runs. */
    private DedupPolicy policy(Task task) {
        DedupPolicy policy = TaskDedupPolicy.of(task, spec.parts().relations().dedup());
        return policy.lostAfterAtLeast(spec.timeoutMillisOf(task) + YOUNG_MILLIS + SPARE_MILLIS);
    }

    private void note(TaskPlace place, @Nullable DedupAnswer answer, Mode mode, long askedAt) {
        boolean isFinal = answer instanceof DedupAnswer.Duplicate || answer instanceof DedupAnswer.Done;
        if (isFinal || answer instanceof DedupAnswer.Go && mode == Mode.FIRST) {
            synchronized (known) {
                known.put(place, new Known(answer, askedAt));
            }
        }
    }

    @Override
    public void flush() {
        sender.send();
    }

    // ---- before a run ----

    @Override
    public boolean mustWait(Run run, Runnable goOn) {
        Task task = run.task();
        String key = task.dedupKey();
        if (key == null || task.unreadable() != null) {
            return false;
        }
        Decided before = decided.computeIfAbsent(run, this::decideByArrival);
        if (before != null && !mayBeLost(run, before)) {
            return false;
        }
        long now = clock.millis();
        sender.add(new DedupRequest.Ask(key, bearer(run), true, 0, policy(task)), ANSWER_MILLIS, answer -> {
            decided.put(run, new Decided(outcome(run, answer == null ? UNANSWERED : answer), now));
            goOn.run();
        });
        sender.send();
        return true;
    }

    /**
     * Returns whether a task might count as lost before its run has ended, because the run has waited at other gates since the
     * store was asked.
     */
    private boolean mayBeLost(Run run, Decided its) {
        long least = spec.timeoutMillisOf(run.task()) + SPARE_MILLIS;
        return its.outcome() == null
                && clock.millis() - its.askedAt() > policy(run.task()).lostAfterMillis() - least;
    }

    private @Nullable Decided decideByArrival(Run run) {
        Known its = takeKnown(run.place());
        return its == null ? null : new Decided(outcome(run, its.answer()), its.askedAt());
    }

    private @Nullable Known takeKnown(TaskPlace place) {
        Known found;
        synchronized (known) {
            found = known.remove(place);
        }
        boolean isOld = found != null
                && found.answer() instanceof DedupAnswer.Go
                && clock.millis() - found.askedAt() > YOUNG_MILLIS;
        return isOld ? null : found;
    }

    @Override
    public boolean mayRun(Run run) {
        Decided its = decided.get(run);
        return its == null || its.outcome() == null;
    }

    @Override
    public @Nullable Outcome takeOutcome(Run run) {
        Decided its = decided.remove(run);
        return its == null ? null : its.outcome();
    }

    /** Returns the outcome of a task that does not run; null if it does. */
    private @Nullable Outcome outcome(Run run, DedupAnswer answer) {
        if (answer instanceof DedupAnswer.Duplicate duplicate) {
            return new Outcome.Duplicate(duplicate.of());
        } else if (answer instanceof DedupAnswer.Done) {
            return new Outcome.Duplicate(spec.idOf(run));
        }
        return answer instanceof DedupAnswer.Wait wait ? Outcome.Snoozed.waitingFor(WAITS_FOR, wait.millis()) : null;
    }

    // ---- after a run ----

    @Override
    public void ended(Run run, Outcome outcome, Runnable then) {
        String key = run.task().dedupKey();
        Ending ending = ending(outcome);
        if (key == null) {
            then.run();
        } else if (ending != null) {
            DedupRequest told = new DedupRequest.Tell(
                    key, bearer(run), ending, 0, policy(run.task()).keptMillis());
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
        if (!outcome.isFinal() || outcome instanceof Outcome.Duplicate) {
            return null;
        }
        return outcome instanceof Outcome.Succeeded ? Ending.SUCCEEDED : Ending.FAILED;
    }

    /** Says that a task waits for so long that it might count as lost. */
    private void runsLater(Run run, String key, Outcome outcome) {
        long delay = outcome.delayMillis();
        if (delay > spec.parts().relations().dedup().lostAfterMillis() / 4) {
            sender.offer(new DedupRequest.Tell(key, bearer(run), Ending.LATER, delay), REPEATED_MILLIS, answer -> {});
            sender.send();
        }
    }

    // ---- names ----

    private TaskIdentity bearer(Run run) {
        return bearer(run.place(), run.task(), false).inRun(run.token());
    }

    private TaskIdentity bearer(TaskPlace place, Task task, boolean surelyNew) {
        return TaskIdentity.of(place.partition().name(), place.position(), surelyNew, TaskIds.idOf(spec, task, place));
    }
}
