package dev.tandem.task.store;

import static dev.tandem.task.store.OwnerClient.park;
import static dev.tandem.task.store.OwnerClient.parkInTurn;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.Position;
import dev.tandem.task.store.ReadLines.LineRead;
import dev.tandem.task.store.StoreAnswer.BlockReason;
import dev.tandem.task.store.StoreAnswer.BlockedKey;
import dev.tandem.task.store.StoreAnswer.ClaimResult;
import dev.tandem.task.store.StoreAnswer.HandOverResult;
import dev.tandem.task.store.StoreAnswer.LineTask;
import dev.tandem.task.store.StoreAnswer.LinesRead;
import dev.tandem.task.store.StoreRequest.HandOver;
import dev.tandem.task.store.StoreRequest.Move.JoinLine;
import dev.tandem.task.store.StoreRequest.Move.Park;
import java.util.List;
import org.junit.jupiter.api.Test;

/** {@link JoinLine} and {@link ReadLines}: tasks wait in lines of tenants, and no time brings them out. */
interface TenantLinesConformance extends StoreFixture {

    int LINE = 7;
    int LAST = ReadLines.LINES - 1;

    private List<Position> read(LineRead... lines) {
        return first().readLines(ReadLines.FIND_NONE, lines).tasks().stream()
                .map(LineTask::position)
                .toList();
    }

    private HandOverResult join(Position position, String key, int line) {
        return first().joinLine(position, key, SettledMark.NONE, line);
    }

    @Test
    default void aLineIsReadInItsOrderAndFromAnyPlace() {
        first().acquire();
        assertThat(join(P3, null, LINE)).isEqualTo(HandOverResult.OK);
        join(P4, null, LAST);
        join(P1, null, LINE);
        join(P2, null, LINE);
        LinesRead some =
                first().readLines(0, new LineRead(LAST, LineRead.FRONT, 9), new LineRead(LINE, LineRead.FRONT, 2));
        assertThat(some.tasks()).extracting(LineTask::position).containsExactly(P4, P3, P1);
        assertThat(some.tasks()).extracting(LineTask::line).containsExactly(LAST, LINE, LINE);
        assertThat(some.more()).containsExactly(LINE);
        assertThat(some.found()).containsExactly(LINE, LAST);
        assertThat(read(new LineRead(LINE, some.tasks().get(2).place(), 9))).containsExactly(P2);
        assertThat(first().readLines(LINE + 1).found()).containsExactly(LAST);
    }

    @Test
    default void noTimeBringsATaskOutOfItsLine() {
        first().acquire();
        join(P1, null, 0);
        assertThat(first().claimDue(9, 9)).satisfies(due -> {
            assertThat(due.claimed()).isEmpty();
            assertThat(due.nextDueMillis()).isEqualTo(-1);
        });
        first().schedule(P2, null, SettledMark.NONE, storeTime());
        assertThat(first().claimDue(9, 9).claimed()).hasSize(1);
        assertThat(first().acquire().hasLines()).isTrue();
    }

    @Test
    default void aClaimTakesATaskOutOfItsLine() {
        first().acquire();
        join(P1, null, LINE);
        join(P2, null, LINE);
        assertThat(first().tryClaim(P1, null, true)).isInstanceOf(ClaimResult.Ok.class);
        assertThat(read(new LineRead(LINE, LineRead.FRONT, 9))).containsExactly(P2);
        assertThat(join(P2, null, LINE)).isEqualTo(HandOverResult.DONE);
    }

    @Test
    default void aKeyIsBlockedByItsTaskInALineAndGoesOnAfterIt() {
        first().acquire();
        assertThat(join(P1, KEY, LINE)).isEqualTo(HandOverResult.OK);
        assertThat(first().takeCustody(park(P2, KEY, SettledMark.NONE))).containsExactly(HandOverResult.OK);
        assertThat(first().tryClaim(P3, KEY, false)).isEqualTo(new ClaimResult.KeyBlocked(P1));
        assertThat(join(P3, KEY, LINE)).isEqualTo(HandOverResult.GONE);
        assertThat(first().readLines(ReadLines.FIND_NONE, new LineRead(LINE, LineRead.FRONT, 9))
                        .tasks())
                .satisfiesExactly(task -> assertThat(task.head()).isTrue());
        first().tryClaim(P1, KEY, true);
        first().succeed(P1, first().lastToken(), KEY, SettledMark.NONE);
        assertThat(first().claimDue(9, 9).claimed())
                .satisfiesExactly(next -> assertThat(next.position()).isEqualTo(P2));
    }

    @Test
    default void tasksBehindHeadsThatGoOnSoonHaveABoundOfTheirOwn() {
        first().acquire();
        join(P1, "in line", LINE);
        first().claim(P2, "runs");
        first().adopt(P2, "runs", SettledMark.NONE);
        first().blockKey("due", P3, 0);
        first().blockKey("waits", P4, OwnerClient.LONG);
        assertThat(first().takeCustody(
                                parks(5, "in line", 2),
                                parks(6, "waits", 2),
                                parks(7, "in line", 2),
                                parks(8, "runs", 2),
                                parks(9, "due", 2),
                                parks(10, "waits", 2)))
                .containsExactly(
                        HandOverResult.OK,
                        HandOverResult.OK,
                        HandOverResult.FULL,
                        HandOverResult.FULL,
                        HandOverResult.FULL,
                        HandOverResult.OK);
        assertThat(first().takeCustody(parks(7, "in line", 4), parks(8, "runs", 4), parks(9, "due", 5)))
                .containsExactly(HandOverResult.OK, HandOverResult.FULL, HandOverResult.OK);
    }

    @Test
    default void aHeadThatRunsElsewhereDoesNotGoOnSoon() {
        first().acquire();
        first().claim(P1, KEY);
        first().adopt(P1, KEY, SettledMark.NONE);
        assertThat(first().takeCustody(parks(5, KEY, 0))).containsExactly(HandOverResult.FULL);

        assertThat(second().acquire().blocked()).containsExactly(new BlockedKey(KEY, BlockReason.HEAD, P1));
        assertThat(second().takeCustody(parks(5, KEY, 0))).containsExactly(HandOverResult.OK);
    }

    @Test
    default void whatTheStoreHasIsParkedBehindAHeadThatGoesOnSoonInAnyCase() {
        first().acquire();
        join(P1, KEY, LINE);
        first().schedule(P2, KEY, SettledMark.NONE, storeTime());
        HandOver held = new HandOver(P2, KEY, SettledMark.NONE, new Park(0), null);
        assertThat(first().takeCustody(held, parks(5, KEY, 0))).containsExactly(HandOverResult.OK, HandOverResult.FULL);
    }

    private static HandOver parks(int offset, String key, int mostInTurn) {
        return parkInTurn(new Position("1:" + offset), key, mostInTurn);
    }

    @Test
    default void whatIsClaimedJoinsNoLine() {
        first().acquire();
        first().claim(P1, null);
        assertThat(join(P1, null, LINE)).isEqualTo(HandOverResult.GONE);
        assertThat(first().acquire().hasLines()).isFalse();
    }
}
