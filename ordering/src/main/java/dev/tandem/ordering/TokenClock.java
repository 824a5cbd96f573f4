package dev.tandem.ordering;

import dev.tandem.task.store.StoreAnswer.TokenTime;

/**
 * Issues the tokens of one ownership. They grow, and follow the store's clock, so that a key's tokens also grow when the
 * key moves to another partition: {@code docs/adr/0021-tokens-follow-the-clock.md}.
 *
 * <p>They follow it a lease behind. A process that has lost the partition and does not know it yet may still relay under a
 * lease that it holds, without asking the store. Its tokens must be below the epoch of the next owner.
 */
final class TokenClock {

    private static final long MICROS_PER_MILLI = 1_000;

    private final QueueContext context;
    private long last;
    private TokenTime time = TokenTime.NONE;
    private long toldAt;

    TokenClock(QueueContext context) {
        this.context = context;
    }

    /** Begins an ownership. Until the store tells the time, tokens go half as fast as the clock, for they may be ahead of it. */
    void begin(long epoch) {
        last = epoch;
        told(new TokenTime(0, epoch));
    }

    /** Takes the time that the store told. */
    void told(TokenTime now) {
        time = now;
        toldAt = context.now();
    }

    long next() {
        return take(1);
    }

    /** Reserves so many tokens in a row, and returns the first. */
    long take(int count) {
        long first = Math.max(last + 1, now() - context.settings.leaseMillis() * MICROS_PER_MILLI);
        last = first + count - 1;
        return first;
    }

    private long now() {
        long passed = (context.now() - toldAt) * MICROS_PER_MILLI;
        return time.micros() + passed + Math.max(0, time.leadMicros() - passed / 2);
    }
}
