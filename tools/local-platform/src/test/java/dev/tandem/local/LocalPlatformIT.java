package dev.tandem.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

class LocalPlatformIT {

    private final List<String> lines = new CopyOnWriteArrayList<>();

    @Test
    void startsAllThreeBrokersAndReportsThem() {
        List<LocalBroker> brokers;
        try (LocalPlatform platform =
                LocalPlatform.builder().progress(lines::add).start()) {
            brokers = platform.started();
            assertThat(brokers).hasSize(3).allMatch(LocalBroker::isRunning);
            assertThat(lines)
                    .anyMatch(line -> line.contains("Kafka 4") && line.contains(platform.kafka()))
                    .anyMatch(line -> line.startsWith("AMQP: ") && line.contains(platform.amqp()))
                    .anyMatch(line -> line.startsWith("Redis: ") && line.contains(platform.redis()));
        }
        assertThat(brokers).noneMatch(LocalBroker::isRunning);
    }

    @Test
    void usesAGivenAddressUnchanged() {
        try (LocalPlatform platform = LocalPlatform.builder()
                .kafka("kafka.example:9092")
                .amqp("amqp://rabbit.example")
                .progress(lines::add)
                .start()) {
            assertThat(platform.kafka()).isEqualTo("kafka.example:9092");
            assertThat(platform.amqp()).isEqualTo("amqp://rabbit.example");
            assertThat(platform.started()).hasSize(1);
            assertThat(lines).contains("Kafka: kafka.example:9092, as configured");
        }
    }
}
