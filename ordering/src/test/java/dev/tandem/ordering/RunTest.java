package dev.tandem.ordering;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.Task;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Examples of a run that waits for a worker while its claim is renewed, lost or held again. */
class RunTest {

    private final Run run =
            new Run(new Partition("q", "0"), Position.of(0, 1), Task.of("q", null, new byte[0]), 7, 1, 0, 1, 1_000);

    @Test
    void mayBeginWhileItsClaimIsHeld() {
        assertThat(run.mayBegin(999)).isTrue();
        assertThat(run.mayBegin(1_000)).isFalse();
        run.renewedUntil(2_000);
        assertThat(run.mayBegin(1_000)).isTrue();
    }

    @Test
    void neverBeginsOnceItsClaimWasLostEvenIfTheClaimStandsAgain() {
        run.lost(500);
        assertThat(run.leaseUntil()).isLessThan(500);
        run.heldAgain(600, 1_600);
        assertThat(run.leaseUntil()).isEqualTo(1_600);
        assertThat(run.mayBegin(700)).isFalse();
    }

    @Test
    void neverBeginsIfItsLeaseRanOutBeforeTheClaimStoodAgain() {
        run.heldAgain(1_001, 2_001);
        assertThat(run.mayBegin(1_100)).isFalse();
    }

    @Test
    void neverBeginsIfTheClaimThatItsRowFollowsFromWasLostWhileItsWorkerTookIt() {
        Run next =
                new Run(new Partition("q", "0"), Position.of(0, 2), Task.of("q", null, new byte[0]), 8, 1, 0, 2, 1_000);
        new Row("k", List.of(run, next), List.of(), 600);
        assertThat(run.beginNext(499)).isSameAs(next);

        run.lost(500);

        assertThat(next.mayBegin(500)).isFalse();
        run.heldAgain(600, 1_600);
        next.follows(run);
        assertThat(next.mayBegin(700)).isFalse();
    }

    @Test
    void mayBeginIfItsClaimWasHeldAllTheTime() {
        run.heldAgain(900, 1_900);
        assertThat(run.mayBegin(1_100)).isTrue();
    }
}
