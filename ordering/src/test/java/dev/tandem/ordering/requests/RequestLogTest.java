package dev.tandem.ordering.requests;

import static dev.tandem.ordering.lanes.Entries.delivered;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.ordering.requests.RequestLog.Sent;
import dev.tandem.task.Partition;
import dev.tandem.task.store.StoreRequest;
import dev.tandem.task.store.StoreRequest.Move;
import dev.tandem.task.store.StoreRequest.Verdict;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Examples of the numbered requests of one partition, and of what is sent again after a break. */
class RequestLogTest {

    private final RequestLog log = new RequestLog(Partition.of("orders", 0), "writer");
    private final PendingOutcome outcome =
            new PendingOutcome(delivered("a", 0), 101, 1, new Verdict.Retry(1_000, new byte[1]), 0);
    private final PendingHandOver handOver = new PendingHandOver(delivered("b", 1), new Move.Schedule(5_000));

    private Sent send(List<PendingOutcome> outcomes, List<PendingHandOver> handOvers) {
        StoreRequest.Release any = new StoreRequest.Release(log.next());
        Sent sent = new Sent(any, outcomes, List.of(), handOvers, 0, 0, 0);
        log.sent(sent);
        return sent;
    }

    private void breakConnection() {
        log.planResend(new ArrayList<>());
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

        assertThat(log.unanswered()).isEmpty();
        assertThat(log.takeResend(10)).containsExactly(outcome);
        assertThat(log.takeResend(10)).containsExactly(handOver);
        assertThat(log.takeResend(10)).isEmpty();
    }

    @Test
    void whatIsDurableIsNotSentAgain() {
        log.keepUntilDurable(outcome, 1);
        log.keepUntilDurable(handOver, 2);
        assertThat(log.durable(1)).containsExactly(outcome);

        breakConnection();

        assertThat(log.takeResend(10)).containsExactly(handOver);
    }

    @Test
    void onlyTheLastWriteOfAPositionIsSentAgain() {
        log.keepUntilDurable(new PendingHandOver(outcome.entry(), new Move.Adopt()), 1);
        send(List.of(outcome), List.of());

        breakConnection();

        assertThat(log.takeResend(10)).containsExactly(outcome);
    }

    @Test
    void aParkedTaskGoesBackToItsLane() {
        PendingHandOver park = new PendingHandOver(delivered("k", 3), new Move.Park());
        send(List.of(), List.of(park));

        assertThat(log.planResend(new ArrayList<>())).containsExactly(park.entry());
        assertThat(log.planned()).isEmpty();
    }

    @Test
    void theOutcomesOfAnEndedOwnershipAreHandedBack() {
        send(List.of(outcome), List.of(handOver));

        assertThat(log.drop()).containsExactly(outcome);
        assertThat(log.unanswered()).isEmpty();
    }
}
