package dev.tandem.executor;

import dev.tandem.executor.RunBatch.Waiting;
import dev.tandem.ordering.Run;
import dev.tandem.task.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs batches, each in one call on the calling worker's thread, and all other runs by a {@link TaskRunner}. Thread-safe.
 *
 * <p>A worker gets the first run of a batch in the place of all. The outcomes of a batch are reported together, so that the
 * loop sees all of its slots free at once, and the next batch does not begin with the first of them alone. Rows are not gone on
 * with: the core starts a key's next task when it has the outcome.
 */
final class BatchRunner implements WorkerPool.RunAction {

    private static final Logger log = LoggerFactory.getLogger(BatchRunner.class);

    private static final long INTERNAL_ERROR_DELAY_MILLIS = 1_000;

    private final QueueSpec spec;
    private final ExecutorClock clock;
    private final TimeoutWatchdog watchdog;
    private final Quarantine quarantine;
    private final ExecutorMetrics metrics;
    private final ProgressWriter progress;
    private final TaskRunner alone;
    private final Gates gates;
    private final BiConsumer<List<Run>, List<Outcome>> finished;

    /** The batches that workers have not begun, by their first run. */
    private final Map<Run, RunBatch> given = new ConcurrentHashMap<>();

    /**
     * Makes a runner of the batches of one queue.
     *
     * @param alone runs what belongs to no batch, and records attempts and outcomes
     * @param finished receives the runs of a batch and their outcomes, on the worker's thread; those of tasks
     *     that gates have a say about one by one, on any thread
     */
    BatchRunner(
            QueueSpec spec,
            ExecutorContext context,
            TaskRunner alone,
            Gates gates,
            BiConsumer<List<Run>, List<Outcome>> finished) {
        this.spec = spec;
        this.clock = context.clock();
        this.watchdog = context.watchdog();
        this.quarantine = context.quarantine();
        this.metrics = context.metrics();
        this.progress = context.progress();
        this.alone = alone;
        this.gates = gates;
        this.finished = finished;
    }

    /** Takes a batch. @return the run that is to be given to a worker */
    Run add(RunBatch batch) {
        given.put(batch.first(), batch);
        return batch.first();
    }

    @Override
    public void run(Run run, WorkerSlot slot) {
        RunBatch batch = given.remove(run);
        if (batch == null) {
            alone.run(run, slot);
            return;
        }
        List<Run> runs = batch.runs().stream().map(Waiting::run).toList();
        // They may go to their handler, so there is nothing to take but what the gates remember of them.
        runs.forEach(gates::takeOutcome);
        List<Outcome> outcomes;
        try {
            outcomes = outcomes(batch, slot);
        } catch (Throwable t) {
            log.error("Queue {}: a batch of {} failed outside of its handler and will be retried", spec.name(), run, t);
            slot.set(null);
            Outcome again = new Outcome.Retry(INTERNAL_ERROR_DELAY_MILLIS, OutcomeDecider.describe(t));
            outcomes = runs.stream().map(each -> again).toList();
        }
        outcomes.forEach(alone::count);
        report(runs, outcomes);
    }

    /** Reports outcomes together, but for those of which the store is told first. */
    private void report(List<Run> runs, List<Outcome> outcomes) {
        if (runs.stream().noneMatch(this::isTold)) {
            finished.accept(runs, outcomes);
            return;
        }
        List<Run> now = new ArrayList<>(runs.size());
        List<Outcome> theirs = new ArrayList<>(runs.size());
        for (int i = 0; i < runs.size(); i++) {
            Run run = runs.get(i);
            Outcome outcome = outcomes.get(i);
            if (!isTold(run)) {
                now.add(run);
                theirs.add(outcome);
            } else {
                gates.ended(run, outcome, () -> finished.accept(List.of(run), List.of(outcome)));
            }
        }
        finished.accept(now, theirs);
    }

    private boolean isTold(Run run) {
        return gates.concern(run.task()) || gates.awaitEnd(run);
    }

    /** Runs a batch. @return the outcomes in the order of its runs */
    private List<Outcome> outcomes(RunBatch batch, WorkerSlot slot) {
        while (true) {
            List<Attempt> attempts = attempts(batch);
            if (attempts.isEmpty()) {
                return outcomes(batch, attempts, List.of());
            }
            Attempt first = firstToTimeOut(attempts);
            List<BatchMember> members = join(attempts, first);
            long startedNanos = clock.nanos();
            watchdog.watch(slot, first);
            // Who loses a permit from now on is found in the slot, and interrupted.
            boolean begins = quarantine.admits(slot)
                    && attempts.stream().map(Attempt::run).noneMatch(run -> gates.hasLost(run) || run.isCancelled());
            if (begins) {
                attempts.forEach(alone::began);
            }
            List<AttemptEnd> ends = begins
                    ? new BatchCall(batch.handler(), spec.handlers().interceptors(), attempts).run()
                    : List.of(new AttemptEnd.Stopped());
            // Its own end, unless it was interrupted: then all of them were.
            AttemptEnd end = first.end(ends.get(begins ? attempts.indexOf(first) : 0));
            slot.set(null);
            if (begins) {
                boolean interrupted = end instanceof AttemptEnd.TimedOut || end instanceof AttemptEnd.Stopped;
                List<AttemptEnd> counted = new ArrayList<>(attempts.size());
                for (int i = 0; i < attempts.size(); i++) {
                    AttemptEnd own = interrupted ? end : ends.get(i);
                    counted.add(members.get(i).end(own));
                }
                List<Outcome> decided = decide(attempts, counted, clock.nanos() - startedNanos);
                measure(first, attempts.size());
                return outcomes(batch, attempts, decided);
            }
            if (!quarantine.awaitOpen(slot, () -> attempts(batch).isEmpty())) {
                return outcomes(batch, List.of(), List.of());
            }
        }
    }

    /** Returns attempts at the tasks whose claims still hold. */
    private List<Attempt> attempts(RunBatch batch) {
        List<Attempt> attempts = new ArrayList<>(batch.runs().size());
        for (Waiting each : batch.runs()) {
            Run run = each.run();
            if (alone.withoutHandler(run) == null) {
                String type = spec.handlers().typeOf(run.task().type());
                int maxAttempts = spec.maxAttemptsOf(run.task());
                attempts.add(
                        new Attempt(run, spec, type == null ? "" : type, maxAttempts, clock, progress, each.since()));
            }
        }
        return attempts;
    }

    /** Puts attempts into one call. @param first is interrupted for all */
    private static List<BatchMember> join(List<Attempt> attempts, Attempt first) {
        List<BatchMember> members = new ArrayList<>(attempts.size());
        for (Attempt attempt : attempts) {
            BatchMember member = new BatchMember(attempt, first, attempts);
            attempt.join(member);
            members.add(member);
        }
        return members;
    }

    private static Attempt firstToTimeOut(List<Attempt> attempts) {
        Attempt first = attempts.get(0);
        for (Attempt each : attempts) {
            if (each.nextCheckAt() < first.nextCheckAt()) {
                first = each;
            }
        }
        return first;
    }

    private List<Outcome> decide(List<Attempt> attempts, List<AttemptEnd> ends, long nanos) {
        List<Outcome> outcomes = new ArrayList<>(attempts.size());
        for (int i = 0; i < attempts.size(); i++) {
            outcomes.add(decide(attempts.get(i), ends.get(i), nanos));
        }
        return outcomes;
    }

    /** Decides about one task. An error here is this task's alone. */
    private Outcome decide(Attempt attempt, AttemptEnd end, long nanos) {
        Run run = attempt.run();
        try {
            alone.recordTiming(run, nanos / 1_000_000);
            Outcome outcome = alone.outcome(run, attempt, end, attempt.maxAttempts());
            alone.record(attempt, run.task(), end, outcome, nanos);
            return outcome;
        } catch (Throwable t) {
            log.error("Queue {}: {} failed outside of its handler and will be retried", spec.name(), run, t);
            return new Outcome.Retry(INTERNAL_ERROR_DELAY_MILLIS, OutcomeDecider.describe(t));
        }
    }

    private void measure(Attempt first, int size) {
        try {
            metrics.batch(spec.name(), first.type(), size);
        } catch (RuntimeException e) {
            log.warn("Queue {}: failed to record the size of a batch", spec.name(), e);
        }
    }

    /** Adds that all other runs did not start, or that their tasks have expired. */
    private List<Outcome> outcomes(RunBatch batch, List<Attempt> attempts, List<Outcome> decided) {
        List<Outcome> all = new ArrayList<>(batch.runs().size());
        int next = 0;
        for (Waiting each : batch.runs()) {
            boolean ran = next < attempts.size() && attempts.get(next).run() == each.run();
            all.add(ran ? decided.get(next++) : notRun(each.run()));
        }
        return all;
    }

    private Outcome notRun(Run run) {
        return Objects.requireNonNullElse(alone.withoutHandler(run), Outcome.NotStarted.INSTANCE);
    }
}
