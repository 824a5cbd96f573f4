package dev.tandem.task;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TaskStateTest {

    /** The legal steps, written a second time on purpose. */
    private static final Set<String> STEPS = Set.of(
            "DELIVERED>SCHEDULED",
            "DELIVERED>PARKED",
            "DELIVERED>ACTIVE",
            "DELIVERED>RETRY",
            "DELIVERED>DEAD",
            "DELIVERED>CANCELLED",
            "SCHEDULED>ACTIVE",
            "SCHEDULED>PARKED",
            "SCHEDULED>DEAD",
            "SCHEDULED>CANCELLED",
            "PARKED>ACTIVE",
            "PARKED>RETRY",
            "PARKED>DEAD",
            "PARKED>CANCELLED",
            "ACTIVE>DELIVERED",
            "ACTIVE>SUCCEEDED",
            "ACTIVE>RETRY",
            "ACTIVE>PARKED",
            "ACTIVE>DEAD",
            "ACTIVE>EXPIRED",
            "ACTIVE>CANCELLED",
            "RETRY>ACTIVE",
            "RETRY>PARKED",
            "RETRY>DEAD",
            "RETRY>CANCELLED",
            "DEAD>RETRY",
            "DEAD>CANCELLED");

    @ParameterizedTest
    @EnumSource
    void aStepIsLegalIfAndOnlyIfItIsListed(TaskState from) {
        Set<String> legal = Stream.of(TaskState.values())
                .filter(from::mayBecome)
                .map(to -> from + ">" + to)
                .collect(Collectors.toSet());
        assertThat(legal)
                .isEqualTo(STEPS.stream()
                        .filter(step -> step.startsWith(from + ">"))
                        .collect(Collectors.toSet()));
    }

    @Test
    void noStepIsListedTwice() {
        assertThat(TaskTransition.ALL).hasSameSizeAs(STEPS);
    }

    @Test
    void noTaskButADeadOneLeavesAFinalState() {
        for (TaskState from : TaskState.values()) {
            boolean leaves = Stream.of(TaskState.values()).anyMatch(from::mayBecome);
            assertThat(leaves).isEqualTo(!from.isFinal() || from == TaskState.DEAD);
        }
    }
}
