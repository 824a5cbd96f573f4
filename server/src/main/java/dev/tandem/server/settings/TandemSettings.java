package dev.tandem.server.settings;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Everything that is set under {@code tandem.}. Made by {@link SettingsLoader}, which also checks it; what is described
 * here is documented for users in {@code docs/configuration.md}.
 *
 * @param maxPayload the largest payload of one task; a larger one makes the task dead, or is refused by the API
 * @param logPayloads whether the {@code log} handler prints payloads; off, because logs are read by more people
 * @param queues by name, in the order of the file
 */
@ConfigurationProperties(SettingsLoader.PREFIX)
public record TandemSettings(
        @DefaultValue KafkaSettings kafka,
        @DefaultValue RabbitSettings rabbit,
        @DefaultValue RedisSettings redis,
        @DefaultValue ExecutorSettings executor,
        @DefaultValue ApiSettings api,
        @DefaultValue HistorySettings history,
        @DefaultValue("1MB") DataSize maxPayload,
        @DefaultValue("false") boolean logPayloads,
        @DefaultValue DemoSettings demo,
        @DefaultValue Map<String, QueueSettings> queues) {

    /**
     * @param bootstrapServers {@code host:port}, comma-separated
     * @param properties any further setting of Kafka's clients; those that Tandem's guarantees rest on are refused
     */
    public record KafkaSettings(
            @DefaultValue("localhost:9092") String bootstrapServers,
            @DefaultValue Map<String, String> properties) {

        /** Without the values of properties: there may be secrets among them. */
        @Override
        public String toString() {
            return "KafkaSettings[bootstrapServers=" + bootstrapServers + ", properties=" + properties.keySet() + "]";
        }
    }

    /** @param uri {@code amqp://} or {@code amqps://}, with user, password, host, port and virtual host */
    public record RabbitSettings(
            @DefaultValue("amqp://guest:guest@localhost:5672")
            String uri) {

        @Override
        public String toString() {
            return "RabbitSettings[uri=" + Secrets.masked(uri) + "]";
        }
    }

    /**
     * @param uri {@code redis://}, {@code rediss://} or {@code redis-sentinel://}; several comma-separated with
     *     {@code cluster}
     * @param cluster whether the addresses are nodes of a Redis Cluster
     * @param durability whether hand-overs wait until Redis can't forget them
     * @param horizon how long Redis may take to make a write durable
     * @param replicas how many replicas must have confirmed before a write counts as durable
     * @param answerTimeout how long an answer may take before the connection is made anew
     */
    public record RedisSettings(
            @DefaultValue("redis://localhost:6379") String uri,
            @DefaultValue("false") boolean cluster,
            @DefaultValue("horizon") Durability durability,
            @DefaultValue("3s") Duration horizon,
            @DefaultValue("0") int replicas,
            @DefaultValue("5s") Duration answerTimeout) {

        @Override
        public String toString() {
            return "RedisSettings[uri=" + Secrets.masked(uri) + ", cluster=" + cluster + ", durability=" + durability
                    + ", horizon=" + horizon + ", replicas=" + replicas + ", answerTimeout=" + answerTimeout + "]";
        }
    }

    /** Whether hand-overs to Redis wait until they can't be forgotten. */
    public enum Durability {
        /** Positions are committed or acked once the hand-over is older than the horizon, in the same Redis. */
        HORIZON,
        /** They are committed at once: what a crashed Redis forgot is lost. */
        NONE
    }

    /**
     * @param enabled whether this process runs tasks; otherwise it only serves the API
     * @param id names this process to people; "" makes one from the host's name and the process id
     * @param concurrency tasks running at once in this process, all queues together
     * @param lease how long a claim or an ownership holds without renewal
     * @param drainTimeout how long a stop waits for running tasks
     */
    public record ExecutorSettings(
            @DefaultValue("true") boolean enabled,
            @DefaultValue("") String id,
            @DefaultValue("256") int concurrency,
            @DefaultValue("10s") Duration lease,
            @DefaultValue("25s") Duration drainTimeout) {}

    /** @param allowedHosts names that requests may carry in their Host header, besides addresses and localhost */
    public record ApiSettings(@DefaultValue List<String> allowedHosts) {}

    /**
     * What is kept of tasks that ended, for each partition.
     *
     * @param deadAge how long dead tasks are kept
     * @param deadMax how many
     * @param succeededMax how many of the latest successes; all are counted
     */
    public record HistorySettings(
            @DefaultValue("14d") Duration deadAge,
            @DefaultValue("100000") int deadMax,
            @DefaultValue("1000") int succeededMax) {}

    /** @param events the file to which the demo's handlers append; "" means that they don't exist */
    public record DemoSettings(@DefaultValue("") String events) {}
}
