package dev.tandem.executor;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * How far an attempt has come: it runs, was interrupted, or has ended. Thread-safe.
 *
 * <p>The end of the handler and an interruption can happen at the same time. The first one to leave RUNNING wins. An attempt
 * that has ended is not interrupted any more, so an interrupt never reaches the thread's next run.
 */
final class AttemptState {

    /** The states of an attempt: it runs, is interrupted for a reason, or has ended by itself. */
    enum State {
        RUNNING,
        INTERRUPTING,
        TIMED_OUT,
        STOPPED,
        CANCELLED,
        ENDED
    }

    /** The thread of the handler; null if the attempt is not run by a thread of this process. */
    private final @Nullable Thread thread;

    private final AtomicReference<State> state = new AtomicReference<>(State.RUNNING);

    AttemptState(@Nullable Thread thread) {
        this.thread = thread;
    }

    State get() {
        State now = state.get();
        while (now == State.INTERRUPTING) {
            Thread.onSpinWait();
            now = state.get();
        }
        return now == null ? State.ENDED : now;
    }

    boolean isRunning() {
        return state.get() == State.RUNNING;
    }

    /** @return false if the attempt has ended, or was interrupted before */
    boolean interrupt(State reason) {
        if (!state.compareAndSet(State.RUNNING, State.INTERRUPTING)) {
            return false;
        }
        if (thread != null) {
            thread.interrupt();
        }
        state.set(reason);
        return true;
    }

    /** Ends the attempt. @return false if it was interrupted before */
    boolean end() {
        boolean byItself = state.compareAndSet(State.RUNNING, State.ENDED);
        if (!byItself) {
            get();
        }
        if (thread != null) {
            // Clears our interrupt, or one that the handler left behind.
            Thread.interrupted();
        }
        return byItself;
    }

    StackTraceElement[] stackTrace() {
        return thread == null ? new StackTraceElement[0] : thread.getStackTrace();
    }
}
