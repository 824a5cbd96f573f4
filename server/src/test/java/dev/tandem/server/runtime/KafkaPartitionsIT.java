package dev.tandem.server.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.runtime.settings.SettingsLoader;
import dev.tandem.server.inspect.TopicPartitions.RefusedException;
import dev.tandem.testkit.Brokers;
import java.time.Duration;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;

/** Partitions are added to a real topic. */
@Execution(ExecutionMode.CONCURRENT)
class KafkaPartitionsIT {

    @Test
    void aTopicGetsMorePartitionsAndNeverFewer() {
        String topic = Brokers.kafka().topic("growing", 2);
        StandardEnvironment environment = new StandardEnvironment();
        environment
                .getPropertySources()
                .addFirst(new MapPropertySource(
                        "test",
                        Map.of(
                                "tandem.kafka.bootstrap-servers",
                                Brokers.kafka().bootstrapServers(),
                                "tandem.queues.orders.source",
                                "kafka",
                                "tandem.queues.orders.handler",
                                "noop",
                                "tandem.queues.orders.topic",
                                topic)));
        KafkaPartitions partitions = new KafkaPartitions(SettingsLoader.load(environment));

        assertThat(partitions.count("orders")).isEqualTo(2);
        partitions.grow("orders", 4);
        Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> partitions.count("orders") == 4);
        assertThatThrownBy(() -> partitions.grow("orders", 3))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining(topic);
    }
}
