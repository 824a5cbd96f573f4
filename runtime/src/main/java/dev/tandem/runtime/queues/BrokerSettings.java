package dev.tandem.runtime.queues;

import dev.tandem.kafka.KafkaSettings;
import dev.tandem.rabbit.RabbitAccess;
import dev.tandem.rabbit.RabbitSettings;
import dev.tandem.runtime.settings.ConnectionFiles;
import dev.tandem.runtime.settings.PemFiles;
import dev.tandem.runtime.settings.QueueSettings;
import dev.tandem.runtime.settings.QueueSettings.KeySource;
import dev.tandem.runtime.settings.SecretFile;
import dev.tandem.runtime.settings.TandemSettings;
import dev.tandem.runtime.settings.TandemSettings.TlsSettings;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;

/** Translates a queue's settings to those of its broker's module. */
public final class BrokerSettings {

    private BrokerSettings() {}

    /** Returns what Kafka's module needs to know of a queue, to run its tasks and to submit some. */
    public static KafkaSettings kafka(TandemSettings settings, String name, QueueSettings queue) {
        return KafkaSettings.of(settings.kafka().bootstrapServers(), name)
                .withTopic(queue.effectiveTopic(name))
                .withGroupId(queue.effectiveGroup(name))
                .withPartitions(queue.partitions())
                .withMaxPayload((int) settings.maxPayload().toBytes())
                .withProperties(settings.kafka().properties())
                .withOrdered(queue.ordered())
                .withGrowthWindow(queue.growthWindow());
    }

    /**
     * Returns what RabbitMQ's module needs to know of a queue, to run its tasks and to submit some.
     *
     * @throws dev.tandem.runtime.settings.SettingsException if a file of its connections cannot be used
     */
    public static RabbitSettings rabbit(TandemSettings settings, String name, QueueSettings queue) {
        ConnectionFiles.check(
                "tandem.rabbit",
                settings.rabbit().passwordFile(),
                settings.rabbit().tls());
        return new RabbitSettings(
                settings.rabbit().uri(),
                rabbitAccess(settings.rabbit()),
                name,
                queue.effectiveExchange(),
                queue.effectiveRoutingKey(name),
                queue.effectiveQueue(name),
                queue.ordered(),
                queue.effectiveKey() == KeySource.ROUTING_KEY
                        ? RabbitSettings.KeySource.ROUTING_KEY
                        : RabbitSettings.KeySource.HEADER,
                queue.partitions(),
                queue.effectivePrefetch(),
                queue.maxPriority() == null ? 0 : queue.maxPriority(),
                (int) settings.maxPayload().toBytes(),
                settings.rabbit().consumerTimeout());
    }

    /** Returns how RabbitMQ is logged in to. */
    public static RabbitAccess rabbitAccess(TandemSettings.RabbitSettings rabbit) {
        return new RabbitAccess(
                rabbit.username().isEmpty() ? null : rabbit.username(),
                rabbit.passwordFile().isEmpty() ? null : new RabbitPassword(rabbit.passwordFile()),
                rabbit.tls().isEmpty() ? null : new RabbitTls(rabbit.tls()));
    }

    /** A record, because queues whose accesses are equal share connections. */
    private record RabbitPassword(String file) implements Supplier<String> {
        @Override
        public String get() {
            return SecretFile.read("tandem.rabbit.password-file", file);
        }
    }

    private record RabbitTls(TlsSettings files) implements Supplier<SSLContext> {
        @Override
        public SSLContext get() {
            return new PemFiles("tandem.rabbit.tls", files).context();
        }
    }
}
