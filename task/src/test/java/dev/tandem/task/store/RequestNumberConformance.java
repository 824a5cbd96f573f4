package dev.tandem.task.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.Position;
import dev.tandem.task.store.StoreAnswer.AlreadyApplied;
import dev.tandem.task.store.StoreAnswer.Fenced;
import dev.tandem.task.store.StoreAnswer.Gap;
import dev.tandem.task.store.StoreAnswer.OtherClaim;
import dev.tandem.task.store.StoreAnswer.SettleResult;
import dev.tandem.task.store.StoreAnswer.SettledAndClaimed;
import dev.tandem.task.store.StoreRequest.Claim;
import dev.tandem.task.store.StoreRequest.RenewLeases;
import dev.tandem.task.store.StoreRequest.Settle;
import dev.tandem.task.store.StoreRequest.SettleAndClaim;
import dev.tandem.task.store.StoreRequest.Verdict;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The rules of every numbered request: its epoch must be the owner's, and numbers are applied once and in order. */
interface RequestNumberConformance extends StoreFixture {

    @Test
    default void aRequestUnderAnotherEpochIsFencedAndChangesNothing() {
        first().acquire();
        long token = first().claim(P1, null);
        second().generation = 2;
        second().acquire();
        assertThat(answerTo(settleOnly(first().header(), P1, token))).isEqualTo(new Fenced());
        assertThat(second().acquire().otherClaims())
                .extracting(OtherClaim::position)
                .containsExactly(P1);
    }

    @Test
    default void everyOwnerRequestToAFreshPartitionIsFenced() {
        assertThat(answerTo(new RenewLeases(first().header(), OwnerClient.LONG, List.of(), new long[0])))
                .isEqualTo(new Fenced());
    }

    @Test
    default void aRequestNumberIsAppliedOnce() {
        first().acquire();
        SettleAndClaim claim = claimOnly(first().header(), P1);
        assertThat(answerTo(claim)).isInstanceOf(SettledAndClaimed.class);
        assertThat(answerTo(claim)).isEqualTo(new AlreadyApplied());
        assertThat(first().succeed(P1, first().lastToken(), null, SettledMark.NONE))
                .isEqualTo(SettleResult.Ok.PLAIN);
        assertThat(answerTo(settleOnly(
                        new RequestHeader(partition(), "a-writer", first().number, first().epoch),
                        P1,
                        first().lastToken())))
                .isEqualTo(new AlreadyApplied());
    }

    @Test
    default void aSkippedNumberIsAGapAndChangesNothing() {
        first().acquire();
        long stored = first().number;
        first().number++;
        assertThat(answerTo(claimOnly(first().header(), P1))).isEqualTo(new Gap(stored));
        first().number = stored;
        assertThat(first().acquire().nextLapseMillis()).isEqualTo(-1);
    }

    @Test
    default void aNumberBelowTheStoredOneIsAGap() {
        first().acquire();
        first().probe();
        first().probe();
        RequestHeader old = new RequestHeader(partition(), "a-writer", first().number - 1, first().epoch);
        assertThat(answerTo(claimOnly(old, P1))).isEqualTo(new Gap(first().number));
    }

    @Test
    default void anUnknownWriterHasAGapFromZero() {
        first().acquire();
        RequestHeader stranger = new RequestHeader(partition(), "stranger", 7, first().epoch);
        assertThat(answerTo(claimOnly(stranger, P1))).isEqualTo(new Gap(0));
    }

    @Test
    default void anAcquireMayHaveAnyHigherNumber() {
        first().number = 5;
        long epoch = first().acquire().epoch();
        first().number--;
        assertThat(first().tryAcquire()).isEqualTo(new AlreadyApplied());
        first().number = 2;
        assertThat(first().tryAcquire()).isEqualTo(new Gap(6));
        first().number = 100;
        assertThat(first().acquire().epoch()).isGreaterThan(epoch);
        first().probe();
    }

    private SettleAndClaim settleOnly(RequestHeader header, Position position, long token) {
        Settle success = new Settle(position, token, null, SettledMark.NONE, new Verdict.Success(null), 0);
        return new SettleAndClaim(header, OwnerClient.LONG, first().incarnation, 0, List.of(success), List.of());
    }

    private SettleAndClaim claimOnly(RequestHeader header, Position position) {
        Claim claim = new Claim(position, first().nextToken(), null, false);
        return new SettleAndClaim(header, OwnerClient.LONG, first().incarnation, 0, List.of(), List.of(claim));
    }
}
