package dev.tandem.task.store;

import static dev.tandem.task.store.OwnerClient.park;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.store.StoreAnswer.Acquired;
import dev.tandem.task.store.StoreAnswer.BlockReason;
import dev.tandem.task.store.StoreAnswer.BlockedKey;
import dev.tandem.task.store.StoreAnswer.DueTask;
import dev.tandem.task.store.StoreAnswer.OtherClaim;
import dev.tandem.task.store.StoreAnswer.SettledChunk;
import org.junit.jupiter.api.Test;

/** {@link StoreRequest.AbandonPosition}, {@link StoreRequest.RecordCommit} and {@link StoreRequest.Release}. */
interface CommitAndReleaseConformance extends StoreFixture {

    @Test
    default void aKeyContinuesWhenTheRedeliveryThatItAwaitsIsAbandoned() {
        first().leaseMillis = SHORT;
        first().acquire();
        first().claim(P1, KEY);
        letTimePass(SHORT + 1);
        first().expireLeases();
        first().takeCustody(park(P2, KEY, 2));
        first().abandon(P3, KEY);
        assertThat(first().blocked()).containsExactly(new BlockedKey(KEY, BlockReason.REDELIVERY, P1));
        first().abandon(P1, KEY);
        assertThat(first().blocked()).containsExactly(new BlockedKey(KEY, BlockReason.HEAD, P2));
        assertThat(first().claimDue(1, 0).claimed())
                .extracting(DueTask::position)
                .containsExactly(P2);
    }

    @Test
    default void onlyAKeyThatAwaitsARedeliveryContinuesWhenItsHeadIsAbandoned() {
        first().acquire();
        first().blockKey(KEY, P1, OwnerClient.LONG);
        first().abandon(P1, KEY);
        assertThat(first().blocked()).containsExactly(new BlockedKey(KEY, BlockReason.HEAD, P1));
    }

    @Test
    default void chunksWhollyBelowTheCommitAreDeleted() {
        first().acquire();
        long t1 = first().claim(P1, null);
        first().succeed(P1, t1, null, 5);
        long t2 = first().claim(P2, null);
        first().succeed(P2, t2, null, SettledChunk.BITS + 5);
        first().recordCommit(SettledChunk.BITS + 1);
        Acquired acquired = first().acquire();
        assertThat(acquired.storedCommit()).isEqualTo(SettledChunk.BITS + 1);
        assertThat(acquired.chunks()).extracting(SettledChunk::index).containsExactly(1L);
        first().recordCommit(3);
        assertThat(first().acquire().storedCommit()).isEqualTo(SettledChunk.BITS + 1);
    }

    @Test
    default void aCommitOfAnotherIncarnationIsIgnored() {
        first().committed = 10;
        first().acquire();
        first().incarnation = Incarnation.of(((Incarnation.OfLog) first().incarnation).number() + 1);
        first().recordCommit(20);
        assertThat(first().acquire().storedCommit()).isEqualTo(10);
    }

    @Test
    default void claimsSurviveARelease() {
        first().generation = -1;
        first().acquire();
        long token = first().claim(P1, KEY);
        first().release();
        second().generation = -1;
        assertThat(second().acquire().otherClaims())
                .extracting(OtherClaim::token)
                .containsExactly(token);
    }
}
