package dev.tandem.executor;

import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The place of an attempt in a call that several tasks share. The call is not interrupted for one of them: its handler is told
 * that the task is cancelled, and goes on with the others. Thread-safe.
 */
final class BatchMember {

    private enum State {
        RUNNING,
        CANCELLED,
        ENDED
    }

    private final Attempt attempt;
    private final Attempt first;
    private final List<Attempt> all;
    private final AtomicReference<State> state = new AtomicReference<>(State.RUNNING);

    /**
     * @param attempt the one whose place this is
     * @param first the attempt that is interrupted for all
     * @param all the attempts of the call
     */
    BatchMember(Attempt attempt, Attempt first, List<Attempt> all) {
        this.attempt = attempt;
        this.first = first;
        this.all = all;
    }

    Attempt first() {
        return first;
    }

    List<Attempt> all() {
        return all;
    }

    /** Cancels this task of the call. @return false if it has ended, or was cancelled before */
    boolean cancel() {
        if (!first.isRunning() || !state.compareAndSet(State.RUNNING, State.CANCELLED)) {
            return false;
        }
        if (all.stream().map(Attempt::member).allMatch(each -> each != null && each.isCancelled())) {
            first.cancelCall();
        }
        return true;
    }

    boolean isCancelled() {
        return state.get() == State.CANCELLED;
    }

    /** Ends the attempt. @param own how it ended by itself @return the end that counts */
    AttemptEnd end(AttemptEnd own) {
        return state.compareAndSet(State.RUNNING, State.ENDED) ? attempt.ownEnd(own) : attempt.cancelled(own);
    }
}
