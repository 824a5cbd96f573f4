package dev.tandem.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.testkit.BrokerProxy;
import dev.tandem.testkit.Brokers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** An executor that has lost Kafka but still reaches Redis. */
@Execution(ExecutionMode.CONCURRENT)
class CutOffIT {

    @Test
    void outcomeOfARunThatOutlivesItsOwnershipIsRecorded() throws Exception {
        try (KafkaTestQueue topic = new KafkaTestQueue("cut-off", 1);
                BrokerProxy proxy = Brokers.kafka().proxy();
                TestWorker away =
                        new TestWorker(topic.worker().via(proxy.address()).leasedFor(4_000))) {
            topic.send("a", 0, "hold");
            topic.send("a", 1, "ok");
            topic.awaitStarted("a-0");
            proxy.down();
            try (TestWorker successor = new TestWorker(topic.worker().leasedFor(4_000))) {
                topic.send("b", 0, "ok");
                await("another key on the successor")
                        .atMost(KafkaTestQueue.PATIENCE)
                        .until(() -> topic.history().succeeded().contains("b-0"));
                assertThat(topic.history().runsOf("a-1"))
                        .as("its key waits for the running task")
                        .isEmpty();

                await("the worker to ask for its ownership in vain")
                        .atMost(KafkaTestQueue.PATIENCE)
                        .until(away::isConfirming);
                away.release();
                topic.awaitAllSucceeded();
                topic.awaitAllCommitted();

                assertThat(topic.history().runsOf("a-0")).hasSize(1);
                topic.history().assertOrderAndExclusion();
                assertThat(successor.status().succeeded()).as("b-0 and a-1").isEqualTo(2);
            }
        }
    }
}
