package dev.tandem.executor;

import dev.tandem.task.store.RateAnswer;
import dev.tandem.task.store.RateRequest;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The tokens of one bucket of a rate limit in one executor: those that are reserved, each with its time, and the runs that wait
 * for them, in order. No I/O and no clock; times are monotonic nanoseconds. Not thread-safe.
 *
 * @param <W> a run that waits
 */
final class TokenPool<W> {

    static final long AHEAD_MILLIS = RateRequest.AHEAD_MILLIS;

    private static final int MAX_TOKENS = 1_000;

    /** A token that nobody has used so long after its time is not used any more. */
    private static final long STALE_NANOS = 100_000_000;

    private static final long MILLI = 1_000_000;

    /** A token is used if the executor hears of it so long after its time, or an interval after it. */
    private static final long LATE_NANOS = 20 * MILLI;

    /** The longest time for which a run is sent away. */
    private static final long MOST_AWAY_NANOS = 300_000 * MILLI;

    private final TaskRate rate;
    private final String bucket;
    private final Deque<Long> tokens = new ArrayDeque<>();
    private final Deque<W> waiting = new ArrayDeque<>();
    /** Waiters of which nobody knows yet whether they have to wait. */
    private final Set<W> uncertain = new HashSet<>();

    /** The time for one token, as far as this executor knows: by the settings, until the store says another one. */
    private long intervalMicros;

    private long nextAskAt = Long.MIN_VALUE;
    private long pausedUntil = Long.MIN_VALUE;
    /** Whether the store has not heard of the pause. */
    private boolean tellsPause;
    /** When the store may be asked again that has not answered. */
    private long retryAt = Long.MIN_VALUE;

    private int asking;
    /** Whether the rate may have changed since the store was asked. */
    private boolean mayHaveChanged;
    /** When the run comes back that was sent away last. */
    private long lastReturn = Long.MIN_VALUE;

    TokenPool(TaskRate rate, String bucket) {
        this.rate = rate;
        this.intervalMicros = rate.intervalMicros();
        this.bucket = bucket;
    }

    String bucket() {
        return bucket;
    }

    int waiting() {
        return waiting.size();
    }

    void await(W run) {
        waiting.add(run);
    }

    /** Lets a run wait for which a token is there, as far as this executor knows. */
    void awaitAnswer(W run) {
        await(run);
        uncertain.add(run);
    }

    /** Returns how many runs have to wait of which that was not known. Each counts once. */
    int takeSurprised(long now) {
        int count = 0;
        if (now < nextAskAt && !uncertain.isEmpty()) {
            int place = 0;
            for (W each : waiting) {
                count += place++ >= tokens.size() && uncertain.remove(each) ? 1 : 0;
            }
        }
        return count;
    }

    /** Returns the runs that wait. */
    List<W> all() {
        return List.copyOf(waiting);
    }

    boolean leave(W run) {
        uncertain.remove(run);
        return waiting.remove(run);
    }

    /** Returns the next run whose token's time has come, and uses the token. Null if there is none. */
    @Nullable
    W next(long now) {
        dropStale(now);
        Long token = tokens.peek();
        if (token == null || token > now || waiting.isEmpty()) {
            return null;
        }
        tokens.remove();
        W run = waiting.remove();
        uncertain.remove(run);
        return run;
    }

    private void dropStale(long now) {
        while (!tokens.isEmpty() && now - tokens.peek() > STALE_NANOS) {
            tokens.remove();
        }
    }

    /** Lets the store be asked at once, because the rate may be another one. Those that were sent away come back at their times. */
    void changed() {
        mayHaveChanged = asking > 0;
        nextAskAt = Long.MIN_VALUE;
        lastReturn = Long.MIN_VALUE;
    }

    /** Gives no token for some time. */
    void pause(long now, long millis) {
        tokens.clear();
        pausedUntil = Math.max(pausedUntil, now + millis * MILLI);
        tellsPause |= millis > 0;
    }

    /** Returns how much is left of a pause of which the store has not heard, in milliseconds. */
    private long pauseToTell(long now) {
        return tellsPause ? Math.max(0, (pausedUntil - now + MILLI - 1) / MILLI) : 0;
    }

    /** Returns what the store is to be asked now; null if nothing. */
    @Nullable
    RateRequest nextRequest(long now) {
        dropStale(now);
        boolean mayAsk = now >= nextAskAt && now >= pausedUntil;
        int wanted = mayAsk ? Math.min(MAX_TOKENS, waiting.size()) - tokens.size() : 0;
        long pause = pauseToTell(now);
        if (asking > 0 || now < retryAt || wanted <= 0 && pause == 0) {
            return null;
        }
        asking = Math.max(1, wanted);
        RateRequest request =
                new RateRequest(bucket, Math.max(0, wanted), rate.intervalMicros(), rate.burst(), AHEAD_MILLIS, pause);
        tellsPause = false;
        return request;
    }

    /** Returns a request that asks for the rate in force alone. To be used only while the store is not asked about this bucket. */
    RateRequest rateRequest() {
        asking = 1;
        return RateRequest.ofRate(bucket, rate.intervalMicros(), rate.burst());
    }

    /** Returns until when the store has no token, as far as this executor knows. */
    long nextAskAt() {
        return nextAskAt;
    }

    /**
     * Takes the answer; null if there was none.
     *
     * @param at when the store gave it. Late tokens are dropped. Postponed, they would coincide with later ones
     */
    void answered(RateRequest request, @Nullable RateAnswer answer, long at, long now) {
        asking = 0;
        if (answer == null) {
            retryAt = now + AHEAD_MILLIS * MILLI;
            nextAskAt = request.asksForRate() ? nextAskAt : retryAt;
            tellsPause |= request.pauseMillis() > 0;
            return;
        }
        mayHaveChanged |= request.asksForRate() && answer.intervalMicros() != intervalMicros;
        intervalMicros = answer.intervalMicros();
        if (now >= pausedUntil) {
            long late = Math.max(LATE_NANOS, intervalMicros * 1_000);
            for (int i = 0; i < answer.tokens(); i++) {
                long time = at + Math.max(0, answer.firstMicros() + i * intervalMicros) * 1_000;
                if (now - time <= late) {
                    tokens.add(Math.max(now, time));
                }
            }
        }
        if (answer.tokens() < request.tokens() || request.pauseMillis() > 0) {
            nextAskAt = at + Math.max(1, answer.nextMillis()) * MILLI;
        }
        if (mayHaveChanged) {
            changed();
        }
    }

    /** Returns when something is due without any event. @param mayAsk whether the store may be asked now */
    long nextDue(long now, boolean mayAsk) {
        long due = Long.MAX_VALUE;
        if (!waiting.isEmpty() && !tokens.isEmpty()) {
            due = tokens.peek();
        }
        boolean tells = pauseToTell(now) > 0;
        if (mayAsk && asking == 0 && (tells || waiting.size() > tokens.size())) {
            due = Math.min(due, Math.max(retryAt, tells ? now : Math.max(nextAskAt, pausedUntil)));
        }
        return due;
    }

    /** Returns for how long a further run would wait here, in nanoseconds, as far as this executor knows. */
    long expectedWait(long now) {
        long behind = (long) Math.max(0, waiting.size() - tokens.size()) * intervalMicros * 1_000;
        long mayAskAt = Math.max(now, Math.max(pausedUntil, nextAskAt));
        return mayAskAt - now + behind;
    }

    /**
     * Returns when a further run is to come back that does not wait here. They come back one after another. Those whose turn is
     * far away come back together before it, and are sent away again from then on.
     */
    long returnAt(long now) {
        long interval = intervalMicros * 1_000;
        long turn = Math.max(lastReturn, now + expectedWait(now)) + interval - interval / 8;
        lastReturn = Math.min(turn, now + MOST_AWAY_NANOS);
        return lastReturn;
    }

    /** Returns whether this pool must be remembered. Without any other, runs only come back at another time. */
    boolean isNeeded(long now) {
        return !waiting.isEmpty() || asking > 0 || pauseToTell(now) > 0;
    }

    /** Returns whether nothing would be lost without this pool. */
    boolean isIdle(long now) {
        return waiting.isEmpty() && asking == 0 && now >= pausedUntil && now >= lastReturn;
    }
}
