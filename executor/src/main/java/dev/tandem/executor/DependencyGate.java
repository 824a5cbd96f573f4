package dev.tandem.executor;

import dev.tandem.ordering.RecordedEnd;
import dev.tandem.ordering.Run;
import dev.tandem.task.BusinessId;
import dev.tandem.task.Outcome;
import dev.tandem.task.Task;
import dev.tandem.task.TaskDependencies;
import dev.tandem.task.TaskHeaders;
import dev.tandem.task.TaskPlace;
import dev.tandem.task.store.DedupBuckets;
import dev.tandem.task.store.DependencyAnswer;
import dev.tandem.task.store.DependencyRequest;
import dev.tandem.task.store.Store;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Lets tasks wait for others. The store is asked about all tasks that one waits for, before each of its runs. While one of them
 * has not ended, the task waits as one that asked to run again later: it holds no slot, and stays the head of its key. The store
 * wakes it when one of them ends; if that is lost, the task looks again by itself. Thread-safe.
 */
final class DependencyGate implements Gate {

    /** The longest time that a run waits for an answer. Then its task is tried again later, and others may run. */
    private static final long ANSWER_MILLIS = 10_000;

    /** The time for which this repeats to the store that a task has ended, or runs later. */
    private static final long REPEATED_MILLIS = 60_000;

    /** Runs and delays longer than this are reported, so that the store remembers met dependencies until they are over. */
    private static final long LONG_MILLIS = 600_000;

    /** The time for which the store remembers what a task without a timeout need not wait for. */
    private static final long LONGEST_RUN_MILLIS = 30L * 24 * 3_600_000;

    /** The number of ended runs whose dependencies are kept here until their ends are recorded. */
    private static final int MAX_ENDED = 10_000;

    /** A task that has ended, and what it waited for. */
    private record Ended(TaskPlace task, List<BusinessId> on) {}

    private final QueueSpec spec;
    private final ExecutorClock clock;
    private final DependencyRules rules;
    private final BucketSender<DependencyRequest, DependencyAnswer> sender;
    private final Dependents waiting;
    /** The decisions about runs that workers have not begun. */
    private final RunAnswers decided = new RunAnswers();
    /** The tasks whose ends are not recorded as far as is known here, by those ends. Guarded by itself. */
    private final Map<RecordedEnd, Ended> ended = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<RecordedEnd, Ended> eldest) {
            return size() > MAX_ENDED;
        }
    };

    DependencyGate(QueueSpec spec, ExecutorClock clock) {
        this(spec, clock, new BucketSender<>(buckets(spec), clock));
    }

    DependencyGate(QueueSpec spec, ExecutorClock clock, BucketSender<DependencyRequest, DependencyAnswer> sender) {
        this.spec = spec;
        this.clock = clock;
        this.rules = new DependencyRules(spec.parts().relations().dependencies());
        this.sender = sender;
        this.waiting = new Dependents(clock);
    }

    /** Returns the tasks that wait for others, for people. */
    Dependents dependents() {
        return waiting;
    }

    /** Returns the buckets of the tasks that others wait for. */
    static BucketSender.Buckets<DependencyRequest, DependencyAnswer> buckets(QueueSpec spec) {
        return new BucketSender.Buckets<>(
                "Queue " + spec.name(),
                "dependencies",
                DedupBuckets.COUNT,
                Store.MAX_DEDUP_REQUESTS,
                request -> DedupBuckets.of(request.on()),
                (bucket, requests) -> spec.store().dependencies().ask(bucket, requests));
    }

    @Override
    public boolean concerns(Task task) {
        return task.headers().containsKey(TaskHeaders.DEPENDS_ON);
    }

    // ---- before a run ----

    @Override
    public boolean mustWait(Run run, Runnable goOn) {
        Task task = run.task();
        TaskDependencies its = task.unreadable() != null || decided.has(run) ? null : TaskDependencies.of(task);
        if (its == null) {
            return false;
        }
        long due = Math.max(task.publishedAt(), task.notBefore());
        long waited = due == 0 ? 0 : Math.max(0, clock.wallMillis() - due);
        @Nullable DependencyAnswer[] answers = new DependencyAnswer[its.on().size()];
        AtomicInteger missing = new AtomicInteger(answers.length);
        for (int i = 0; i < answers.length; i++) {
            int number = i;
            sender.add(
                    new DependencyRequest.Ask(its.on().get(i), run.place(), rules.timeoutOf(its), waited),
                    ANSWER_MILLIS,
                    answer -> {
                        answers[number] = answer;
                        if (missing.decrementAndGet() == 0) {
                            decide(run, its, Arrays.asList(answers), goOn);
                        }
                    });
        }
        sender.send();
        return true;
    }

    /** Decides about a run. Of a task that looks again, the store is asked first whether it waits for itself. */
    private void decide(
            Run run, TaskDependencies its, List<? extends @Nullable DependencyAnswer> answers, Runnable goOn) {
        Outcome outcome = rules.decide(its, answers);
        if (outcome instanceof Outcome.Snoozed snoozed) {
            waiting.waits(run.place(), DependencyRules.longestWait(answers), snoozed.delayMillis());
        } else {
            waiting.waitsNoMore(run.place());
        }
        if (outcome == null) {
            release(run, its, answers, goOn);
            return;
        }
        if (!(outcome instanceof Outcome.Snoozed) || !DependencyRules.looksAgain(answers)) {
            decided.put(run, outcome);
            goOn.run();
            return;
        }
        spec.store().dependencies().findCycle(run.place(), its, spec.idOf(run)).whenComplete((found, failure) -> {
            boolean cycle = failure == null && found.isPresent();
            if (cycle) {
                waiting.waitsNoMore(run.place());
            }
            decided.put(run, cycle ? DependencyRules.cycle(found.get()) : outcome);
            goOn.run();
        });
    }

    /**
     * Lets a run go to its handler. The store hears first of those that have not succeeded: else it would take the task for one
     * that waits, and report cycles that do not exist.
     */
    private void release(
            Run run, TaskDependencies its, List<? extends @Nullable DependencyAnswer> answers, Runnable goOn) {
        List<BusinessId> others = DependencyRules.notSucceeded(its, answers);
        keepKnown(its, run.place(), runMillis(run));
        AtomicInteger missing = new AtomicInteger(Math.max(1, others.size()));
        Runnable noted = () -> {
            if (missing.decrementAndGet() == 0) {
                decided.put(run, null);
                goOn.run();
            }
        };
        if (others.isEmpty()) {
            sender.send();
            noted.run();
            return;
        }
        others.forEach(on ->
                sender.add(new DependencyRequest.Released(on, run.place()), ANSWER_MILLIS, answer -> noted.run()));
        sender.send();
    }

    @Override
    public boolean mayRun(Run run) {
        return decided.mayRun(run);
    }

    @Override
    public @Nullable Outcome takeOutcome(Run run) {
        return decided.take(run);
    }

    // ---- after a run ----

    @Override
    public void ended(Run run, Outcome outcome, Runnable then) {
        TaskDependencies its = TaskDependencies.of(run.task());
        if (its != null && outcome.isFinal()) {
            synchronized (ended) {
                ended.put(new RecordedEnd(run.partition(), run.token()), new Ended(run.place(), its.on()));
            }
        } else if (its != null) {
            keepKnown(its, run.place(), outcome.delayMillis());
            sender.send();
        }
        then.run();
    }

    /** Tells the store that a task waits for nothing any more. Not before: its end may be refused, and then the task runs again. */
    @Override
    public void recorded(RecordedEnd end) {
        Ended its;
        synchronized (ended) {
            its = ended.remove(end);
        }
        if (its != null) {
            its.on()
                    .forEach(on ->
                            sender.offer(new DependencyRequest.Over(on, its.task()), REPEATED_MILLIS, answer -> {}));
            sender.send();
        }
    }

    /** Has the store remember what a task need not wait for, if it may ask again much later. */
    private void keepKnown(TaskDependencies its, TaskPlace waiter, long millis) {
        if (millis > LONG_MILLIS) {
            its.on()
                    .forEach(on -> sender.offer(
                            new DependencyRequest.Later(on, waiter, millis), REPEATED_MILLIS, answer -> {}));
        }
    }

    /** Returns how long a run may take. */
    private long runMillis(Run run) {
        long timeout = spec.timeoutMillisOf(run.task());
        return timeout <= 0 ? LONGEST_RUN_MILLIS : Math.min(timeout, LONGEST_RUN_MILLIS);
    }
}
