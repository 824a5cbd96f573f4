package dev.tandem.it;

import static dev.tandem.it.RedeliverySteps.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.local.LocalAmqp;
import dev.tandem.local.LocalRabbitCluster;
import dev.tandem.testkit.Brokers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * A RabbitMQ cluster whose nodes lose contact takes messages back, and delivers them again on the same channel. Starts a
 * cluster of its own, which takes too long for every build: {@code -Drabbit.cluster=true}.
 */
@EnabledIfSystemProperty(named = "rabbit.cluster", matches = "true")
class RabbitClusterIT {

    private static final int DISCONNECTS = 8;
    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final int KEYS = 100;
    private static final int PER_KEY = 100;

    /** Both kinds of queues in one test: Mnesia stays divided after nodes lost contact, so nothing can be declared then. */
    @Test
    void noTaskRunsTwiceOrOutOfOrderIfNodesLoseContact() throws Exception {
        try (LocalRabbitCluster cluster = Brokers.ownRabbitCluster()) {
            LocalAmqp near = cluster.nodes().get(0);
            LocalAmqp far = cluster.nodes().get(1);
            String redis = Brokers.redis().uri();
            try (RabbitTestQueue ordered = new RabbitTestQueue("contact", true, near.address(), redis);
                    RabbitTestQueue unordered = new RabbitTestQueue("contact", false, near.address(), redis);
                    TestWorker first = new TestWorker(ordered.worker());
                    TestWorker second = new TestWorker(unordered.worker())) {
                List<RabbitTestQueue> queues = List.of(ordered, unordered);
                queues.forEach(RabbitTestQueue::awaitDeclared);
                await("the leaders to move", () -> {
                    cluster.moveLeaders(far);
                    return cluster.leadsAll(far);
                });
                CompletableFuture<Void> faults =
                        CompletableFuture.runAsync(() -> cluster.disconnect(near, DISCONNECTS, PAUSE));
                queues.forEach(RabbitClusterIT::publish);
                queues.forEach(RabbitTestQueue::awaitAllSucceeded);
                faults.join();
                first.awaitNothingUnsettled();
                second.awaitNothingUnsettled();
                ordered.history().assertOrderAndExclusion();
                for (RabbitTestQueue queue : queues) {
                    assertThat(queue.history().duplicates()).as("ran twice").isEmpty();
                    assertThat(queue.recorded()).isEqualTo(KEYS * PER_KEY);
                    assertThat(queue.messages()).isZero();
                }
            }
        }
    }

    private static void publish(RabbitTestQueue queue) {
        for (int number = 0; number < PER_KEY; number++) {
            for (int key = 0; key < KEYS; key++) {
                queue.send("k" + key, number, number % 20 == 7 ? "fail-once" : "slow");
            }
        }
        queue.flush();
    }
}
