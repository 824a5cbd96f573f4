package dev.tandem.executor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.store.RateAnswer;
import dev.tandem.task.store.RateRequest;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Tests when an executor reserves tokens of a rate limit, which runs get them, and what a pause does. */
class TokenPoolTest {

    private static final long MILLI = 1_000_000;
    private static final long NOW = 1_000_000 * MILLI;

    /** A token every 10 ms. */
    private final TokenPool<String> pool = new TokenPool<>(new TaskRate("mail", 10_000, 1, null, TaskPattern.ALL), "");

    private RateRequest request(long at) {
        return Objects.requireNonNull(pool.nextRequest(at), "the store is not asked");
    }

    private static RateAnswer tokens(int count) {
        return new RateAnswer(0, count, 0, 10, 10_000);
    }

    @Test
    void oneTokenIsReservedForEachRunThatWaits() {
        assertThat(pool.nextRequest(NOW)).as("nobody waits").isNull();
        pool.await("a");
        pool.await("b");

        assertThat(request(NOW).tokens()).isEqualTo(2);
        assertThat(pool.nextRequest(NOW)).as("the first is not answered").isNull();
    }

    @Test
    void runsGetTokensInTheirOrderAndAtTheTokensTimes() {
        pool.await("a");
        pool.await("b");
        pool.answered(request(NOW), tokens(2), NOW, NOW);

        assertThat(pool.next(NOW)).isEqualTo("a");
        assertThat(pool.next(NOW)).isNull();
        assertThat(pool.nextDue(NOW, true)).isEqualTo(NOW + 10 * MILLI);
        assertThat(pool.next(NOW + 10 * MILLI)).isEqualTo("b");
    }

    @Test
    void runsHaveToWaitIfTheStoreHasNoTokenThoughOneWasExpected() {
        pool.awaitAnswer("a");
        pool.awaitAnswer("b");
        pool.await("known");
        assertThat(pool.takeSurprised(NOW)).as("nobody knows").isZero();
        pool.answered(request(NOW), new RateAnswer(0, 1, 0, 30, 10_000), NOW, NOW);

        assertThat(pool.takeSurprised(NOW)).isEqualTo(1);
        assertThat(pool.takeSurprised(NOW)).as("counts once").isZero();
    }

    @Test
    void tokensOfALateAnswerAreDroppedAndOthersAskedFor() {
        pool.await("a");
        pool.answered(request(NOW), tokens(1), NOW, NOW + 21 * MILLI);

        assertThat(pool.next(NOW + 21 * MILLI)).isNull();
        assertThat(request(NOW + 21 * MILLI).tokens()).isEqualTo(1);
    }

    @Test
    void aTokenThatNobodyUsedInTimeIsLost() {
        pool.await("a");
        pool.answered(request(NOW), tokens(1), NOW, NOW);
        assertThat(pool.leave("a")).isTrue();
        pool.await("b");

        assertThat(pool.next(NOW + 101 * MILLI)).isNull();
    }

    @Test
    void tokensFollowTheIntervalThatIsInForceAndAChangeIsAskedForAtOnce() {
        pool.await("a");
        pool.await("b");
        RateRequest first = request(NOW);
        pool.changed();
        pool.answered(first, new RateAnswer(0, 1, 0, 3_600_000, 3_600_000_000L), NOW, NOW);
        assertThat(pool.next(NOW)).isEqualTo("a");
        assertThat(pool.expectedWait(NOW)).isEqualTo(3_600_000 * MILLI);

        RateRequest second = request(NOW + 1);
        pool.answered(second, new RateAnswer(0, 1, 40_000, 50, 50_000), NOW, NOW + 1);

        assertThat(pool.nextDue(NOW + 1, true)).isEqualTo(NOW + 40 * MILLI);
        assertThat(pool.returnAt(NOW + 40 * MILLI)).isLessThan(NOW + 3_600_000 * MILLI);
    }

    @Test
    void theStoreIsNotAskedBeforeItHasAFurtherToken() {
        pool.await("a");
        pool.await("b");
        pool.answered(request(NOW), new RateAnswer(0, 1, 0, 30, 10_000), NOW, NOW);
        assertThat(pool.next(NOW)).isEqualTo("a");

        assertThat(pool.nextRequest(NOW + 29 * MILLI)).isNull();
        assertThat(pool.nextDue(NOW, true)).isEqualTo(NOW + 30 * MILLI);
        assertThat(pool.nextDue(NOW, false))
                .as("while another request is under way")
                .isEqualTo(Long.MAX_VALUE);
        assertThat(request(NOW + 30 * MILLI).tokens()).isEqualTo(1);
    }

    @Test
    void withoutAnAnswerTheStoreIsAskedAgainALittleLater() {
        pool.await("a");
        pool.answered(request(NOW), null, NOW, NOW);

        assertThat(pool.nextRequest(NOW + TokenPool.AHEAD_MILLIS * MILLI - 1)).isNull();
        assertThat(request(NOW + TokenPool.AHEAD_MILLIS * MILLI).tokens()).isEqualTo(1);
    }

    @Test
    void aPauseDropsTokensAndIsTold() {
        pool.await("a");
        pool.answered(request(NOW), tokens(1), NOW, NOW);
        pool.pause(NOW, 500);

        assertThat(pool.next(NOW)).isNull();
        RateRequest told = request(NOW);
        assertThat(told.tokens()).isZero();
        assertThat(told.pauseMillis()).isEqualTo(500);
        pool.answered(told, new RateAnswer(0, 0, 0, 500, 10_000), NOW, NOW);
        assertThat(pool.nextRequest(NOW + 499 * MILLI)).isNull();
        assertThat(request(NOW + 500 * MILLI).tokens()).isEqualTo(1);
    }

    @Test
    void aPauseThatTheStoreDidNotHearOfIsToldAgainFromWhatIsLeft() {
        pool.pause(NOW, 500);
        pool.answered(request(NOW), null, NOW, NOW);

        assertThat(pool.isNeeded(NOW)).isTrue();
        assertThat(request(NOW + 200 * MILLI).pauseMillis()).isEqualTo(300);
    }

    @Test
    void runsThatDoNotWaitComeBackOneAfterAnotherAndALittleEarly() {
        assertThat(pool.returnAt(NOW)).isEqualTo(NOW + 8_750_000);
        assertThat(pool.returnAt(NOW)).isEqualTo(NOW + 2 * 8_750_000);
        assertThat(pool.isIdle(NOW))
                .as("else the next one would come at the same time")
                .isFalse();
        assertThat(pool.isIdle(NOW + 2 * 8_750_000)).isTrue();
    }

    @Test
    void runsWhoseTurnIsFarAwayComeBackAfterFiveMinutes() {
        pool.pause(NOW, 3_600_000);

        assertThat(pool.returnAt(NOW)).isEqualTo(NOW + 300_000 * MILLI);
    }
}
