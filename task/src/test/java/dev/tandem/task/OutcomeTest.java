package dev.tandem.task;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests which outcomes end a task, and after how long it runs again after the others. */
class OutcomeTest {

    private static final List<Outcome> FINAL = List.of(
            Outcome.Succeeded.INSTANCE,
            new Outcome.Dead("boom"),
            new Outcome.Expired(null),
            Outcome.Cancelled.INSTANCE,
            new Outcome.Duplicate("other"));

    private static final List<Outcome> AGAIN = List.of(
            new Outcome.Retry(7, "boom"),
            new Outcome.Unhandled(1, 7, 8, "no handler"),
            new Outcome.Snoozed(7),
            Outcome.NotStarted.INSTANCE);

    @Test
    void eachOutcomeSaysWhetherTheTaskHasEnded() {
        assertThat(FINAL).allMatch(Outcome::isFinal);
        assertThat(AGAIN).noneMatch(Outcome::isFinal);
        assertThat(Stream.concat(FINAL.stream(), AGAIN.stream()).map(Object::getClass))
                .as("all outcomes are tested here")
                .hasSize(Outcome.Final.class.getPermittedSubclasses().length
                        + Outcome.Again.class.getPermittedSubclasses().length);
    }

    @Test
    void onlyATaskThatRunsAgainHasADelay() {
        assertThat(FINAL).extracting(Outcome::delayMillis).containsOnly(0L);
        assertThat(AGAIN).extracting(Outcome::delayMillis).containsExactly(7L, 7L, 7L, 0L);
    }
}
