package dev.tandem.executor;

import dev.tandem.api.FanOut;
import dev.tandem.api.FanOutRef;
import dev.tandem.api.FanOutResult;
import dev.tandem.api.Result;
import dev.tandem.api.RetryPolicy;
import dev.tandem.api.TaskContext;
import dev.tandem.api.TaskRequest;
import dev.tandem.ordering.Run;
import dev.tandem.task.LogText;
import dev.tandem.task.Outcome;
import dev.tandem.task.PlatformHeaders;
import dev.tandem.task.fanout.Subtask;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * One attempt on its worker's thread: what the handler sees of it, and how it is interrupted. Thread-safe.
 *
 * <p>The end of the handler and an interruption can happen at the same time. The first one to change {@code state} from
 * RUNNING wins. An attempt that has ended is not interrupted any more, so an interrupt never reaches the thread's next
 * run.
 */
final class Attempt implements TaskContext {

    private static final int MAX_SHOWN = 300;

    /** The check time of an attempt that needs no check. */
    static final long NEVER = Long.MAX_VALUE;

    private static final long MAX_TIMEOUT_MILLIS = RetryPolicy.MAX_DELAY_MILLIS;

    private enum State {
        RUNNING,
        INTERRUPTING,
        TIMED_OUT,
        STOPPED,
        CANCELLED,
        ENDED
    }

    private final Run run;
    private final QueueSpec spec;
    private final ExecutorClock clock;
    private final String type;
    private final int maxAttempts;
    private final long timeoutMillis;
    private final long startedMillis;
    private final Thread thread = Thread.currentThread();
    /** The attempt that is interrupted for all of its call; this one, unless the call is a batch's. */
    private Attempt call = this;
    /** Its place in a call with others; null if it is alone. */
    private @Nullable BatchMember member;

    private final AtomicReference<State> state = new AtomicReference<>(State.RUNNING);
    private final AttemptRecords records;
    private volatile long nextCheckAt;
    private volatile long endedNanos;
    private volatile @Nullable Duration snooze;
    private volatile @Nullable Object result;

    /** Begins on the calling thread. @param startedMillis from when on its timeout counts, by the monotonic clock */
    Attempt(
            Run run,
            QueueSpec spec,
            String type,
            int maxAttempts,
            ExecutorClock clock,
            ProgressWriter writer,
            long startedMillis) {
        this.records = new AttemptRecords(run, spec, clock, writer);
        this.run = run;
        this.spec = spec;
        this.clock = clock;
        this.type = type;
        this.maxAttempts = maxAttempts;
        // A longer timeout would overflow below.
        this.timeoutMillis = Math.min(spec.timeoutMillisOf(run.task()), MAX_TIMEOUT_MILLIS);
        this.startedMillis = startedMillis;
        this.nextCheckAt = timeoutMillis > 0 ? startedMillis + timeoutMillis : NEVER;
    }

    /** Puts the attempt into one call with others. To be called before the handler is. */
    void join(BatchMember place) {
        member = place;
        call = place.first();
    }

    @Nullable
    BatchMember member() {
        return member;
    }

    Run run() {
        return run;
    }

    /** Returns when {@link #checkTimeout} is due, in monotonic milliseconds; {@link #NEVER} if it is not. */
    long nextCheckAt() {
        return nextCheckAt;
    }

    /**
     * Interrupts the handler at its timeout. To be called when {@link #nextCheckAt} is reached, and again when the new
     * time is reached.
     *
     * @param stuckAfterMillis how long after the interrupt a running handler counts as stuck
     * @return whether the handler has ignored its interrupt for that long; true only once
     */
    boolean checkTimeout(long nowMillis, long stuckAfterMillis) {
        if (interrupt(State.TIMED_OUT)) {
            nextCheckAt = nowMillis + stuckAfterMillis;
            return false;
        }
        nextCheckAt = NEVER;
        return state.get() == State.TIMED_OUT;
    }

    /** Interrupts the handler because the process ends. */
    void stop() {
        if (interrupt(State.STOPPED)) {
            nextCheckAt = NEVER;
        }
    }

    /** Cancels the task, and interrupts its handler unless that has other tasks. @return false if it has ended before */
    boolean cancel() {
        return member == null ? cancelCall() : member.cancel();
    }

    /** Interrupts its call, of which it is the first attempt. */
    boolean cancelCall() {
        return interrupt(State.CANCELLED);
    }

    boolean isRunning() {
        return state.get() == State.RUNNING;
    }

    private boolean interrupt(State reason) {
        if (!state.compareAndSet(State.RUNNING, State.INTERRUPTING)) {
            return false;
        }
        thread.interrupt();
        state.set(reason);
        return true;
    }

    /**
     * Ends the attempt, on the handler's thread. Nothing interrupts the thread after this.
     *
     * @return the handler's own end, or the interruption if that came first
     */
    AttemptEnd end(AttemptEnd handlerEnd) {
        AttemptEnd counted = handlerEnd;
        if (!state.compareAndSet(State.RUNNING, State.ENDED)) {
            while (state.get() == State.INTERRUPTING) {
                Thread.onSpinWait();
            }
            counted = interrupted(handlerEnd);
        }
        // Clears our interrupt, or one that the handler left behind.
        Thread.interrupted();
        endedNanos = System.nanoTime();
        return counted;
    }

    /** Returns the end that counts. Only a cancelled handler that has done its work all the same has succeeded. */
    private AttemptEnd interrupted(AttemptEnd handlerEnd) {
        return switch (state.get()) {
            case TIMED_OUT -> new AttemptEnd.TimedOut(timeoutMillis);
            case CANCELLED -> cancelled(handlerEnd);
            default -> new AttemptEnd.Stopped();
        };
    }

    /** Returns the end of a cancelled attempt: its own if its work is done. */
    AttemptEnd cancelled(AttemptEnd end) {
        boolean done = end instanceof AttemptEnd.Returned own && withSnooze(own.result()) instanceof Result.Done;
        return done ? end : new AttemptEnd.Cancelled();
    }

    /** Returns the result of a handler: what it returned, unless it succeeded and had asked to run again. */
    Result withSnooze(Result result) {
        Duration delay = snooze;
        return result instanceof Result.Done && delay != null ? Result.snooze(delay) : result;
    }

    /** Returns whether the next run must find the task in its place. */
    boolean needsPlace() {
        return records.needPlace();
    }

    /** Ends what the handler kept, after {@link #end}. */
    void endRecords(Outcome outcome) {
        records.end(outcome, call.endedNanos);
    }

    /** Returns the current stack of the handler's thread, for the log. */
    StackTraceElement[] stackTrace() {
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
    public @Nullable String dedupKey() {
        return run.task().dedupKey();
    }

    @Override
    public String position() {
        return run.partition().name() + "/" + run.position();
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
        return PlatformHeaders.without(run.task().headers());
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
    public int batchSize() {
        return member == null ? 1 : member.all().size();
    }

    @Override
    public Optional<Instant> deadline() {
        return call == this ? ownDeadline() : call.ownDeadline();
    }

    private Optional<Instant> ownDeadline() {
        if (timeoutMillis <= 0) {
            return Optional.empty();
        }
        long left = timeoutMillis - (clock.millis() - startedMillis);
        return Optional.of(Instant.ofEpochMilli(clock.wallMillis()).plusMillis(left));
    }

    @Override
    public boolean isFinal(Throwable failure) {
        OutcomeDecider decider = spec.deciderOf(run.task());
        return decider.isFatal(failure) || isLastAttempt() && !decider.snoozes(failure);
    }

    @Override
    public Optional<Duration> waited() {
        long millis = waitMillis();
        return millis < 0 ? Optional.empty() : Optional.of(Duration.ofMillis(millis));
    }

    /** Returns how long its task waited for its first start; -1 if unknown. */
    long waitMillis() {
        return FirstStarts.waitMillis(run, clock.wallMillis() - (clock.millis() - startedMillis));
    }

    @Override
    public boolean isCancelled() {
        return !call.isRunning() || member != null && member.isCancelled() || clock.millis() > run.leaseUntil();
    }

    @Override
    public Duration leaseRemaining() {
        return Duration.ofMillis(run.leaseUntil() - clock.millis());
    }

    @Override
    public void checkpoint(Object value) {
        AttemptCheckpoint.await(checkpointAsync(value));
    }

    @Override
    public CompletableFuture<Void> checkpointAsync(Object value) {
        return records.checkpoint().save(spec.payloads().writeCheckpoint(value)).copy();
    }

    @Override
    public <T> Optional<T> checkpoint(Class<T> asType) {
        byte[] saved = AttemptCheckpoint.await(records.checkpoint().read());
        return saved == null
                ? Optional.empty()
                : Optional.ofNullable(spec.payloads().readCheckpoint(saved, asType));
    }

    @Override
    public void result(Object value) {
        result = value;
    }

    /** Returns what the handler gave as the result of its task; null if nothing. */
    @Nullable
    Object result() {
        return result;
    }

    @Override
    public void progress(long done, long total, String text) {
        records.notes().progress(done, total, text);
    }

    @Override
    public void log(String line) {
        records.notes().log(line);
    }

    @Override
    public FanOutRef fanOut(Stream<? extends TaskRequest<?>> subtasks, FanOut plan) throws InterruptedException {
        return records.fanOuts().fanOut(subtasks, plan);
    }

    @Override
    public Optional<FanOutResult> fanOutResult() {
        String result = run.task().headers().get(Subtask.RESULT_HEADER);
        return result == null
                ? Optional.empty()
                : Optional.of(JsonMapper.shared().readValue(result, FanOutResult.class));
    }

    @Override
    public void snooze(Duration delay) {
        Result.snooze(delay);
        snooze = delay;
    }

    /** Names the attempt without its key and payload. */
    @Override
    public String toString() {
        return LogText.oneLine(type + " " + id(), MAX_SHOWN) + " (" + run + ")";
    }
}
