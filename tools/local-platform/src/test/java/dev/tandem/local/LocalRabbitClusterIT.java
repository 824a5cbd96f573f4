package dev.tandem.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** On demand, since it takes half a minute: {@code -Drabbit.cluster=true}. */
@EnabledIfSystemProperty(named = "rabbit.cluster", matches = "true")
class LocalRabbitClusterIT {

    @Test
    void nodesFormOneClusterAgainAfterTheyLostContact() {
        try (LocalRabbitCluster cluster = LocalRabbitCluster.start()) {
            assertThat(cluster.nodes()).hasSize(3).allMatch(LocalAmqp::isRunning);
            cluster.disconnect(cluster.nodes().get(0), 2, Duration.ofMillis(200));
            cluster.awaitReady();
            LocalAmqp last = cluster.nodes().get(2);
            last.restart();
            cluster.awaitReady();
        }
    }
}
