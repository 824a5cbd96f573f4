package dev.tandem.executor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.executor.HandlerAgreement.Verdict;
import dev.tandem.task.store.HandledTypes;
import dev.tandem.task.store.HandlerPeer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class HandlerAgreementTest {

    private static final long GRACE = 60_000;
    private static final UnknownTypes REFUSE = new UnknownTypes(Duration.ofMillis(GRACE), true);
    private static final UnknownTypes WARN = new UnknownTypes(Duration.ofMillis(GRACE), false);

    private static HandledTypes types(String... types) {
        return new HandledTypes(Set.of(types), false);
    }

    private static HandlerPeer peer(String id, long startedAt, String... types) {
        return new HandlerPeer(id, startedAt, true, types(types));
    }

    /** Lets an executor look at the start, and when the grace is over. */
    private static Verdict afterTheGrace(HandlerAgreement agreement, List<HandlerPeer> peers) {
        assertThat(agreement.check(0, peers).refused()).isFalse();
        return agreement.check(GRACE, peers);
    }

    @Test
    void duringARollingDeploymentAnExecutorOfTheOldVersionIsTold() {
        HandlerAgreement old = new HandlerAgreement("old", types("ship"), REFUSE);
        List<HandlerPeer> peers = List.of(peer("old", 1, "ship"), peer("new", 2, "refund", "ship"));

        Verdict verdict = old.check(0, peers);
        assertThat(verdict.lacked()).isEqualTo(Map.of("refund", "new"));
        assertThat(verdict.refusedInMillis()).isEqualTo(GRACE);
        assertThat(verdict.isLeftToOthers("refund")).isTrue();
        assertThat(verdict.isLeftToOthers("misspelled")).isFalse();
        assertThat(old.check(GRACE - 1, peers).refused()).isFalse();
        assertThat(old.check(GRACE, peers).refused()).isTrue();
        assertThat(old.check(GRACE + 1, List.of(peers.get(0))).refused())
                .as("the other one has left")
                .isFalse();
    }

    @Test
    void anExecutorThatLacksNothingIsNeverRefused() {
        HandlerAgreement next = new HandlerAgreement("new", types("ship", "refund"), REFUSE);

        Verdict verdict = afterTheGrace(next, List.of(peer("old", 1, "ship"), peer("new", 2, "refund", "ship")));

        assertThat(verdict.lacked()).isEmpty();
        assertThat(verdict.refused()).isFalse();
    }

    @Test
    void ofTwoApplicationsWithDifferentHandlersTheOneThatCameLaterIsRefused() {
        List<HandlerPeer> peers = List.of(peer("a", 1, "ship"), peer("b", 2, "mail"));

        Verdict first = afterTheGrace(new HandlerAgreement("a", types("ship"), REFUSE), peers);
        assertThat(first.refused()).isFalse();
        assertThat(first.lacked()).as("people are told").isEqualTo(Map.of("mail", "b"));
        assertThat(first.isLeftToOthers("mail")).as("it stays").isFalse();
        assertThat(afterTheGrace(new HandlerAgreement("b", types("mail"), REFUSE), peers)
                        .refused())
                .isTrue();
    }

    @Test
    void anExecutorThatIsRefusedDoesNotRefuseAnyone() {
        HandlerAgreement restarted = new HandlerAgreement("a", types("ship"), REFUSE);
        HandlerPeer refused = new HandlerPeer("b", 1, false, types("mail"));

        assertThat(afterTheGrace(restarted, List.of(refused, peer("a", 2, "ship")))
                        .refused())
                .isFalse();
    }

    @Test
    void aShortDifferenceBeginsTheGraceAnew() {
        HandlerAgreement old = new HandlerAgreement("old", types("ship"), REFUSE);
        List<HandlerPeer> both = List.of(peer("old", 1, "ship"), peer("new", 2, "refund", "ship"));
        old.check(0, both);
        old.check(GRACE / 2, List.of());
        old.check(GRACE - 1, both);

        assertThat(old.check(GRACE + 1, both).refused()).isFalse();
    }

    @Test
    void withWarnNobodyIsRefused() {
        HandlerAgreement old = new HandlerAgreement("old", types("ship"), WARN);

        Verdict verdict = afterTheGrace(old, List.of(peer("new", 2, "refund", "ship")));

        assertThat(verdict.refused()).isFalse();
        assertThat(verdict.lacked()).containsOnlyKeys("refund");
        assertThat(verdict.isLeftToOthers("refund"))
                .as("it would wait for ever")
                .isFalse();
    }

    @Test
    void aHandlerForAnyTypeLacksNothingAndIsMissedByOthers() {
        HandledTypes any = new HandledTypes(Set.of("http"), true);
        List<HandlerPeer> peers = List.of(peer("a", 1, "ship"), new HandlerPeer("b", 2, true, any));

        assertThat(afterTheGrace(new HandlerAgreement("b", any, REFUSE), peers).lacked())
                .isEmpty();
        Verdict verdict = afterTheGrace(new HandlerAgreement("a", types("ship"), REFUSE), peers);
        assertThat(verdict.lacked()).isEqualTo(Map.of(HandledTypes.ANY, "b", "http", "b"));
        assertThat(verdict.refused()).isTrue();
        assertThat(verdict.isLeftToOthers("whatever")).isTrue();
    }
}
