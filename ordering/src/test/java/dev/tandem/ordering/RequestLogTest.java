package dev.tandem.ordering;

import static dev.tandem.ordering.Entries.delivered;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.ordering.RequestLog.Sent;
import dev.tandem.task.Partition;
import dev.tandem.task.store.StoreRequest;
import dev.tandem.task.store.StoreRequest.Move;
import dev.tandem.task.store.StoreRequest.Verdict;
import java.util.ArrayDeque;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Examples of the numbered requests of one partition, and of what is sent again after a break. */
class RequestLogTest {

    private final RequestLog log = new RequestLog(Partition.of("orders", 0), "writer");
    private final PendingItem.Outcome outcome =
            new PendingItem.Outcome(delivered("a", 0), 101, 1, new Verdict.Retry(1_000, new byte[1]));
    private final PendingItem.Handover handOver = new PendingItem.Handover(delivered("b", 1), new Move.Schedule(5_000));

    private Sent send(List<PendingItem.Outcome> outcomes, List<PendingItem.Handover> handOvers) {
        StoreRequest.Release any = new StoreRequest.Release(log.next());
        Sent sent = new Sent(any, outcomes, List.of(), handOvers, 0, 0, 0);
        log.sent(sent);
        return sent;
    }

    private void breakConnection() {
        log.planResend(new ArrayDeque<>());
    }

    @Test
    void eachRequestHasTheNextNumber() {
        assertThat(log.next().number()).isEqualTo(1);
        assertThat(log.next().number()).isEqualTo(2);
        assertThat(log.lastNumber()).isEqualTo(2);
    }

    @Test
    void anAnswerBelongsToTheOldestRequest() {
        Sent first = send(List.of(), List.of());
        Sent second = send(List.of(), List.of());

        assertThat(log.answered(second.request())).isNull();
        assertThat(log.answered(first.request())).isSameAs(first);
        assertThat(log.answered(second.request())).isSameAs(second);
    }

    @Test
    void whatHasNoAnswerIsSentAgainAfterABreak() {
        send(List.of(outcome), List.of());
        send(List.of(), List.of(handOver));

        breakConnection();

        assertThat(log.pending()).isEmpty();
        assertThat(log.takeResend(10)).containsExactly(outcome);
        assertThat(log.takeResend(10)).containsExactly(handOver);
        assertThat(log.takeResend(10)).isEmpty();
    }

    @Test
    void whatIsDurableIsNotSentAgain() {
        log.hold(outcome, 1);
        log.hold(handOver, 2);
        assertThat(log.proven(1)).containsExactly(outcome);

        breakConnection();

        assertThat(log.takeResend(10)).containsExactly(handOver);
    }

    @Test
    void onlyTheLastItemOfAPositionIsSentAgain() {
        log.hold(new PendingItem.Handover(outcome.entry(), new Move.Adopt()), 1);
        send(List.of(outcome), List.of());

        breakConnection();

        assertThat(log.takeResend(10)).containsExactly(outcome);
    }

    @Test
    void aParkedTaskGoesBackToItsLane() {
        PendingItem.Handover park = new PendingItem.Handover(delivered("k", 3), new Move.Park());
        send(List.of(), List.of(park));

        assertThat(log.planResend(new ArrayDeque<>())).containsExactly(park.entry());
        assertThat(log.resend()).isEmpty();
    }

    @Test
    void theOutcomesOfAnEndedOwnershipAreHandedBack() {
        send(List.of(outcome), List.of(handOver));

        assertThat(log.drop()).containsExactly(outcome);
        assertThat(log.pending()).isEmpty();
    }
}
