package dev.tandem.ordering.ownership;

import static dev.tandem.ordering.ownership.OwnershipPhase.ACQUIRING;
import static dev.tandem.ordering.ownership.OwnershipPhase.CONFIRMING;
import static dev.tandem.ordering.ownership.OwnershipPhase.LEAVING;
import static dev.tandem.ordering.ownership.OwnershipPhase.LEFT;
import static dev.tandem.ordering.ownership.OwnershipPhase.OWNED;
import static dev.tandem.ordering.ownership.OwnershipPhase.WAITING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.task.Partition;
import dev.tandem.task.Source;
import dev.tandem.task.store.RequestHeader;
import dev.tandem.task.store.StoreRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The phases of an ownership: each legal step, and each forbidden one. */
class OwnershipPhasesTest {

    private static final Partition PARTITION = Partition.of("orders", 0);
    private static final StoreRequest.Acquire ACQUIRE = new StoreRequest.Acquire(
            new RequestHeader(PARTITION, "writer", 1, 0), "executor", 10_000, 1, "topic", 0, List.of());

    /** An event of an ownership, the phases in which it may happen, and the phase that follows. */
    private enum Step {
        ASSIGNED(o -> o.assigned(Source.Facts.NONE, 0), WAITING, LEFT),
        CONFIRMING_STARTS(Ownership::confirming, CONFIRMING, WAITING),
        CONFIRMED(o -> o.confirmed(Source.Facts.NONE, 0), WAITING, CONFIRMING),
        CONFIRM_AGAIN(Ownership::confirmAgain, WAITING, CONFIRMING),
        ACQUIRE_SENT(o -> o.acquiring(ACQUIRE, 0), ACQUIRING, WAITING),
        ACQUIRED(o -> o.acquired(7, 1, "run-1"), OWNED, ACQUIRING),
        REFUSED(o -> o.refused(5), WAITING, ACQUIRING),
        CONNECTION_LOST(Ownership::acquireAgain, WAITING, ACQUIRING, OWNED),
        REVOKED(Ownership::leaving, LEAVING, OWNED),
        GIVEN_UP(Ownership::left, LEFT, OwnershipPhase.values());

        private final Consumer<Ownership> change;
        private final OwnershipPhase after;
        private final List<OwnershipPhase> legalIn;

        Step(Consumer<Ownership> change, OwnershipPhase after, OwnershipPhase... legalIn) {
            this.change = change;
            this.after = after;
            this.legalIn = List.of(legalIn);
        }
    }

    private static Ownership in(OwnershipPhase phase) {
        Ownership ownership = new Ownership(PARTITION);
        List<Step> steps = switch (phase) {
            case LEFT -> List.of();
            case WAITING -> List.of(Step.ASSIGNED);
            case CONFIRMING -> List.of(Step.ASSIGNED, Step.CONFIRMING_STARTS);
            case ACQUIRING -> List.of(Step.ASSIGNED, Step.ACQUIRE_SENT);
            case OWNED -> List.of(Step.ASSIGNED, Step.ACQUIRE_SENT, Step.ACQUIRED);
            case LEAVING -> List.of(Step.ASSIGNED, Step.ACQUIRE_SENT, Step.ACQUIRED, Step.REVOKED);
        };
        steps.forEach(step -> step.change.accept(ownership));
        assertThat(ownership.phase()).isEqualTo(phase);
        return ownership;
    }

    static Stream<Arguments> everyStepInEveryPhase() {
        List<Arguments> all = new ArrayList<>();
        for (OwnershipPhase phase : OwnershipPhase.values()) {
            for (Step step : Step.values()) {
                all.add(Arguments.of(phase, step));
            }
        }
        return all.stream();
    }

    @ParameterizedTest
    @MethodSource("everyStepInEveryPhase")
    void aStepIsTakenWhereItIsLegalAndRefusedElsewhere(OwnershipPhase phase, Step step) {
        Ownership ownership = in(phase);
        if (step.legalIn.contains(phase)) {
            assertThatCode(() -> step.change.accept(ownership)).doesNotThrowAnyException();
            assertThat(ownership.phase()).isEqualTo(step.after);
        } else {
            assertThatThrownBy(() -> step.change.accept(ownership))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("orders")
                    .hasMessageContaining(phase.name());
            assertThat(ownership.phase()).isEqualTo(phase);
        }
    }

    @Test
    void aPartitionWhoseFactsAreOldIsConfirmedFirst() {
        Ownership ownership = in(WAITING);
        assertThat(ownership.mustConfirm(1_000, 1_000)).isFalse();
        assertThat(ownership.mustConfirm(1_001, 1_000)).isTrue();
    }

    @Test
    void aPartitionThatWasOwnedIsConfirmedBeforeItIsAcquiredAgain() {
        Ownership ownership = in(OWNED);
        ownership.acquireAgain();
        assertThat(ownership.mustConfirm(0, 1_000)).isTrue();
        assertThat(ownership.continues()).as("nobody else can have owned it").isTrue();
    }

    @Test
    void anEpochIsToldOnce() {
        Ownership ownership = in(OWNED);
        assertThat(ownership.takeHeldEpoch()).isEqualTo(7);
        assertThat(ownership.takeHeldEpoch()).isEqualTo(Ownership.NO_EPOCH);
    }

    @Test
    void onlyTheAcquireInFlightIsAnswered() {
        Ownership ownership = in(ACQUIRING);
        StoreRequest.Acquire older = new StoreRequest.Acquire(
                new RequestHeader(PARTITION, "writer", 1, 0), "executor", 10_000, 1, "topic", 0, List.of());
        assertThat(ownership.takeAcquiring(older)).isFalse();
        assertThat(ownership.takeAcquiring(ACQUIRE)).isTrue();
        assertThat(ownership.takeAcquiring(ACQUIRE)).isFalse();
    }
}
