package dev.tandem.task.store;

import static dev.tandem.task.store.Owner.envelope;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.DeadHead;
import dev.tandem.task.Position;
import dev.tandem.task.store.StoreAnswer.Acquired;
import dev.tandem.task.store.StoreAnswer.Claimed;
import dev.tandem.task.store.StoreAnswer.DueTask;
import dev.tandem.task.store.StoreAnswer.Foreign;
import dev.tandem.task.store.StoreAnswer.HandCode;
import dev.tandem.task.store.StoreAnswer.Lapsed;
import dev.tandem.task.store.StoreAnswer.Live;
import dev.tandem.task.store.StoreAnswer.Page;
import dev.tandem.task.store.StoreAnswer.Past;
import dev.tandem.task.store.StoreAnswer.Recalled;
import dev.tandem.task.store.StoreAnswer.Redelivered;
import dev.tandem.task.store.StoreAnswer.Settled;
import dev.tandem.task.store.StoreRequest.Claim;
import dev.tandem.task.store.StoreRequest.Entry;
import dev.tandem.task.store.StoreRequest.Move;
import dev.tandem.task.store.StoreRequest.Presented;
import dev.tandem.task.store.StoreRequest.Recall;
import dev.tandem.task.store.StoreRequest.Redeliver;
import dev.tandem.task.store.StoreRequest.Redelivery;
import dev.tandem.task.store.StoreRequest.Settle;
import dev.tandem.task.store.StoreRequest.Verdict;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The same, and what a store remembers of a queue's positions, so that a redelivery can be recognised. */
public abstract class QueueConformance extends StoreConformance {

    private static final String ONE = "AAAAAAAAAAAA";
    private static final String TWO = "BBBBBBBBBBBB";
    private static final Position M1 = new Position("m" + ONE + ":w.1");
    private static final Position M2 = new Position("m" + TWO + ":w.2");
    private static final Position TWIN = new Position("m" + ONE + ":w.3");
    private static final Position C1 = new Position("cCCCCCCCCCCCC:w.4");

    private Owner first = a;
    private Owner second = b;

    @BeforeEach
    void ofAQueue() {
        first = new Owner(partition, "a", this::ask);
        second = new Owner(partition, "b", this::ask);
        first.queue = true;
        second.queue = true;
        second.generation = 2;
    }

    // Pages

    @Test
    void whatIsSettledIsRememberedInItsPage() {
        first.acquire();
        first.succeed(M1, first.claim(M1, null), null, 0);
        first.retry(M2, first.claim(M2, null), null, 3, Owner.LONG);
        first.die(TWIN, first.claim(TWIN, null), null, 3, DeadHead.HALT);
        first.succeed(C1, first.claim(C1, null), null, -1);
        assertThat(pages(first.acquire().past())).containsExactly("0 " + ONE, "3 " + TWO + ONE);
        assertThat(pages(recall().past())).containsExactly("0 " + ONE, "3 " + TWO + ONE);
    }

    @Test
    void whatIsHandedOverIsRememberedInItsPage() {
        first.acquire();
        first.claim(TWIN, null);
        assertThat(first.schedule(M1, null, 1, now() + Owner.LONG)).isEqualTo(HandCode.OK);
        assertThat(first.adopt(TWIN, null, 1)).isEqualTo(HandCode.OK);
        assertThat(first.adopt(M2, null, 1)).isEqualTo(HandCode.GONE);
        assertThat(first.schedule(M1, null, 2, now() + Owner.LONG)).isEqualTo(HandCode.DONE);
        assertThat(pages(first.acquire().past())).containsExactly("1 " + ONE + ONE, "2 " + ONE);
    }

    @Test
    void whatIsRefusedOrReturnedIsNotRemembered() {
        first.acquire();
        long token = first.claim(M1, null);
        first.settle(M1, token, null, 0, new Verdict.Returned());
        first.succeed(M1, token, null, 0);
        assertThat(first.acquire().past()).isEqualTo(Past.NONE);
    }

    @Test
    void aPageIsNoBit() {
        first.acquire();
        first.succeed(M1, first.claim(M1, null), null, 7);
        Acquired acquired = first.acquire();
        assertThat(acquired.chunks()).isEmpty();
        assertThat(acquired.mirror()).isEqualTo(-1);
        assertThat(first.claimed(M2, null, false)).isEqualTo(Claimed.Ok.FIRST);
        assertThat(first.succeed(M2, first.lastToken() - 1, null, 7)).isEqualTo(Settled.Refused.INSTANCE);
        assertThat(first.succeed(M2, first.lastToken(), null, 7)).isEqualTo(Settled.Ok.PLAIN);
    }

    @Test
    void pagesBelowACommitGo() {
        first.acquire();
        for (int page = 0; page < 4; page++) {
            Position position = new Position("m" + ONE + ":w." + page);
            first.succeed(position, first.claim(position, null), null, page);
        }
        first.committed(2);
        Acquired acquired = first.acquire();
        assertThat(pages(acquired.past())).containsExactly("2 " + ONE, "3 " + ONE);
        assertThat(acquired.mirror()).isEqualTo(-1);
        first.committed(4);
        assertThat(first.acquire().past()).isEqualTo(Past.NONE);
    }

    // What lapsed

    @Test
    void lapsedPositionsAreGivenBackUntilTheyAreClaimedOrGone() {
        first.leaseMillis = SHORT;
        first.acquire();
        first.claim(M1, null);
        first.claim(M2, KEY);
        first.block("other", TWIN, 0);
        first.due(9, 9);
        pass(SHORT + 1);
        assertThat(first.patrol().returned()).isEqualTo(3);
        second.acquire();
        assertThat(second.acquire().past().lapsed()).containsExactlyInAnyOrder(new Lapsed(M1, 1), new Lapsed(M2, 1));
        assertThat(second.claimed(M1, null, false)).isEqualTo(new Claimed.Ok(1));
        assertThat(recall().past().lapsed()).containsExactly(new Lapsed(M2, 1));
        second.gone(M2, KEY);
        assertThat(recall().past().lapsed()).isEmpty();
    }

    @Test
    void lapsesOfAPositionWithoutAKeyGoWhenItsMessageIsGone() {
        first.leaseMillis = SHORT;
        first.acquire();
        first.claim(M1, null);
        pass(SHORT + 1);
        first.patrol();
        first.claim(M1, null);
        first.gone(M1, null);
        pass(SHORT + 1);
        first.patrol();
        assertThat(recall().past().lapsed()).as("it was claimed").containsExactly(new Lapsed(M1, 2));
        first.gone(M1, null);
        assertThat(recall().past()).isEqualTo(Past.NONE);
    }

    // What the broker owes

    @Test
    void aFormerOwnersOutcomeIsOwed() {
        first.acquire();
        long success = first.claim(M1, null);
        long retry = first.claim(M2, null);
        long dead = first.claim(C1, null);
        long returned = first.claim(TWIN, null);
        assertThat(second.acquire().foreign()).extracting(Foreign::held).containsOnly(false);
        first.late(M1, success, null, 5, new Verdict.Success(null));
        first.late(M2, retry, null, 5, new Verdict.Retry(0, envelope(null, retry)));
        first.late(C1, dead, null, -1, new Verdict.Dead(DeadHead.HALT, envelope(null, dead)));
        first.late(TWIN, returned, null, 5, new Verdict.Returned());
        Past past = second.acquire().past();
        assertThat(past.owed()).containsExactlyInAnyOrder(M1, M2, C1);
        assertThat(past.pages()).isEmpty();
        assertThat(recall().past().owed()).containsExactlyInAnyOrder(M1, M2, C1);
    }

    @Test
    void whatIsOwedIsDoneWhenItComesAgainAndRememberedInAPageFromThenOn() {
        first.acquire();
        long token = first.claim(M1, KEY);
        second.acquire();
        first.late(M1, token, KEY, -1, new Verdict.Success(null));
        assertThat(second.claimed(M1, KEY, false)).isEqualTo(Claimed.Done.INSTANCE);
        assertThat(second.adopt(M1, KEY, 2)).isEqualTo(HandCode.DONE);
        Past past = second.acquire().past();
        assertThat(past.owed()).isEmpty();
        assertThat(pages(past)).containsExactly("2 " + ONE);
        assertThat(second.adopt(M1, KEY, 2)).as("its message came once").isEqualTo(HandCode.GONE);
    }

    @Test
    void aRetryRunsWhileItsMessageIsOwed() {
        first.acquire();
        first.retry(M1, first.claim(M1, KEY), KEY, StoreRequest.OWED, 0);
        first.schedule(C1, "other", StoreRequest.OWED, now() - 5);
        assertThat(first.due(9, 9).claimed()).extracting(DueTask::position).containsExactly(M1);
        assertThat(first.claimed(C1, "other", true)).isEqualTo(Claimed.Ok.FIRST);
        assertThat(recall().past().owed()).hasSize(2);
    }

    @Test
    void nothingIsOwedOnceTheMessageCame() {
        first.acquire();
        long token = first.claim(M1, null);
        second.acquire();
        assertThat(second.adopt(M1, null, 2)).isEqualTo(HandCode.OK);
        first.late(M1, token, null, 2, new Verdict.Success(null));
        Past past = second.acquire().past();
        assertThat(past.owed()).isEmpty();
        assertThat(pages(past)).containsExactly("2 " + ONE);
    }

    @Test
    void anOwnersOutcomeIsOwedIfItSaysSo() {
        first.acquire();
        first.succeed(M1, first.claim(M1, null), null, StoreRequest.OWED);
        first.claim(C1, null);
        assertThat(first.adopt(C1, null, StoreRequest.OWED)).isEqualTo(HandCode.OK);
        assertThat(first.adopt(C1, null, StoreRequest.OWED)).isEqualTo(HandCode.DONE);
        assertThat(first.acquire(new Presented(C1, first.lastToken(), null, 1, -1))
                        .past()
                        .owed())
                .containsExactlyInAnyOrder(M1, C1);
        assertThat(first.adopt(C1, null, -1)).isEqualTo(HandCode.DONE);
        first.succeed(C1, first.lastToken() - 1, null, StoreRequest.OWED);
        assertThat(recall().past().owed()).containsExactly(M1);
        first.gone(M1, null);
        assertThat(recall().past()).isEqualTo(Past.NONE);
    }

    @Test
    void whatIsOwedCountsAsSettled() {
        first.acquire();
        long token = first.claim(M1, null);
        second.acquire();
        first.late(M1, token, null, -1, new Verdict.Success(null));
        assertThat(first.late(M1, token, null, -1, new Verdict.Success(null)))
                .as("once more: it is recorded already")
                .isTrue();
        assertThat(second.acquire(new Presented(M1, token, null, 1, -1)).presentedTokens())
                .isEmpty();
    }

    // Relays

    @Test
    void aFormerOwnersRelayIsTakenWhileNobodyOwnsThePartitionSince() {
        first.acquire();
        long token = first.claim(M1, KEY);
        Claim next = new Claim(M2, first.nextToken(), KEY, false);
        first.release();
        assertThat(first.late(relaying(M1, token, next))).isTrue();
        Acquired acquired = second.acquire();
        assertThat(acquired.past().owed()).containsExactly(M1);
        assertThat(acquired.foreign()).extracting(Foreign::position).containsExactly(M2);
    }

    @Test
    void aFormerOwnersRelayIsRefusedOnceAnotherOwnsThePartition() {
        first.acquire();
        long token = first.claim(M1, KEY);
        Claim next = new Claim(M2, first.nextToken(), KEY, false);
        second.acquire();
        assertThat(first.late(relaying(M1, token, next))).isFalse();
        assertThat(first.late(M2, next.token(), KEY, -1, new Verdict.Success(null)))
                .isFalse();
        Acquired acquired = second.acquire();
        assertThat(acquired.past()).isEqualTo(Past.NONE);
        assertThat(acquired.foreign()).extracting(Foreign::position).containsExactly(M1);
    }

    private static Settle relaying(Position position, long token, Claim next) {
        return new Settle(position, token, KEY, -1, new Verdict.Success(null), 0, next);
    }

    // Another partition's redeliveries

    @Test
    void aRecallTellsWhoseChannelIsGone() {
        first.acquire();
        first.claim(M1, null);
        first.claim(M2, null);
        first.adopt(M2, null, -1);
        assertThat(recall().claims()).extracting(Live::former).containsExactly(false);
        second.acquire();
        second.claim(C1, null);
        assertThat(recall().claims()).extracting(Live::position).containsExactlyInAnyOrder(M1, C1);
        assertThat(recall().claims())
                .allSatisfy(live ->
                        assertThat(live.former()).isEqualTo(live.position().equals(M1)))
                .allSatisfy(live -> assertThat(live.remainingMillis()).isBetween(1L, Owner.LONG));
    }

    @Test
    void aRecallAfterARestartIsCompleteOnceTheNextOwnerHasHeardOfAllThatRuns() {
        first.leaseMillis = SHORT;
        first.acquire();
        assertThat(recall().complete()).isTrue();
        pass(SHORT + 1);
        restarted(partition);
        assertThat(recall().complete()).as("nobody has acquired it since").isFalse();
        second.leaseMillis = SHORT;
        second.acquire();
        assertThat(recall().complete()).as("others may still run something").isFalse();
        pass(SHORT + 1);
        assertThat(recall().complete()).isTrue();
    }

    @Test
    void aRecallOfAnUnknownPartitionFindsNothing() {
        assertThat(recall().complete()).isTrue();
        assertThat(recall().claims()).isEmpty();
        assertThat(recall().past()).isEqualTo(Past.NONE);
        assertThat(redeliver("x", M1).codes()).containsExactly(HandCode.GONE);
        assertThat(redeliver("x").runId()).isEqualTo(recall().runId());
    }

    @Test
    void aRedeliveryOfARunningTaskGoesUnderItsClaim() {
        first.leaseMillis = SHORT;
        first.acquire();
        long token = first.claim(M1, null);
        first.claim(TWIN, null);
        assertThat(redeliver("x", M1, M2).codes()).containsExactly(HandCode.OK, HandCode.GONE);
        assertThat(recall().claims()).extracting(Live::position).containsExactly(TWIN);
        assertThat(first.due(9, 9).claimed()).isEmpty();
        assertThat(first.succeed(M1, token, null, StoreRequest.OWED)).isEqualTo(Settled.Ok.PLAIN);
        assertThat(recall().past().owed()).isEmpty();
        pass(SHORT + 1);
        assertThat(first.patrol().returned()).isEqualTo(1);
        assertThat(recall().past().lapsed()).containsExactly(new Lapsed(TWIN, 1));
    }

    @Test
    void aRedeliveryOfALapsedTaskIsDueWithItsLapses() {
        first.leaseMillis = SHORT;
        first.acquire();
        first.claim(M1, null);
        first.claim(TWIN, null);
        assertThat(redeliver("x", TWIN).codes()).containsExactly(HandCode.OK);
        pass(SHORT + 1);
        first.patrol();
        assertThat(redeliver("x", M1).codes()).containsExactly(HandCode.OK);
        assertThat(recall().past().lapsed()).isEmpty();
        assertThat(first.due(9, 9).claimed())
                .hasSize(2)
                .extracting(DueTask::lapses)
                .containsOnly(1);
        pass(SHORT + 1);
        first.patrol();
        assertThat(first.due(9, 9).claimed())
                .hasSize(2)
                .extracting(DueTask::lapses)
                .containsOnly(2);
    }

    @Test
    void aRedeliveredTaskIsNotClaimedAgainBeforeItsMessageIsAcked() {
        first.leaseMillis = SHORT;
        first.acquire();
        first.claim(M1, null);
        first.claim(TWIN, null);
        assertThat(redeliverAfter(Owner.LONG, "x", TWIN).codes()).containsExactly(HandCode.OK);
        pass(SHORT + 1);
        assertThat(first.patrol().returned()).as("only the other one").isEqualTo(1);
        assertThat(redeliverAfter(Owner.LONG, "x", M1).codes()).containsExactly(HandCode.OK);
        assertThat(first.due(9, 9).claimed()).isEmpty();
        assertThat(first.patrol().nextDueMillis()).isBetween(1L, Owner.LONG);
    }

    @Test
    void aRedeliveryOfWhatIsOwedIsDone() {
        first.acquire();
        long token = first.claim(M1, null);
        second.acquire();
        first.late(M1, token, null, -1, new Verdict.Retry(0, envelope(null, token)));
        assertThat(redeliver("x", M1).codes()).containsExactly(HandCode.DONE);
        assertThat(recall().past().owed()).isEmpty();
        assertThat(second.due(9, 9).claimed()).extracting(DueTask::envelope).containsExactly(envelope(null, token));
        assertThat(second.adopt(M1, null, 1)).as("held").isEqualTo(HandCode.DONE);
    }

    @Test
    void aPositionIsGivenUpOnce() {
        first.acquire();
        long owed = first.claim(M1, null);
        long token = first.claim(M2, null);
        first.succeed(M1, owed, null, StoreRequest.OWED);
        assertThat(redeliver("x", M1, M2).codes()).containsExactly(HandCode.DONE, HandCode.OK);
        assertThat(redeliver("y", M1, M2).codes()).containsExactly(HandCode.GONE, HandCode.GONE);
        first.succeed(M2, token, null, -1);
        assertThat(redeliver("x", M2, M1).codes())
                .as("the same again, whatever became of it")
                .containsExactly(HandCode.OK, HandCode.DONE);
    }

    @Test
    void whatWasGivenUpIsRememberedLikeAPage() {
        first.acquire();
        first.claim(M1, null);
        first.claim(M2, null);
        redeliver("x", M2, M1);
        assertThat(pages(recall().past())).containsExactly(Page.REDELIVERED + " " + ONE + TWO);
        first.committed(9);
        assertThat(pages(first.acquire().past())).containsExactly(Page.REDELIVERED + " " + ONE + TWO);
    }

    @Test
    void aBuriedMessageIsOwedOrRememberedToo() {
        first.acquire();
        Entry buried = new Entry(M1, null, StoreRequest.OWED, new Move.Bury(), envelope(null, 0));
        assertThat(first.hand(buried)).containsExactly(HandCode.OK);
        assertThat(first.bury(M2, 4)).isEqualTo(HandCode.OK);
        assertThat(first.acquire().past().owed()).containsExactly(M1);
        assertThat(first.bury(M1, 4)).isEqualTo(HandCode.DONE);
        assertThat(pages(first.acquire().past())).containsExactly("4 " + TWO + ONE);
    }

    private Recalled recall() {
        return (Recalled) ask(new Recall(partition));
    }

    private Redelivered redeliver(String by, Position... positions) {
        return redeliverAfter(0, by, positions);
    }

    private Redelivered redeliverAfter(long after, String by, Position... positions) {
        List<Redelivery> messages = Stream.of(positions)
                .map(position -> new Redelivery(position, envelope(null, 0)))
                .toList();
        return (Redelivered) ask(new Redeliver(partition, by, after, messages));
    }

    /** Each as its number and its identities. */
    private static List<String> pages(Past past) {
        return past.pages().stream()
                .map(page -> page.number() + " " + new String(page.identities(), StandardCharsets.US_ASCII))
                .toList();
    }
}
