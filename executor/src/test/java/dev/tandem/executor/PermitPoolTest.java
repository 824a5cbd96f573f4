package dev.tandem.executor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.store.PermitAnswer;
import dev.tandem.task.store.PermitRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests when an executor asks the store about the permits of a limit, how many it keeps, and when they are lost. */
class PermitPoolTest {

    private static final long LEASE = 4_000;
    private static final long START = 10_000;

    private final PermitPool pool = new PermitPool(new TaskLimit("erp", 10, TaskPattern.ALL), "e1", LEASE);

    private @Nullable PermitRequest asks(long millis) {
        return pool.nextRequest(START + millis, List::of);
    }

    /** Has runs begin with as many permits, granted at once. */
    private void begun(int runs, PermitAnswer answer) {
        pool.waiting(runs, runs, START);
        assertThat(asks(0)).isNotNull();
        pool.answered(answer, START);
        for (int i = 0; i < runs && pool.hasFree(START); i++) {
            pool.take(START);
        }
        pool.waiting(0, 0, START);
    }

    private static PermitAnswer held(int permits) {
        return new PermitAnswer(permits, permits, false, 10);
    }

    // ---- the reasons to ask

    @Test
    void withoutARunNothingIsAsked() {
        assertThat(asks(0)).isNull();
        assertThat(asks(LEASE)).isNull();
    }

    @Test
    void aRunThatLacksAPermitAsksAtOnceAndOneRequestIsUnderWayAtATime() {
        pool.waiting(2, 2, START);

        PermitRequest request = asks(0);

        assertThat(request).isNotNull();
        assertThat(request.wanted()).isEqualTo(2);
        assertThat(request.kept()).isZero();
        assertThat(asks(LEASE)).as("the first is not answered").isNull();
    }

    @Test
    void whileARunLacksAPermitTheStoreIsAskedTenTimesASecond() {
        pool.waiting(1, 1, START);
        assertThat(asks(0)).isNotNull();
        pool.answered(new PermitAnswer(0, 1, false, 10), START);

        assertThat(asks(PermitPool.CONTENDED_MILLIS - 1)).isNull();
        assertThat(asks(PermitPool.CONTENDED_MILLIS)).isNotNull();
    }

    @Test
    void whatIsAboveTheShareIsGivenBackAtOnceWhileOthersWait() {
        begun(1, new PermitAnswer(2, 1, true, 10));
        pool.waiting(1, 1, START);

        assertThat(pool.hasFree(START)).as("beyond the share").isFalse();
        PermitRequest request = asks(10);
        assertThat(request).isNotNull();
        assertThat(request.kept()).isEqualTo(1);
        assertThat(pool.held())
                .as("the store may have given it to another by now")
                .isEqualTo(1);
    }

    @Test
    void permitsThatWereNotNeededAreGivenBackAfterASecond() {
        begun(2, held(2));
        pool.giveBack();
        pool.giveBack();

        assertThat(asks(PermitPool.IDLE_MILLIS - 1)).isNull();
        PermitRequest request = asks(PermitPool.IDLE_MILLIS);
        assertThat(request).isNotNull();
        assertThat(request.kept()).isZero();
        assertThat(request.wanted()).isZero();
    }

    @Test
    void aPermitThatIsSetAsideIsKept() {
        begun(1, held(1));
        pool.giveBack();
        pool.setAside(true);

        assertThat(pool.hasFree(START)).isFalse();
        PermitRequest request = asks(PermitPool.IDLE_MILLIS);
        assertThat(request).isNotNull();
        assertThat(request.kept()).isEqualTo(1);
    }

    @Test
    void permitsInUseAreConfirmedFourTimesInALease() {
        begun(1, held(1));

        assertThat(asks(LEASE / 4 - 1)).isNull();
        PermitRequest request = asks(LEASE / 4);
        assertThat(request).isNotNull();
        assertThat(request.used()).isEqualTo(1);
    }

    @Test
    void theStoreIsAskedAtOnceWhenOthersWantPermits() {
        begun(1, held(1));
        assertThat(asks(10)).isNull();

        pool.onNotice();

        assertThat(asks(10)).isNotNull();
    }

    @Test
    void aRequestWithoutAnAnswerIsRepeatedALittleLater() {
        pool.waiting(1, 1, START);
        assertThat(asks(0)).isNotNull();
        pool.failed(START);

        assertThat(asks(199)).isNull();
        assertThat(asks(200)).isNotNull();
    }

    // ---- the lease

    @Test
    void noRunBeginsWithAPermitThatWasNotConfirmedInTime() {
        begun(1, held(2));
        long lapse = START + LEASE - LEASE / 10;

        assertThat(pool.hasFree(lapse - 1)).isTrue();
        assertThat(pool.lapses(lapse - 1)).isFalse();
        assertThat(pool.hasLapsed(lapse)).isTrue();
        assertThat(pool.hasFree(lapse)).isFalse();
        assertThat(pool.lapses(lapse)).as("a run is to be interrupted").isTrue();
        assertThat(pool.lapses(lapse)).as("once").isFalse();
    }

    @Test
    void permitsThatWereLostWhileNoneWasInUseInterruptNothing() {
        begun(1, held(1));
        pool.giveBack();

        assertThat(pool.lapses(START + LEASE)).isFalse();
        assertThat(pool.held()).isZero();
    }

    @Test
    void anAnswerThatComesAfterTheLeaseDoesNotHideThatPermitsWereLost() {
        begun(1, held(1));
        assertThat(asks(LEASE / 4)).isNotNull();

        pool.answered(held(0), START + LEASE);

        assertThat(pool.lapses(START + LEASE)).isTrue();
    }

    // ---- another number

    @Test
    void aHigherNumberLetsMoreRunsAskAtOnce() {
        begun(10, new PermitAnswer(10, 10, false, 10));
        pool.waiting(5, 5, START);
        assertThat(asks(PermitPool.CONTENDED_MILLIS))
                .satisfies(each -> assertThat(each.wanted()).isEqualTo(10));

        pool.answered(new PermitAnswer(10, 10, false, 12), START + PermitPool.CONTENDED_MILLIS);

        assertThat(asks(PermitPool.CONTENDED_MILLIS))
                .satisfies(each -> assertThat(each.wanted()).isEqualTo(12));
        assertThat(pool.status().max()).isEqualTo(12);
    }

    @Test
    void belowWhatRunsNothingStartsUntilEnoughHaveEnded() {
        begun(5, held(5));
        pool.waiting(3, 3, START);
        pool.onNotice();
        assertThat(asks(1)).isNotNull();

        pool.answered(new PermitAnswer(2, 2, false, 2), START + 1);

        for (int left = 5; left > 2; left--) {
            assertThat(pool.hasFree(START + 1)).as("%s run", left).isFalse();
            pool.giveBack();
        }
        assertThat(pool.hasFree(START + 1)).isFalse();
        pool.giveBack();
        assertThat(pool.hasFree(START + 1)).isTrue();
    }

    @Test
    void runsAreInterruptedAfterTheLeaseAlsoIfTheNumberLeavesThemNoPermit() {
        begun(2, held(2));
        pool.onNotice();
        assertThat(asks(1)).isNotNull();
        pool.answered(new PermitAnswer(0, 0, true, 1), START + 1);

        assertThat(pool.lapses(START + 1)).as("their permits count").isFalse();
        assertThat(pool.lapses(START + 1 + LEASE)).isTrue();
        assertThat(pool.lapses(START + 1 + LEASE)).as("once").isFalse();
    }

    @Test
    void anExecutorThatNeedsNothingHearsOfTheNumber() {
        pool.onNotice();
        PermitRequest request = asks(0);
        assertThat(request).isNotNull();
        assertThat(request.wanted()).isZero();

        pool.answered(new PermitAnswer(0, 0, false, 7), START);

        assertThat(pool.status().max()).isEqualTo(7);
        assertThat(asks(LEASE)).isNull();
    }

    // ---- the end

    @Test
    void whenItClosesEverythingThatIsNotInUseIsGivenBackAtOnce() {
        begun(2, held(2));
        pool.giveBack();
        pool.close();

        PermitRequest request = asks(1);

        assertThat(request).isNotNull();
        assertThat(request.kept()).isEqualTo(1);
        assertThat(request.wanted()).isEqualTo(1);
        assertThat(pool.isReleased()).as("not answered").isFalse();
        pool.answered(held(1), START + 2);
        assertThat(pool.isReleased()).isTrue();
        assertThat(asks(LEASE)).isNull();
    }

    @Test
    void aPoolThatNeverAskedHasNothingToGiveBack() {
        pool.close();

        assertThat(pool.isReleased()).isTrue();
        assertThat(asks(0)).isNull();
    }
}
