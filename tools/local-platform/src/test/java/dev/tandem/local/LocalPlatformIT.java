package dev.tandem.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LocalPlatformIT {

    private final List<String> lines = new CopyOnWriteArrayList<>();

    @Test
    void startsAllThreeBrokersAndReportsThem() {
        List<LocalBroker> brokers;
        try (LocalPlatform platform = LocalPlatform.start(new BrokerAddresses(null, null, null), true, lines::add)) {
            platform.awaitAll();
            brokers = platform.started();
            assertThat(brokers).hasSize(3).allMatch(LocalBroker::isRunning);
            assertThat(brokers)
                    .extracting(LocalBroker::address)
                    .containsExactlyInAnyOrder(platform.kafka(), platform.amqp(), platform.redis());
            assertThat(brokers)
                    .allSatisfy(broker -> assertThat(lines).anyMatch(line -> line.startsWith(broker + ", up in ")));
            assertThat(lines)
                    .filteredOn(line -> line.contains(", up in "))
                    .hasSize(3)
                    .anyMatch(line -> line.startsWith("Kafka 4") && line.contains(platform.kafka()));
        }
        assertThat(brokers).noneMatch(LocalBroker::isRunning);
    }

    @Test
    void saysWhoHasTheUsualPort() throws IOException {
        try (ServerSocket other = listening(6379)) {
            BrokerAddresses existing = new BrokerAddresses("kafka.example:9092", null, null);
            try (LocalPlatform platform = LocalPlatform.start(existing, false, lines::add)) {
                platform.awaitAll();
                String port = platform.redis().replaceAll(".*:", "");
                assertThat(lines)
                        .anySatisfy(line -> assertThat(line)
                                .startsWith("Port 6379 is taken by ")
                                .contains(", so Redis gets port " + port + "; --redis uses"));
            }
        }
    }

    /** Listens on a port, unless somebody does already. */
    private static @Nullable ServerSocket listening(int port) {
        try {
            return new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            return null;
        }
    }

    @Test
    void usesAGivenAddressUnchanged() {
        BrokerAddresses existing = new BrokerAddresses("kafka.example:9092", "amqp://rabbit.example", null);
        try (LocalPlatform platform = LocalPlatform.start(existing, true, lines::add)) {
            assertThat(platform.kafka()).isEqualTo("kafka.example:9092");
            assertThat(platform.amqp()).isEqualTo("amqp://rabbit.example");
            assertThat(platform.started()).hasSize(1);
            assertThat(lines).contains("Kafka at kafka.example:9092, as given");
        }
    }

    @Test
    void startsNoAmqpBrokerWhereNoneIsNeeded() {
        BrokerAddresses existing = new BrokerAddresses("kafka.example:9092", null, "redis://redis.example");
        try (LocalPlatform platform = LocalPlatform.start(existing, false, lines::add)) {
            assertThat(platform.started()).isEmpty();
        }
    }
}
