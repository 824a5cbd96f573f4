package dev.tandem.executor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.ordering.Run;
import dev.tandem.ordering.TestRuns;
import dev.tandem.task.Outcome;
import dev.tandem.task.Task;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A run passes its gates one after the other, and each that has a say hears of its end. */
class GatesTest {

    private final List<String> events = new ArrayList<>();
    private final TestGate first = new TestGate("first");
    private final TestGate second = new TestGate("second");
    private final Gates gates = new Gates(List.of(first, second));
    private final Run run =
            TestRuns.of(new Task(null, "orders", "pay", "k", new byte[0], Map.of(), 0, 0, 0, 0, "k"), 5);

    private final class TestGate implements Gate {
        private final String name;
        private boolean concerned = true;
        private boolean waits;
        private @Nullable Outcome outcome;

        TestGate(String name) {
            this.name = name;
        }

        @Override
        public boolean concerns(Task task) {
            return concerned;
        }

        @Override
        public boolean mustWait(Run asked, Runnable goOn) {
            events.add(name + " asked");
            return waits;
        }

        @Override
        public boolean mayRun(Run asked) {
            return outcome == null;
        }

        @Override
        public @Nullable Outcome takeOutcome(Run begun) {
            events.add(name + " taken");
            return outcome;
        }

        @Override
        public void ended(Run ran, Outcome how, Runnable then) {
            events.add(name + " told");
            then.run();
        }
    }

    @Test
    void theSecondIsAskedWhenTheFirstLetsGo() {
        first.waits = true;
        assertThat(gates.mustWait(run, () -> {})).isTrue();
        assertThat(events).containsExactly("first asked");

        first.waits = false;
        second.waits = true;
        assertThat(gates.mustWait(run, () -> {})).isTrue();
        assertThat(events).containsExactly("first asked", "first asked", "second asked");
    }

    @Test
    void theSecondIsNotAskedAboutATaskThatTheFirstKeepsBack() {
        first.outcome = new Outcome.Duplicate("other");

        assertThat(gates.mustWait(run, () -> {})).isFalse();
        assertThat(gates.mayRun(run)).isFalse();

        assertThat(events).containsExactly("first asked");
    }

    @Test
    void theFirstOutcomeCountsAndAllAnswersAreTaken() {
        first.outcome = new Outcome.Duplicate("other");
        second.outcome = new Outcome.Snoozed(1);

        assertThat(gates.takeOutcome(run)).isEqualTo(new Outcome.Duplicate("other"));
        assertThat(events).containsExactly("first taken", "second taken");
    }

    @Test
    void theEndIsToldBackwardsAndThenRecorded() {
        gates.ended(run, new Outcome.Snoozed(1), () -> events.add("recorded"));

        assertThat(events).containsExactly("second told", "first told", "recorded");
    }

    @Test
    void aGateThatIsNotConcernedHearsNothing() {
        first.concerned = false;
        gates.mustWait(run, () -> {});
        assertThat(gates.takeOutcome(run)).isNull();
        gates.ended(run, new Outcome.Snoozed(1), () -> {});

        assertThat(gates.concern(run.task())).isTrue();
        assertThat(events).containsExactly("second asked", "second taken", "second told");
        second.concerned = false;
        assertThat(gates.concern(run.task())).isFalse();
    }
}
