package dev.tandem.executor;

import dev.tandem.executor.QueueStatus.State;
import dev.tandem.task.store.Registration.OperatorPause;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The status that a queue's loop publishes. Written by the loop, read from any thread. */
final class LoopStatus {

    /** A loop waits for a second at most, so one that has not turned for this long hangs. */
    private static final long HANGS_AFTER_MILLIS = 10_000;

    private final String queue;
    private final ExecutorClock clock;
    private final OutcomeCounters counters;
    private final AtomicReference<State> state = new AtomicReference<>(State.NEW);
    private volatile IntSupplier movedKeys = () -> 0;
    private volatile Dependents dependents;
    private volatile @Nullable String failure;
    private volatile PartitionHealth partitions = new PartitionHealth(0, 0, null, null, null);
    private volatile WaitReasons waits = WaitReasons.NONE;
    private volatile long memoryBytes;
    private volatile Withheld withheld = new Withheld(CircuitBreaker.State.CLOSED, 0, "", 0);
    /** Why no task starts, or why it cannot be told whether one may; empty if tasks may start. */
    private volatile String paused = "";

    /** Why this executor is refused; null if it is not. */
    private volatile @Nullable String refused;
    /** Which handlers are missing here, for people; null if none are. */
    private volatile @Nullable String missingHandlers;

    private volatile int running;
    private volatile int waiting;
    private volatile long lastTurnAt;

    /**
     * @param downReason why one of the partitions without a store has none
     * @param refusal why the store refuses one of the partitions; null if it refuses none
     * @param restReason why the process should have no partitions; null if it should
     */
    private record PartitionHealth(
            int held,
            int withoutStore,
            @Nullable String downReason,
            @Nullable String refusal,
            @Nullable String restReason) {}

    /** The reasons why starts are held back. */
    private record Withheld(CircuitBreaker.State breaker, int allowed, String failures, int partitionsWithoutRoom) {

        @Nullable
        String describe(String paused) {
            String slowed = breaker == CircuitBreaker.State.CLOSED
                    ? ""
                    : "starts are slowed down to " + allowed + " a second: " + failures;
            String full = partitionsWithoutRoom == 0
                    ? ""
                    : "Redis has no room for more tasks of " + partitionsWithoutRoom
                            + " of the partitions, so their fresh tasks wait in the broker";
            String all = Stream.of(paused, slowed, full)
                    .filter(reason -> !reason.isEmpty())
                    .collect(Collectors.joining("; "));
            return all.isEmpty() ? null : all;
        }
    }

    LoopStatus(String queue, ExecutorClock clock, OutcomeCounters counters) {
        this.queue = queue;
        this.clock = clock;
        this.counters = counters;
        this.lastTurnAt = clock.millis();
        this.dependents = new Dependents(clock);
    }

    State state() {
        return Objects.requireNonNull(state.get());
    }

    /** Changes a new loop's state. @return false if the loop is not new any more */
    boolean leaveNew(State next) {
        return state.compareAndSet(State.NEW, next);
    }

    void stopping() {
        state.set(State.STOPPING);
    }

    void stopped() {
        state.set(State.STOPPED);
    }

    void failed(Throwable bug) {
        failure = "the loop failed because of a bug; restart this process: " + bug;
        state.set(State.FAILED);
    }

    void partitions(
            int held,
            int withoutStore,
            @Nullable String downReason,
            @Nullable String refusal,
            @Nullable String restReason) {
        partitions = new PartitionHealth(held, withoutStore, downReason, refusal, restReason);
    }

    /** Says whether starts are paused. */
    void paused(OperatorPause byOperator, boolean here) {
        String pausedHere = here ? "the queue is paused in this process" : "";
        paused = switch (byOperator) {
            case YES -> "an operator has paused the queue";
            case AWAITED -> "the store has not said yet whether an operator has paused the queue";
            case UNKNOWN ->
                here
                        ? pausedHere
                        : "whether the queue is paused cannot be told: the store has not said so since this process"
                                + " started. Its tasks start meanwhile";
            case NO -> pausedHere;
        };
    }

    /** Returns whether this executor does work: it holds partitions, and has no problem. */
    boolean works() {
        return partitions.held() > 0 && state() == State.RUNNING && problem(State.RUNNING, partitions, 0) == null;
    }

    /**
     * Sets what counts tasks that wait.
     *
     * @param moved returns the number of keys that moved and wait, on any thread
     * @param others the tasks that wait for others
     */
    void counts(IntSupplier moved, Dependents others) {
        movedKeys = moved;
        dependents = others;
    }

    /** Replaces the reasons why tasks wait. */
    void waits(WaitReasons now) {
        waits = now;
    }

    /** Says how many bytes the delivered tasks take. */
    void memory(long bytes) {
        memoryBytes = bytes;
    }

    /**
     * Says how the handlers compare with the tasks that arrive, and with those of other executors.
     *
     * @param refusal why this executor is refused; null if it is not
     * @param missing which handlers are missing, for people; null if none are
     */
    void handlers(@Nullable String refusal, @Nullable String missing) {
        refused = refusal;
        missingHandlers = missing;
    }

    /**
     * Says what holds starts back.
     *
     * @param allowed starts a second, unless the breaker is closed
     * @param failures why the breaker opened, for people
     */
    void withheld(CircuitBreaker.State breaker, int allowed, String failures, int partitionsWithoutRoom) {
        Withheld before = withheld;
        if (before.breaker != breaker
                || before.allowed != allowed
                || before.partitionsWithoutRoom != partitionsWithoutRoom) {
            withheld = new Withheld(breaker, allowed, failures, partitionsWithoutRoom);
        }
    }

    /** A turn ended. @param waitingNow how many of the runs wait for others of their batch */
    void turned(int runningNow, int waitingNow) {
        running = runningNow;
        waiting = waitingNow;
        lastTurnAt = clock.millis();
    }

    /** @param leases null if the broker assigns the partitions */
    QueueStatus snapshot(@Nullable PartitionLeases leases) {
        State now = state();
        PartitionHealth health = partitions;
        WaitReasons reasons = waits;
        Withheld held = withheld;
        long age = Math.max(0, clock.millis() - lastTurnAt);
        boolean takesShare = (now == State.NEW || now == State.RUNNING) && refused == null;
        return new QueueStatus(
                queue,
                now,
                problem(now, health, age),
                held.describe(paused),
                held.breaker() != CircuitBreaker.State.CLOSED,
                held.partitionsWithoutRoom(),
                takesShare && (leases == null || leases.isSharing(clock.millis())),
                health.held(),
                health.withoutStore(),
                running,
                waiting,
                counters.succeeded.sum(),
                counters.retried.sum(),
                counters.dead.sum(),
                counters.notStarted.sum(),
                counters.timedOut.sum(),
                joined(reasons.text(), missingHandlers),
                memoryBytes,
                reasons.fullPartitions(),
                reasons.overflowTasks(),
                reasons.overflowKeys(),
                reasons.overflowAgeMillis(),
                movedKeys.getAsInt(),
                dependents.count(),
                dependents.oldestMillis(),
                age);
    }

    private @Nullable String problem(State now, PartitionHealth health, long lastTurnAgeMillis) {
        if (failure != null) {
            return failure;
        }
        if (now == State.RUNNING && lastTurnAgeMillis > HANGS_AFTER_MILLIS) {
            return "the loop has not turned for " + lastTurnAgeMillis
                    + " ms: the broker does not answer, or the loop hangs";
        }
        if (health.held() == 0 && health.restReason() != null) {
            return "outside the consumer group, because the store cannot be reached: " + health.restReason();
        }
        if (health.downReason() == null) {
            return health.refusal() == null ? refused : health.refusal();
        }
        return "cannot reach the store of " + health.withoutStore() + " of " + health.held() + " partitions: "
                + health.downReason();
    }

    private static @Nullable String joined(@Nullable String one, @Nullable String other) {
        if (one == null || other == null) {
            return one == null ? other : one;
        }
        return one + "; " + other;
    }
}
