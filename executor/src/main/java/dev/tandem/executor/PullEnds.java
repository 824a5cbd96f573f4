package dev.tandem.executor;

import dev.tandem.api.Result;
import dev.tandem.executor.pull.LeaseAnswer;
import dev.tandem.executor.pull.LeaseName;
import dev.tandem.executor.pull.LeaseRequest;
import dev.tandem.ordering.RecordedEnd;
import dev.tandem.ordering.RefusedEnd;
import dev.tandem.ordering.Run;
import dev.tandem.task.Outcome;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.util.RawValue;

/**
 * Ends the attempts of pull workers as those of handlers end, and answers the workers when the store has recorded it. Remembers
 * the latest {@value #MOST_REMEMBERED} ends, so that a worker that has missed its answer can ask again. Thread-safe.
 */
final class PullEnds {

    static final int MOST_REMEMBERED = 20_000;

    /** How long the end of an attempt waits for a checkpoint that its worker did not wait for. */
    private static final long CHECKPOINT_MILLIS = 1_000;

    /** @param kind of the request by which its worker ended it, without what that said: there are many; null if it did not */
    private record Ended(@Nullable Class<?> kind, CompletableFuture<LeaseAnswer> answer) {}

    private final ExecutorClock clock;
    private final TaskRunner runner;

    // Guarded by this.
    private final Map<LeaseName, Ended> ended = newestOf(ignored -> {});
    private final Map<RecordedEnd, CompletableFuture<LeaseAnswer>> awaited =
            newestOf(answer -> answer.complete(LeaseAnswer.unknown("Too many ends of tasks wait for the store")));

    PullEnds(ExecutorClock clock, TaskRunner runner) {
        this.clock = clock;
        this.runner = runner;
    }

    private static <K, V> Map<K, V> newestOf(Consumer<V> forgotten) {
        return new LinkedHashMap<>() {
            @Override
            protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
                if (size() <= MOST_REMEMBERED) {
                    return false;
                }
                forgotten.accept(eldest.getValue());
                return true;
            }
        };
    }

    /** Remembers that a worker ends its task. {@link #end} must follow. @return the answer, once it is known */
    CompletableFuture<LeaseAnswer> begin(LeaseName lease, LeaseRequest.End request) {
        CompletableFuture<LeaseAnswer> answer = new CompletableFuture<>();
        remember(lease, new Ended(request.getClass(), answer));
        return answer;
    }

    /** Ends an attempt as its worker says. @param answer gets the answer, once it is known */
    void end(PulledLease lease, LeaseRequest.End request, CompletableFuture<LeaseAnswer> answer) {
        if (request instanceof LeaseRequest.Finish finish && finish.result() != null) {
            lease.attempt().result(new RawValue(finish.result()));
        }
        conclude(lease, endOf(request), answer);
    }

    private static AttemptEnd endOf(LeaseRequest.End request) {
        if (request instanceof LeaseRequest.Fail fail) {
            return new AttemptEnd.Failed(fail.error(), fail.delayMillis());
        } else if (request instanceof LeaseRequest.Release release) {
            return new AttemptEnd.Returned(Result.snooze(Duration.ofMillis(release.delayMillis())));
        } else if (request instanceof LeaseRequest.Bury bury) {
            return new AttemptEnd.Returned(Result.dead(bury.reason()));
        }
        return request instanceof LeaseRequest.Discard
                ? new AttemptEnd.Discarded()
                : new AttemptEnd.Returned(Result.done());
    }

    /** Ends an attempt that its worker has not ended. @param why it has no lease any more, for the worker */
    void end(PulledLease lease, AttemptEnd end, String why) {
        CompletableFuture<LeaseAnswer> lost = CompletableFuture.completedFuture(LeaseAnswer.lost(why));
        remember(lease.name(), new Ended(null, lost));
        conclude(lease, end, null);
    }

    private void conclude(PulledLease lease, AttemptEnd own, @Nullable CompletableFuture<LeaseAnswer> answer) {
        AttemptEnd counted = lease.attempt().end(own);
        if (answer != null && !counted.equals(own)) {
            answer.complete(LeaseAnswer.lost(String.valueOf(lease.lost())));
        }
        CompletableFuture<?> checkpoint = lease.attempt().records().lastOfCheckpoint();
        if (checkpoint == null || checkpoint.isDone()) {
            decide(lease, counted, answer);
        } else {
            // A thread that waits would be that of a request.
            checkpoint
                    .handle((saved, failure) -> saved)
                    .orTimeout(CHECKPOINT_MILLIS, TimeUnit.MILLISECONDS)
                    .whenComplete((saved, failure) -> decide(lease, counted, answer));
        }
    }

    private void decide(PulledLease lease, AttemptEnd end, @Nullable CompletableFuture<LeaseAnswer> answer) {
        Run run = lease.run();
        if (answer != null && !answer.isDone()) {
            run.reportEnd();
            synchronized (this) {
                awaited.put(new RecordedEnd(run.partition(), run.token()), answer);
            }
        }
        runner.report(run, outcome(lease, end));
    }

    private Outcome outcome(PulledLease lease, AttemptEnd end) {
        Attempt attempt = lease.attempt();
        Run run = lease.run();
        try {
            long nanos = clock.nanos() - lease.startedNanos();
            Outcome outcome = runner.outcome(run, attempt, end, attempt.maxAttempts());
            runner.recordTiming(run, nanos / 1_000_000);
            runner.record(attempt, run.task(), end, outcome, nanos);
            return outcome;
        } catch (Throwable t) {
            return runner.failed(run, t);
        }
    }

    private synchronized void remember(LeaseName lease, Ended end) {
        ended.put(lease, end);
    }

    /** Answers about a lease that has ended, or was never given. */
    synchronized CompletableFuture<LeaseAnswer> known(LeaseName lease, LeaseRequest request) {
        Ended end = ended.get(lease);
        if (end == null) {
            return lost("it has ended some time ago");
        }
        Class<?> kind = end.kind();
        if (kind == null || kind == request.getClass()) {
            return end.answer();
        }
        return lost("its worker has ended it by " + kind.getSimpleName().toLowerCase(Locale.ROOT));
    }

    private static CompletableFuture<LeaseAnswer> lost(String why) {
        return CompletableFuture.completedFuture(LeaseAnswer.lost(why));
    }

    /** Hears that the store has recorded an end. */
    void recorded(RecordedEnd end) {
        answer(end, LeaseAnswer.done());
    }

    /** Hears that the store has refused an end. */
    void refused(RefusedEnd end) {
        answer(
                new RecordedEnd(end.partition(), end.token()),
                LeaseAnswer.lost("its executor was cut off, and another one has the task"));
    }

    private void answer(RecordedEnd end, LeaseAnswer known) {
        CompletableFuture<LeaseAnswer> answer;
        synchronized (this) {
            answer = awaited.remove(end);
        }
        if (answer != null) {
            answer.complete(known);
        }
    }
}
