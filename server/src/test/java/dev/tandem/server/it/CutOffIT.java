package dev.tandem.server.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.testkit.BrokerProxy;
import dev.tandem.testkit.Brokers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** An executor that can't reach Kafka any more, and reaches Redis. */
@Execution(ExecutionMode.CONCURRENT)
class CutOffIT {

    @Test
    void whatEndsOnItWhenAnotherHasItsPartitionIsRecordedAndNotRunAgain() throws Exception {
        try (Topic topic = new Topic("cut-off", 1);
                BrokerProxy wire = Brokers.kafka().proxy();
                Worker away = new Worker(topic.worker().by(wire.address()).leasedFor(4_000))) {
            topic.send("a", 0, "hold");
            topic.send("a", 1, "ok");
            topic.awaitStarted("a-0");
            wire.down();
            try (Worker heir = new Worker(topic.worker().leasedFor(4_000))) {
                topic.send("b", 0, "ok");
                await("another key on the heir")
                        .atMost(Topic.PATIENCE)
                        .until(() -> topic.history().succeeded().contains("b-0"));
                assertThat(topic.history().runsOf("a-1"))
                        .as("its key waits for what runs")
                        .isEmpty();

                await("its doubt, and nobody to ask").atMost(Topic.PATIENCE).until(away::isConfirming);
                away.release();
                topic.awaitAllSucceeded();
                topic.awaitAllCommitted();

                assertThat(topic.history().runsOf("a-0")).hasSize(1);
                topic.history().assertOrderAndExclusion();
                assertThat(heir.status().succeeded()).as("b-0 and a-1").isEqualTo(2);
            }
        }
    }
}
