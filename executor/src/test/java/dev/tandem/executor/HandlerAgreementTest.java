package dev.tandem.executor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeout;

import dev.tandem.executor.HandlerAgreement.Verdict;
import dev.tandem.task.store.HandledTypes;
import dev.tandem.task.store.HandlerPeer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class HandlerAgreementTest {

    private static final long GRACE = 60_000;
    /** An executor is refused this much later than the grace at most. */
    private static final long SPREAD = GRACE / 4;

    private static final UnhandledPolicy REFUSE = new UnhandledPolicy(Duration.ofMillis(GRACE), true);
    private static final UnhandledPolicy WARN = new UnhandledPolicy(Duration.ofMillis(GRACE), false);

    private static HandledTypes types(String... types) {
        return new HandledTypes(Set.of(types), false);
    }

    private static HandlerPeer peer(String id, long startedAt, String... types) {
        return new HandlerPeer(id, startedAt, true, types(types));
    }

    /** Lets an executor look at the start, and when the grace is over. */
    private static Verdict afterTheGrace(HandlerAgreement agreement, List<HandlerPeer> peers) {
        assertThat(agreement.check(0, true, peers).refused()).isFalse();
        agreement.check(GRACE, true, peers);
        return agreement.check(GRACE + SPREAD, true, peers);
    }

    @Test
    void duringARollingDeploymentAnExecutorOfTheOldVersionIsTold() {
        HandlerAgreement old = new HandlerAgreement("old", types("ship"), REFUSE);
        List<HandlerPeer> peers = List.of(peer("old", 1, "ship"), peer("new", 2, "refund", "ship"));

        Verdict verdict = old.check(0, true, peers);
        assertThat(verdict.lacked()).isEqualTo(Map.of("refund", "new"));
        assertThat(verdict.refusedInMillis()).isBetween(GRACE, GRACE + SPREAD);
        assertThat(verdict.isLeftToOthers("refund")).isTrue();
        assertThat(verdict.isLeftToOthers("misspelled")).isFalse();
        assertThat(old.check(GRACE - 1, true, peers).refused()).isFalse();
        old.check(GRACE, true, peers);
        assertThat(old.check(GRACE + SPREAD, true, peers).refused()).isTrue();
        assertThat(old.check(GRACE + SPREAD + 1, false, List.of(peers.get(0))).refused())
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
        old.check(0, true, both);
        old.check(GRACE / 2, true, List.of());
        old.check(GRACE - 1, true, both);

        assertThat(old.check(GRACE + SPREAD, true, both).refused()).isFalse();
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

    @Test
    void anExecutorThatHoldsNothingRefusesNobody() {
        HandlerPeer idle = new HandlerPeer("new", 2, false, types("refund", "ship"));

        Verdict verdict = afterTheGrace(
                new HandlerAgreement("old", types("ship"), REFUSE), List.of(peer("old", 1, "ship"), idle));

        assertThat(verdict.willBeRefused()).isFalse();
        assertThat(verdict.lacked()).as("people are told").isEqualTo(Map.of("refund", "new"));
    }

    @Test
    void anExecutorThatDiesAgainAndAgainRefusesNobody() {
        HandlerAgreement old = new HandlerAgreement("old", types("ship"), REFUSE);

        for (long now = 0; now < 10 * GRACE; now += 1_000) {
            // It is back before anybody has noticed, with another id.
            String id = "new-" + now / (GRACE / 2);
            assertThat(old.check(now, true, List.of(peer("old", 1, "ship"), peer(id, now, "refund", "ship")))
                            .refused())
                    .isFalse();
        }
    }

    @Test
    void theRefusalEndsWhenNobodyWorksWithTheAcceptedHandlersAnyMore() {
        HandlerAgreement old = new HandlerAgreement("old", types("ship"), REFUSE);
        assertThat(afterTheGrace(old, List.of(peer("new", 2, "refund", "ship"))).refused())
                .isTrue();

        HandlerPeer cutOff = new HandlerPeer("new", 2, false, types("refund", "ship"));
        assertThat(old.check(2 * GRACE, false, List.of(cutOff)).refused()).isFalse();
    }

    @Test
    void theExecutorsThatStayMayBeRestartedOneAfterAnother() {
        HandlerAgreement old = new HandlerAgreement("old", types("ship"), REFUSE);
        List<HandlerPeer> before = List.of(peer("new-1", 2, "refund", "ship"), peer("new-2", 3, "refund", "ship"));
        assertThat(afterTheGrace(old, before).refused()).isTrue();

        long now = GRACE + SPREAD;
        assertThat(old.check(now + 1, false, List.of(before.get(1), peer("new-3", 4, "refund", "ship")))
                        .refused())
                .isTrue();
        assertThat(old.check(now + 2, false, List.of(peer("new-3", 4, "refund", "ship")))
                        .refused())
                .isTrue();
        assertThat(old.check(now + 2 * GRACE + 2, false, List.of(peer("new-4", 5, "refund", "ship")))
                        .refused())
                .as("none of them has stayed")
                .isFalse();
    }

    @Test
    void executorsAreNotRefusedAtOnce() {
        List<HandlerPeer> peers = List.of(peer("new", 2, "refund", "ship"));

        assertThat(Stream.of("a", "b", "c", "d")
                        .map(id -> new HandlerAgreement(id, types("ship"), REFUSE)
                                .check(0, true, peers)
                                .refusedInMillis()))
                .doesNotHaveDuplicates();
    }

    @Test
    void manyExecutorsWithTheSameHandlersAreComparedAsOne() {
        Set<String> many = IntStream.range(0, 1_000).mapToObj(n -> "type-" + n).collect(Collectors.toSet());
        List<HandlerPeer> peers = IntStream.range(0, 1_000)
                .mapToObj(n -> new HandlerPeer("e" + n, n, true, new HandledTypes(many, false)))
                .toList();
        HandlerAgreement agreement = new HandlerAgreement("e0", new HandledTypes(many, false), REFUSE);

        // A comparison of each with each takes minutes.
        assertTimeout(
                Duration.ofSeconds(60),
                () -> IntStream.range(0, 100)
                        .forEach(n -> assertThat(agreement.check(n, true, peers).willBeRefused())
                                .isFalse()));
    }
}
