package dev.tandem.verify.check;

import static dev.tandem.verify.check.JudgementAssertions.assertKeeps;
import static dev.tandem.verify.check.JudgementAssertions.assertViolates;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.verify.record.Event;
import dev.tandem.verify.record.Event.Ending;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Effects of faults, and recovery from them. */
class FaultCheckTest {

    @Test
    void doesNotCountARetryAsRecovery() {
        Judgement judgement = new HistoryBuilder()
                .published(0, "a1", "a")
                .started(100, "p", "a1", "a", 1)
                .fault(105, 200, "p")
                .finished(110, "p", "a1", Ending.FAILED)
                .left(150, "p")
                .started(2_110, "q", "a1", "a", 2)
                .finished(2_120, "q", "a1", Ending.SUCCEEDED)
                .closed(3_000)
                .judge();
        assertKeeps(judgement, CheckerRule.NOT_VACUOUS);
        assertThat(judgement.statistics().recoveries()).isEmpty();
        assertThat(judgement.statistics().effectiveRounds()).isEqualTo(1);
    }

    @Test
    void reportsAFaultWithoutAnEffect() {
        Judgement judgement = new HistoryBuilder()
                .published(0, "a1", "a")
                .ran(100, "p", "a1", "a")
                .killed(5_000, "p")
                .fault(5_000, 5_100, "p")
                .closed(20_000)
                .judge();
        assertViolates(judgement, CheckerRule.NOT_VACUOUS);
        assertThat(judgement.vacuous()).isTrue();
        assertThat(judgement.statistics().effectiveRounds()).isZero();
    }

    @Test
    void requiresAnEffectOfEachCombinedFault() {
        Judgement judgement = new HistoryBuilder()
                .published(0, "a1", "a")
                .ran(100, "p", "a1", "a")
                .add(new Event.FaultBegan(1, "forget", 1, List.of()))
                .add(new Event.FaultEnded(2, "forget", 1, 1))
                .add(new Event.FaultBegan(3, "restart", 1, List.of()))
                .add(new Event.FaultEnded(4, "restart", 1, 0))
                .closed(20_000)
                .judge();
        assertViolates(judgement, CheckerRule.NOT_VACUOUS);
        assertThat(judgement.statistics().effectiveRounds()).isEqualTo(1);
    }

    @Test
    void usesTheCountOfAFaultThatCountsItself() {
        assertViolates(
                new HistoryBuilder()
                        .published(0, "a1", "a")
                        .ran(100, "p", "a1", "a")
                        .add(new Event.FaultBegan(1, "forget", 1, List.of()))
                        .add(new Event.FaultEnded(2, "forget", 1, 0))
                        .closed(20_000)
                        .judge(),
                CheckerRule.NOT_VACUOUS);
    }

    @Test
    void recognisesALostOutcomeThatTheFaultDidNotCount() {
        assertKeeps(writesLostWithStoreDownFrom(150).judge(), CheckerRule.NOT_VACUOUS);
        assertViolates(writesLostWithStoreDownFrom(105).judge(), CheckerRule.NOT_VACUOUS);
    }

    /** A task ends at 111 ms. The store loses all writes since 100 ms, and is down from the given time. */
    private static HistoryBuilder writesLostWithStoreDownFrom(long down) {
        return new HistoryBuilder()
                .published(0, "a1", "a")
                .add(new Event.FaultBegan(100_000_000L, "forget", 1, List.of()))
                .ran(101, "p", "a1", "a")
                .down(down, 200, Event.Server.STORE)
                .writesLost(100, 200)
                .add(new Event.FaultEnded(200_000_000L, "forget", 1, 0))
                .closed(20_000);
    }
}
