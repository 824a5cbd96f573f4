package dev.tandem.executor;

import dev.tandem.ordering.Run;
import dev.tandem.task.AttemptHistory;
import dev.tandem.task.LogText;
import dev.tandem.task.Outcome;
import dev.tandem.task.Task;
import dev.tandem.task.fanout.FanOutAnswer;
import dev.tandem.task.fanout.FanOutAnswer.Code;
import dev.tandem.task.fanout.FanOutAnswer.Stop;
import dev.tandem.task.fanout.FanOutRecord;
import dev.tandem.task.fanout.FanOutRequest;
import dev.tandem.task.fanout.FanOutRequest.End;
import dev.tandem.task.fanout.Subtask;
import dev.tandem.task.store.TaskIdentity;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Tells fan-outs how their subtasks end, before the outcomes are recorded: if the process dies in between, the subtask runs again,
 * and its bit is set already. Keeps subtasks of stopped fan-outs and copies of final tasks from running. Thread-safe.
 */
final class FanOutGate implements Gate {

    private static final Outcome UNANSWERED = Outcome.Snoozed.waitingFor("an answer of Redis about its fan-out", 5_000);

    private final QueueSpec spec;
    private final FanOuts fanOuts;
    private final RunAnswers answered = new RunAnswers();

    /** Null if none is ever to be cancelled. */
    private final @Nullable Supplier<? extends RunningHandlers> handlers;

    private final AtomicBoolean watched = new AtomicBoolean();

    /** @param handlers returns the handlers that run; null if none is ever to be cancelled */
    FanOutGate(QueueSpec spec, FanOuts fanOuts, @Nullable Supplier<? extends RunningHandlers> handlers) {
        this.spec = spec;
        this.fanOuts = fanOuts;
        this.handlers = handlers;
    }

    @Override
    public boolean concerns(Task task) {
        Map<String, String> headers = task.headers();
        return !headers.isEmpty() && (headers.containsKey(Subtask.HEADER) || headers.containsKey(Subtask.FINAL_HEADER));
    }

    // ---- before a run

    @Override
    public boolean mustWait(Run run, Runnable goOn) {
        Task task = run.task();
        if (task.unreadable() != null || answered.has(run)) {
            return false;
        }
        Subtask subtask = Subtask.of(task);
        if (subtask != null && !hasBegun(task) && fanOuts.isStopped(subtask.fanOut())) {
            answered.put(run, Outcome.Cancelled.BEFORE_RUN);
            return false;
        }
        if (subtask != null && handlers != null && watched.compareAndSet(false, true)) {
            fanOuts.watch(handlers.get());
        }
        FanOutRequest request = request(run, subtask);
        if (request == null) {
            return false;
        }
        fanOuts.ask(request, answer -> {
            answered.put(run, outcome(run, subtask, answer));
            goOn.run();
        });
        return true;
    }

    /** Returns what is to be asked about a run; null if it may begin without. */
    private @Nullable FanOutRequest request(Run run, @Nullable Subtask subtask) {
        if (subtask != null) {
            boolean asks = subtask.again() || fanOuts.isStopped(subtask.fanOut());
            return asks ? new FanOutRequest.Ask(subtask.fanOut(), subtask.number()) : null;
        }
        String fanOut = Subtask.finalOf(run.task());
        if (fanOut == null) {
            return null;
        }
        TaskIdentity task = TaskIdentity.of(run.partition().name(), run.position(), false, "");
        return new FanOutRequest.Begin(
                fanOut, task.identity().isEmpty() ? task.place() : task.identity(), spec.idOf(run));
    }

    private static boolean hasBegun(Task task) {
        return AttemptHistory.text(task) != null;
    }

    private @Nullable Outcome outcome(Run run, @Nullable Subtask subtask, @Nullable FanOutAnswer answer) {
        if (answer == null) {
            return UNANSWERED;
        } else if (answer.code() == Code.DUPLICATE) {
            return new Outcome.Duplicate(answer.begunBy().isEmpty() ? spec.idOf(run) : answer.begunBy());
        }
        // An operator who has a dead subtask retried wants it to run.
        boolean isRetried = answer.code() == Code.HAS_FAILED && hasBegun(run.task());
        return subtask != null && answer.stop() != Stop.NO && !isRetried ? Outcome.Cancelled.BEFORE_RUN : null;
    }

    @Override
    public boolean mayRun(Run run) {
        return answered.mayRun(run);
    }

    @Override
    public @Nullable Outcome takeOutcome(Run run) {
        return answered.take(run);
    }

    // ---- after a run

    @Override
    public void ended(Run run, Outcome outcome, Runnable then) {
        boolean isNested = fanOuts.takeNested(run);
        Subtask subtask = Subtask.of(run.task());
        End end = end(outcome);
        // A subtask that fanned out ends with its own fan-out, also if it dies: then that is given up.
        if (subtask == null || end == null || isNested) {
            then.run();
            return;
        }
        String error = error(outcome);
        fanOuts.tell(new FanOutRequest.Tell(subtask.fanOut(), subtask.number(), end, error), answer -> {
            if (answer != null && answer.code() == Code.NESTED) {
                giveUpNested(
                        run, outcome, new FanOutRequest.Tell(subtask.fanOut(), subtask.number(), end, error, true));
            }
            then.run();
        });
    }

    /**
     * Gives the fan-out up that an earlier run of a subtask began, and that this one did not go on with. If nobody hears of it,
     * whoever looks at silent fan-outs finds out.
     *
     * @param end is told if that fan-out is not known any more
     */
    private void giveUpNested(Run run, Outcome outcome, FanOutRequest.Tell end) {
        String why = AttemptFanOuts.why(outcome);
        String id = FanOutIds.of(run, spec.name(), "");
        fanOuts.ask(
                new FanOutRequest.Abandon(
                        id,
                        run.token(),
                        LogText.oneLine(why == null ? "its master ended" : why, FanOutRecord.MAX_ERROR)),
                answer -> {
                    if (answer != null && answer.code() == Code.UNKNOWN) {
                        fanOuts.tell(end, told -> {});
                    }
                });
    }

    @Override
    public void close() {
        if (handlers != null && watched.get()) {
            fanOuts.unwatch(handlers.get());
        }
    }

    /** Returns how a subtask ended; null if it has not. */
    private static @Nullable End end(Outcome outcome) {
        if (!outcome.isFinal()) {
            return null;
        } else if (outcome instanceof Outcome.Cancelled) {
            return End.CANCELLED;
        }
        boolean succeeded = outcome instanceof Outcome.Succeeded || outcome instanceof Outcome.Duplicate;
        return succeeded ? End.SUCCEEDED : End.FAILED;
    }

    private static @Nullable String error(Outcome outcome) {
        String error = null;
        if (outcome instanceof Outcome.Dead dead) {
            error = dead.error();
        } else if (outcome instanceof Outcome.Expired expired) {
            error = expired.error() == null ? "expired" : "expired: " + expired.error();
        }
        return error == null ? null : LogText.oneLine(error.lines().findFirst().orElse(""), FanOutRecord.MAX_ERROR);
    }
}
