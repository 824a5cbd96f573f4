package dev.tandem.executor;

import dev.tandem.api.FanOut;
import dev.tandem.api.FanOutRef;
import dev.tandem.api.FanOutResult;
import dev.tandem.api.Result;
import dev.tandem.api.RetryPolicy;
import dev.tandem.api.TaskContext;
import dev.tandem.api.TaskRequest;
import dev.tandem.executor.AttemptState.State;
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
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * One attempt, on its worker's thread or by a pull worker: what the handler sees of it, and how it is interrupted. Thread-safe.
 */
final class Attempt implements TaskContext {

    private static final int MAX_SHOWN = 300;

    /** The check time of an attempt that needs no check. */
    static final long NEVER = Long.MAX_VALUE;

    private static final long MAX_TIMEOUT_MILLIS = RetryPolicy.MAX_DELAY_MILLIS;

    private final Run run;
    private final QueueSpec spec;
    private final ExecutorClock clock;
    private final String type;
    private final int maxAttempts;
    private final long timeoutMillis;
    private final long startedMillis;
    private final long waitMillis;
    /** The attempt that is interrupted for all of its call; this one, unless the call is a batch's. */
    private Attempt call = this;
    /** Its place in a call with others; null if it is alone. */
    private @Nullable BatchMember member;

    private final AttemptState state;
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
        this(run, spec, type, maxAttempts, clock, writer, startedMillis, new AttemptState(Thread.currentThread()));
    }

    private Attempt(
            Run run,
            QueueSpec spec,
            String type,
            int maxAttempts,
            ExecutorClock clock,
            ProgressWriter writer,
            long startedMillis,
            AttemptState state) {
        this.state = state;
        this.records = new AttemptRecords(run, spec, clock, writer);
        this.run = run;
        this.spec = spec;
        this.clock = clock;
        this.type = type;
        this.maxAttempts = maxAttempts;
        // A longer timeout would overflow below.
        this.timeoutMillis = Math.min(spec.timeoutMillisOf(run.task()), MAX_TIMEOUT_MILLIS);
        this.startedMillis = startedMillis;
        this.waitMillis = FirstStarts.waitMillis(run, clock.wallMillis() - (clock.millis() - startedMillis));
        this.nextCheckAt = timeoutMillis > 0 ? startedMillis + timeoutMillis : NEVER;
    }

    /** Begins for a pull worker, on no thread. */
    static Attempt ofPullWorker(Run run, QueueSpec spec, ExecutorClock clock, ProgressWriter writer) {
        String type = spec.handlers().typeOf(run.task().type());
        int maxAttempts = spec.maxAttemptsOf(run.task());
        AttemptState state = new AttemptState(null);
        return new Attempt(run, spec, type == null ? "" : type, maxAttempts, clock, writer, clock.millis(), state);
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

    /** Returns when it began, in monotonic milliseconds. */
    long startedMillis() {
        return startedMillis;
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
        if (state.interrupt(State.TIMED_OUT)) {
            nextCheckAt = nowMillis + stuckAfterMillis;
            return false;
        }
        nextCheckAt = NEVER;
        return state.get() == State.TIMED_OUT;
    }

    /** Interrupts the handler because the process ends. */
    void stop() {
        if (state.interrupt(State.STOPPED)) {
            nextCheckAt = NEVER;
        }
    }

    /** Cancels the task, and interrupts its handler unless that has other tasks. @return false if it has ended before */
    boolean cancel() {
        return member == null ? cancelCall() : member.cancel();
    }

    /** Interrupts its call, of which it is the first attempt. */
    boolean cancelCall() {
        return state.interrupt(State.CANCELLED);
    }

    boolean isRunning() {
        return state.isRunning();
    }

    /** Returns what has interrupted it, or that it runs or has ended. */
    State state() {
        return state.get();
    }

    /**
     * Ends the attempt, on the handler's thread. Nothing interrupts the thread after this.
     *
     * @return the handler's own end, or the interruption if that came first
     */
    AttemptEnd end(AttemptEnd handlerEnd) {
        boolean byItself = state.end();
        endedNanos = System.nanoTime();
        return byItself ? ownEnd(handlerEnd) : interrupted(handlerEnd);
    }

    /** Returns how an attempt ended that nothing interrupted: as its handler did, unless its task turned out to be a copy. */
    AttemptEnd ownEnd(AttemptEnd handlerEnd) {
        return records.isOfCopy() ? new AttemptEnd.Duplicate(id()) : handlerEnd;
    }

    /** Ends the attempt because nobody makes it. @return false if it was interrupted before */
    boolean abandon() {
        return state.end();
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
        return state.stackTrace();
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
        return waitMillis < 0 ? Optional.empty() : Optional.of(Duration.ofMillis(waitMillis));
    }

    /** Returns how long its task waited for its first start; -1 if unknown. */
    long waitMillis() {
        return waitMillis;
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

    AttemptRecords records() {
        return records;
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
