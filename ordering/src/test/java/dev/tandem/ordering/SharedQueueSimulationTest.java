package dev.tandem.ordering;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.ordering.SimulationTest.Failure;
import dev.tandem.ordering.SimulationTest.Worlds;
import dev.tandem.task.Source;
import dev.tandem.task.store.StoreModel.Flaw;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The same as {@link QueueSimulationTest} for unordered queues: several partitions and processes compete for the messages
 * of one, and what comes again may come to any of them.
 */
class SharedQueueSimulationTest {

    private static final int HISTORIES = Integer.getInteger("simulation.histories", 6_000);

    private static Worlds queues(Set<Rule> broken, Set<Flaw> flaws) {
        return (seed, trace) -> new Simulation(Source.Kind.QUEUE, true, seed, broken, flaws, trace);
    }

    @Test
    void everyHistoryKeepsTheGuarantees() throws InterruptedException {
        Worlds queues = queues(Set.of(), Set.of());
        Long seed = Long.getLong("simulation.seed");
        if (seed != null) {
            SimulationTest.report(
                    "SharedQueueSimulationTest", queues, new Failure(seed, new AssertionError("asked for")));
            return;
        }
        BehaviourDigests digests = new BehaviourDigests("shared-queue");
        Failure failure = SimulationTest.hunt(queues, SimulationTest.FROM, HISTORIES, digests);
        if (failure != null) {
            SimulationTest.report("SharedQueueSimulationTest", queues, failure);
        }
        digests.check();
    }

    @ParameterizedTest
    @EnumSource(
            names = {
                "COMMIT_ONLY_DURABLE",
                "NAMELESS_NOT_BY_PAGE",
                "NAMELESS_NOT_BY_CLAIM",
                "MATCH_ONCE",
                "KEEP_PAGES",
                "RECALL",
                "RECALL_UNTIL_DURABLE"
            })
    void aBrokenRuleIsNoticed(Rule rule) throws InterruptedException {
        assertThat(SimulationTest.hunt(queues(Set.of(rule), Set.of()), 1, 20_000))
                .isNotNull();
    }

    @Test
    void anOwedPositionThatStaysWhenItsMessageCameIsNoticed() throws InterruptedException {
        assertThat(SimulationTest.hunt(queues(Set.of(), Set.of(Flaw.KEEP_OWED)), 1, 20_000))
                .isNotNull();
    }
}
