package dev.tandem.executor;

import dev.tandem.ordering.Run;
import dev.tandem.task.Task;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One run on its worker's thread: what the handler sees of it, and what may interrupt it.
 *
 * <p>The handler's end and an interruption race. Whoever moves {@code state} away from RUNNING first wins; the loser
 * of an ended attempt interrupts nothing, so that no interrupt ever reaches the thread's next run.
 */
final class Attempt implements TaskContext {

    /** Never: the attempt has no timeout, or nothing more is to be done about it. */
    static final long NEVER = Long.MAX_VALUE;

    private static final long LONGEST_MILLIS = RetryPolicy.MAX_DELAY_MILLIS;

    private enum State {
        RUNNING,
        INTERRUPTING,
        TIMED_OUT,
        STOPPED,
        ENDED
    }

    private final Run run;
    private final QueueSpec spec;
    private final Time time;
    private final String type;
    private final int maxAttempts;
    private final long timeoutMillis;
    private final long startedMillis;
    private final Thread thread = Thread.currentThread();
    private final AtomicReference<State> state = new AtomicReference<>(State.RUNNING);
    private volatile long attendAt;

    /** Begins now, on the calling thread. */
    Attempt(Run run, QueueSpec spec, String type, int maxAttempts, Time time) {
        this.run = run;
        this.spec = spec;
        this.time = time;
        this.type = type;
        this.maxAttempts = maxAttempts;
        Task task = run.task();
        // A foreign header may name a timeout that no sum can hold.
        this.timeoutMillis =
                Math.min(task.timeoutMillis() > 0 ? task.timeoutMillis() : spec.timeoutMillis(), LONGEST_MILLIS);
        this.startedMillis = time.millis();
        this.attendAt = timeoutMillis > 0 ? startedMillis + timeoutMillis : NEVER;
    }

    /** The monotonic millisecond at which {@link #attend} is due; {@link #NEVER} if it is not. */
    long attendAt() {
        return attendAt;
    }

    /**
     * Interrupts the handler at its timeout.
     *
     * @param stuckAfterMillis when to be called again if the handler has not ended by then
     * @return true if it is being called again: the handler ignores its interrupt
     */
    boolean attend(long now, long stuckAfterMillis) {
        if (interrupt(State.TIMED_OUT)) {
            attendAt = now + stuckAfterMillis;
            return false;
        }
        attendAt = NEVER;
        return state.get() == State.TIMED_OUT;
    }

    /** Interrupts the handler because the process ends. */
    void stop() {
        if (interrupt(State.STOPPED)) {
            attendAt = NEVER;
        }
    }

    private boolean interrupt(State because) {
        if (!state.compareAndSet(State.RUNNING, State.INTERRUPTING)) {
            return false;
        }
        thread.interrupt();
        state.set(because);
        return true;
    }

    /** The handler is done, on its own thread: from here on nothing interrupts it. What it did counts unless it was. */
    Ending end(Ending ending) {
        Ending counted = ending;
        if (!state.compareAndSet(State.RUNNING, State.ENDED)) {
            while (state.get() == State.INTERRUPTING) {
                Thread.onSpinWait();
            }
            counted = state.get() == State.TIMED_OUT ? new Ending.TimedOut(timeoutMillis) : new Ending.Stopped();
        }
        // Ours, or one that the handler left behind.
        Thread.interrupted();
        return counted;
    }

    /** Where the handler is now, for the log. */
    StackTraceElement[] whereabouts() {
        return thread.getStackTrace();
    }

    @Override
    public String id() {
        return spec.idOf(run);
    }

    @Override
    public String queue() {
        return spec.name();
    }

    @Override
    public String type() {
        return type;
    }

    @Override
    public @Nullable String key() {
        return run.task().key();
    }

    @Override
    public byte[] payload() {
        return run.task().payload();
    }

    @Override
    public <T> T payload(Class<T> asType) {
        return spec.payloads().read(payload(), asType);
    }

    @Override
    public Map<String, String> headers() {
        return run.task().headers();
    }

    @Override
    public int attempt() {
        return run.attempt();
    }

    @Override
    public int maxAttempts() {
        return maxAttempts;
    }

    @Override
    public long token() {
        return run.token();
    }

    @Override
    public Optional<Instant> deadline() {
        if (timeoutMillis <= 0) {
            return Optional.empty();
        }
        long left = timeoutMillis - (time.millis() - startedMillis);
        return Optional.of(Instant.ofEpochMilli(time.wallMillis()).plusMillis(left));
    }

    @Override
    public boolean isCancelled() {
        return state.get() != State.RUNNING || time.millis() > run.leaseUntil();
    }

    @Override
    public Duration leaseRemaining() {
        return Duration.ofMillis(run.leaseUntil() - time.millis());
    }

    /** Names the run without its payload. */
    @Override
    public String toString() {
        return type + " " + id() + " (" + run + ")";
    }
}
