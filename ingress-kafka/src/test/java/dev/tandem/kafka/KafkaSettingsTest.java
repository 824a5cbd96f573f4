package dev.tandem.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class KafkaSettingsTest {

    private final KafkaSettings settings = KafkaSettings.of("localhost:9092", "orders");

    @Test
    void defaultsArePinned() {
        assertThat(settings)
                .isEqualTo(new KafkaSettings(
                        "localhost:9092",
                        "orders",
                        "orders",
                        "tandem.orders",
                        16,
                        1 << 20,
                        Map.of(),
                        "",
                        true,
                        Duration.ofMinutes(6)));
        assertThat(ClientProperties.consumer(settings))
                .containsOnly(
                        Map.entry("bootstrap.servers", "localhost:9092"),
                        Map.entry("group.id", "tandem.orders"),
                        Map.entry("group.protocol", "classic"),
                        Map.entry(
                                "partition.assignment.strategy",
                                "org.apache.kafka.clients.consumer.CooperativeStickyAssignor"),
                        Map.entry("enable.auto.commit", "false"),
                        Map.entry("auto.offset.reset", "none"),
                        Map.entry("isolation.level", "read_committed"),
                        Map.entry("allow.auto.create.topics", "false"),
                        Map.entry("session.timeout.ms", "8000"),
                        Map.entry("heartbeat.interval.ms", "500"),
                        Map.entry("max.poll.interval.ms", "60000"),
                        Map.entry("max.poll.records", "50"),
                        Map.entry("fetch.max.wait.ms", "100"),
                        Map.entry("metadata.max.age.ms", "60000"),
                        Map.entry("request.timeout.ms", "15000"));
        assertThat(ClientProperties.producer("localhost:9092", Map.of(), 1 << 20))
                .containsEntry("acks", "all")
                .containsEntry("max.request.size", 2 << 20)
                .containsEntry("max.in.flight.requests.per.connection", "1")
                .containsEntry("enable.idempotence", "true");
    }

    @Test
    void eachClientGetsItsOwnPropertiesAndThoseOfPlugIns() {
        KafkaSettings more = settings.withProperties(Map.of(
                "security.protocol", "SSL", "compression.type", "zstd", "fetch.max.wait.ms", "9", "my.plugin", "x"));

        assertThat(ClientProperties.consumer(more))
                .containsEntry("security.protocol", "SSL")
                .containsEntry("fetch.max.wait.ms", "9")
                .containsEntry("my.plugin", "x")
                .doesNotContainKey("compression.type");
        assertThat(ClientProperties.producer("localhost:9092", more.properties(), 1 << 20))
                .containsEntry("security.protocol", "SSL")
                .containsEntry("compression.type", "zstd")
                .doesNotContainKey("fetch.max.wait.ms");
        assertThat(ClientProperties.admin("localhost:9092", more.properties()))
                .containsEntry("security.protocol", "SSL")
                .doesNotContainKey("compression.type");
    }

    @ParameterizedTest
    @CsvSource({
        "enable.auto.commit, true, 'need ''false'''",
        "auto.offset.reset, latest, 'need ''none'''",
        "isolation.level, read_uncommitted, 'need ''read_committed'''",
        "group.protocol, consumer, 'need ''classic'''",
        "acks, 1, 'need ''all'''",
        "group.id, mine, leave it out",
        "group.instance.id, server-1, leave it out",
        "bootstrap.servers, 'other:1', leave it out",
        "session.timeout.ms, soon, not allowed",
        "session.timeout.ms, 900, at least twice the heartbeat",
        "security.protocol, TLS, not allowed",
    })
    void refusesPropertiesThatBreakAGuaranteeOrAreInvalid(String name, String value, String message) {
        assertThatThrownBy(() -> settings.withProperties(Map.of(name, value)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'" + name + "'")
                .hasMessageContaining(message);
    }

    @Test
    void acceptsAFixedPropertyWithItsFixedValue() {
        assertThat(settings.withProperties(Map.of("enable.auto.commit", "false"))
                        .properties())
                .hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "localhost", "localhost:", "a:1,", "a:1,b", "a:123456"})
    void refusesServersWithoutAPort(String servers) {
        assertThatThrownBy(() -> KafkaSettings.of(servers, "orders"))
                .hasMessageContaining("'bootstrap-servers' is '" + servers + "'")
                .hasMessageContaining("host:port");
    }

    @Test
    void checksNamesAndNumbers() {
        assertThatThrownBy(() -> settings.withTopic("a b")).hasMessageContaining("'topic' is 'a b'");
        assertThatThrownBy(() -> settings.withTopic("..")).hasMessageContaining("'topic' is '..'");
        assertThatThrownBy(() -> settings.withGroupId(" ")).hasMessageContaining("'group-id'");
        assertThatThrownBy(() -> settings.withPartitions(-1)).hasMessageContaining("'partitions' is '-1'");
        assertThatThrownBy(() -> settings.withMaxPayload(0)).hasMessageContaining("'max-payload' is '0'");
        assertThatThrownBy(() -> KafkaSettings.of("a:1", "no/slash")).hasMessageContaining("'queue' is 'no/slash'");
    }

    @Test
    void doesNotPrintSecrets() {
        assertThat(settings.withProperties(Map.of("sasl.jaas.config", "password=secret"))
                        .toString())
                .doesNotContain("secret");
    }
}
