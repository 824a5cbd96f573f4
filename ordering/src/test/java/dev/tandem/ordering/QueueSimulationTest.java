package dev.tandem.ordering;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.ordering.SimulationTest.Failure;
import dev.tandem.ordering.SimulationTest.Worlds;
import dev.tandem.task.Source;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The same as {@link SimulationTest} for queues with sub-queues (RabbitMQ), by the same properties. */
class QueueSimulationTest {

    private static final int HISTORIES = Integer.getInteger("simulation.histories", 6_000);

    private static Worlds queues(Set<Rule> broken) {
        return (seed, trace) -> new Simulation(Source.Kind.QUEUE, seed, broken, Set.of(), trace);
    }

    @Test
    void everyHistoryKeepsTheGuarantees() throws InterruptedException {
        Worlds queues = queues(Set.of());
        Long seed = Long.getLong("simulation.seed");
        if (seed != null) {
            SimulationTest.report("QueueSimulationTest", queues, new Failure(seed, new AssertionError("asked for")));
            return;
        }
        BehaviourDigests digests = new BehaviourDigests("queue");
        Failure failure = SimulationTest.hunt(queues, SimulationTest.FROM, HISTORIES, digests);
        if (failure != null) {
            SimulationTest.report("QueueSimulationTest", queues, failure);
        }
        digests.check();
    }

    @ParameterizedTest
    @EnumSource(names = {"COMMIT_ONLY_DURABLE", "NAMELESS_NOT_BY_PAGE", "MATCH_ONCE", "KEEP_PAGES"})
    void aBrokenRuleIsNoticed(Rule rule) throws InterruptedException {
        assertThat(SimulationTest.hunt(queues(Set.of(rule)), 1, 20_000)).isNotNull();
    }
}
