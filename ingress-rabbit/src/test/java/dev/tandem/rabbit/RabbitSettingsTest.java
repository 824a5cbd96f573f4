package dev.tandem.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RabbitSettingsTest {

    private final RabbitSettings settings = RabbitSettings.of("amqp://guest:guest@localhost:5672", "mail");

    @Test
    void defaultsArePinned() {
        assertThat(settings.exchange()).isEqualTo("tandem");
        assertThat(settings.routingKey()).isEqualTo("mail");
        assertThat(settings.brokerQueue()).isEqualTo("mail");
        assertThat(settings.ordered()).isFalse();
        assertThat(settings.partitions()).isEqualTo(16);
        assertThat(settings.prefetch()).isEqualTo(5_000);
        assertThat(settings.maxPayload()).isEqualTo(1 << 20);
    }

    @Test
    void errorsNameTheSettingItsValueAndTheRemedy() {
        assertRefused(() -> settings.withPrefetch(0), "'prefetch' is '0'", "1 to 65535");
        assertRefused(() -> settings.withPrefetch(70_000), "'prefetch' is '70000'");
        assertRefused(() -> settings.withPartitions(0), "'partitions' is '0'");
        assertRefused(() -> settings.withExchange(""), "'exchange' is ''");
        assertRefused(() -> settings.withBrokerQueue("amq.mine"), "'queue' is 'amq.mine'", "belong to the broker");
        assertRefused(() -> settings.withRoutingKey("x".repeat(256)), "'routing-key'", "up to 255 bytes");
        assertRefused(() -> settings.withMaxPayload(0), "'max-payload' is '0'");
        assertRefused(() -> settings.withMaxPriority(256), "'max-priority' is '256'", "1 to 255");
        assertRefused(
                () -> settings.withMaxPriority(9).orderedByHeader(),
                "'max-priority' is '9'",
                "with 'ordering: none' only");
        assertRefused(() -> RabbitSettings.of("amqp://localhost", "a b"), "'queue' is 'a b'");
    }

    @Test
    void requiresAPatternIfRoutingKeysAreKeys() {
        assertRefused(
                () -> settings.orderedByRoutingKey("mail"), "'routing-key' is 'mail'", "'mail.#'", "matches only one");
        assertThat(settings.orderedByRoutingKey("mail.*").keyIsRoutingKey()).isTrue();
        assertThat(settings.orderedByRoutingKey("#").keyIsRoutingKey()).isTrue();
        assertThat(settings.orderedByHeader().keyIsRoutingKey()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "amqp://localhost",
                "amqps://user:pass@broker.example:5671/production",
                "amqp://a:5672/x,amqp://b:5672/x",
                "amqp://localhost/",
            })
    void acceptsValidAddresses(String uri) {
        assertThat(RabbitSettings.of(uri, "mail").uri()).isEqualTo(uri);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "localhost:5672",
                "http://localhost",
                "amqp://",
                "amqp://a,,amqp://b",
                "amqp://h/a/b",
                "amqp://u:p@ss word@h"
            })
    void refusesInvalidAddresses(String uri) {
        assertRefused(() -> RabbitSettings.of(uri, "mail"), "'uri'", "use amqp://user:password@host");
    }

    @Test
    void doesNotPrintSecrets() {
        RabbitSettings secret = RabbitSettings.of("amqp://me:s3cret@h:1/v,amqp://me:s3cret@i/v", "mail");

        assertThat(secret.toString()).doesNotContain("s3cret").contains("h:1/v,i/v");
        assertThatThrownBy(() -> RabbitSettings.of("http://me:s3cret@h", "mail"))
                .hasMessageContaining("…@h")
                .hasMessageNotContaining("s3cret");
    }

    private static void assertRefused(ThrowingCallable call, String... parts) {
        assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class).hasMessageContainingAll(parts);
    }
}
