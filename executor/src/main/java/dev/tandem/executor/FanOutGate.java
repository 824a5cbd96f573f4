package dev.tandem.executor;

import dev.tandem.ordering.Run;
import dev.tandem.task.AttemptHistory;
import dev.tandem.task.FannedOut;
import dev.tandem.task.LogText;
import dev.tandem.task.Outcome;
import dev.tandem.task.RetriedByOperator;
import dev.tandem.task.Task;
import dev.tandem.task.WaitReason;
import dev.tandem.task.fanout.FanOutAnswer;
import dev.tandem.task.fanout.FanOutAnswer.Code;
import dev.tandem.task.fanout.FanOutAnswer.Stop;
import dev.tandem.task.fanout.FanOutRecord;
import dev.tandem.task.fanout.FanOutRequest;
import dev.tandem.task.fanout.FanOutRequest.Abandon;
import dev.tandem.task.fanout.FanOutRequest.End;
import dev.tandem.task.fanout.FanOutRequest.Tell;
import dev.tandem.task.fanout.Subtask;
import dev.tandem.task.store.FanOutIds;
import dev.tandem.task.store.TaskIdentity;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Tells fan-outs how their subtasks end, before the outcomes are recorded: if the process dies in between, the subtask runs again,
 * and its bit is set already. Keeps subtasks of stopped fan-outs and copies of final tasks from running. Thread-safe.
 */
final class FanOutGate implements Gate {

    private static final Outcome UNANSWERED =
            Outcome.Snoozed.waitingFor(new WaitReason.Other("an answer of Redis about its fan-out"), 5_000);

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
            answered.put(run, Outcome.Cancelled.WITH_FAN_OUT);
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

    /** Returns whether a run of the task may be known. One that died without a run has no attempts, but may be retried. */
    private static boolean hasBegun(Task task) {
        return AttemptHistory.text(task) != null || RetriedByOperator.isMarked(task);
    }

    private @Nullable Outcome outcome(Run run, @Nullable Subtask subtask, @Nullable FanOutAnswer answer) {
        if (answer == null) {
            return UNANSWERED;
        } else if (answer.code() == Code.DUPLICATE) {
            return new Outcome.Duplicate(answer.other().isEmpty() ? spec.idOf(run) : answer.other());
        }
        // An operator who has a dead subtask retried wants it to run. A server of an earlier version does not mark it.
        Task task = run.task();
        boolean isRetried = RetriedByOperator.isMarked(task) || answer.code() == Code.HAS_FAILED && hasBegun(task);
        return subtask != null && answer.stop() != Stop.NO && !isRetried ? Outcome.Cancelled.WITH_FAN_OUT : null;
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
    public boolean awaitsEnd(Run run) {
        return fanOuts.hasGivenUp(run) || run.task().headers().containsKey(FannedOut.HEADER);
    }

    @Override
    public void ended(Run run, Outcome outcome, Runnable then) {
        List<Abandon> givenUp = new ArrayList<>(fanOuts.takeGivenUp(run));
        FanOuts.Nested nested = fanOuts.takeNested(run);
        End end = end(outcome);
        if (end == null) {
            then.run();
            return;
        }
        Subtask subtask = Subtask.of(run.task());
        Tell told = subtask == null ? null : new Tell(subtask.fanOut(), subtask.number(), end, error(run, outcome));
        // A subtask that fanned out ends with its own fan-out, which waits for the end of this run.
        Runnable next = told == null || nested != null ? then : () -> tell(run, outcome, told, then);
        if (told == null) {
            givenUp.addAll(begunBefore(run, outcome, end));
        } else if (nested instanceof FanOuts.Nested.Own own && givenUp.isEmpty()) {
            givenUp.add(new Abandon(own.id(), run.token(), end, why(outcome)));
        }
        giveUp(givenUp.iterator(), told, isCancelled(outcome), next);
    }

    /** Returns the fan-outs that earlier runs of a master began. Their streams have ended, or will not go on. */
    private static List<Abandon> begunBefore(Run run, Outcome outcome, End end) {
        String fannedOut = run.task().headers().get(FannedOut.HEADER);
        return fannedOut == null
                ? List.of()
                : FannedOut.ids(fannedOut).stream()
                        .map(id -> new Abandon(id, run.token(), end, why(outcome)))
                        .toList();
    }

    private static String why(Outcome outcome) {
        String why = AttemptFanOuts.why(outcome);
        return LogText.oneLine(why == null ? "its master ended" : why, FanOutRecord.MAX_ERROR);
    }

    private void tell(Run run, Outcome outcome, Tell told, Runnable then) {
        fanOuts.tell(told, answer -> {
            String inner = FanOutIds.of(run.partition(), run.position(), run.task(), "");
            if (answer == null
                    || answer.code() != Code.NESTED
                    || !answer.other().equals(inner)) {
                then.run(); // If a copy of the subtask has fanned out, its end follows from that.
                return;
            }
            // An earlier run of the subtask began that fan-out, and this one did not go on with it.
            Abandon ended = new Abandon(inner, run.token(), told.end(), why(outcome));
            giveUp(List.of(ended).iterator(), told, isCancelled(outcome), then);
        });
    }

    /**
     * Tells fan-outs one after the other that their master has ended. Whoever dies meanwhile has not recorded the outcome, so the task runs again.
     *
     * @param end what is told to the fan-out around one that is not known any more; null if there is none
     * @param cancels whether all that they have begun is cancelled
     */
    private void giveUp(Iterator<Abandon> streams, @Nullable Tell end, boolean cancels, Runnable then) {
        if (!streams.hasNext()) {
            then.run();
            return;
        }
        Abandon next = streams.next();
        Abandon stream = cancels ? next.cancelling() : next;
        Runnable goOn = () -> giveUp(streams, end, cancels, then);
        fanOuts.tell(stream, answer -> {
            boolean isUnknown = answer != null && answer.code() == Code.UNKNOWN;
            if (isUnknown && end != null) {
                Tell ofInner = new Tell(end.id(), end.number(), end.end(), end.error(), stream.id());
                fanOuts.tell(ofInner, told -> goOn.run());
            } else if (cancels && answer != null && answer.isGivenUp()) {
                fanOuts.cancel(stream.id(), stream.why(), isCancelled -> goOn.run());
            } else {
                goOn.run();
            }
        });
    }

    @Override
    public void close() {
        if (handlers != null && watched.get()) {
            fanOuts.unwatch(handlers.get());
        }
    }

    /** Returns whether somebody cancelled the task. Subtasks of those whose fan-out was only stopped go on. */
    private static boolean isCancelled(Outcome outcome) {
        return outcome instanceof Outcome.Cancelled && !outcome.equals(Outcome.Cancelled.WITH_FAN_OUT);
    }

    /** Returns how a subtask or a master ended; null if it has not. */
    static @Nullable End end(Outcome outcome) {
        if (!outcome.isFinal()) {
            return null;
        } else if (outcome instanceof Outcome.Cancelled) {
            return End.CANCELLED;
        }
        boolean succeeded = outcome instanceof Outcome.Succeeded || outcome instanceof Outcome.Duplicate;
        return succeeded ? End.SUCCEEDED : End.FAILED;
    }

    private @Nullable String error(Run run, Outcome outcome) {
        String error = null;
        if (outcome instanceof Outcome.Dead dead) {
            error = dead.error();
        } else if (outcome instanceof Outcome.Expired expired) {
            error = expired.error() == null ? "expired" : "expired: " + expired.error();
        }
        if (error == null) {
            return null;
        }
        // Nobody knows the payload where the fan-out is shown.
        String masked = spec.parts().log().mask().hide(run.task().payload(), error);
        return LogText.oneLine(masked.lines().findFirst().orElse(""), FanOutRecord.MAX_ERROR);
    }
}
