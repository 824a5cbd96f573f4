package dev.tandem.runtime.settings;

import dev.tandem.api.TracingMode;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * All settings under {@code tandem.}. Loaded and checked by {@link SettingsLoader}; documented for users in
 * {@code docs/configuration.md}.
 *
 * @param maxPayload the largest payload of a task; the API refuses a larger one, and one from a broker is dead at once
 * @param logPayloads whether the {@code log} handler prints payloads; off by default, because many people read logs
 * @param queues the queues by name, in the order of the file
 * @param schedules the schedules by id, in the order of the file
 * @param limits the limits over several executors by name, in the order of the file
 * @param rateLimits those of how many tasks start in a time, likewise
 * @param commands the programs that tasks may run by name; by default none
 */
@ConfigurationProperties(SettingsLoader.PREFIX)
public record TandemSettings(
        @DefaultValue KafkaSettings kafka,
        @DefaultValue RabbitSettings rabbit,
        @DefaultValue RedisSettings redis,
        @DefaultValue ExecutorSettings executor,
        @DefaultValue ApiSettings api,
        @DefaultValue HttpCallSettings http,
        @DefaultValue HistorySettings history,
        @DefaultValue StatisticsSettings statistics,
        @DefaultValue ArchiveSettings archive,
        @DefaultValue FanOutSettings fanOuts,
        @DefaultValue OutboxSettings outbox,
        @DefaultValue("1MB") DataSize maxPayload,
        @DefaultValue("false") boolean logPayloads,
        @DefaultValue LogSettings log,
        @DefaultValue TracingSettings tracing,
        @DefaultValue DemoSettings demo,
        @DefaultValue Map<String, QueueSettings> queues,
        @DefaultValue Map<String, ScheduleSettings> schedules,
        @DefaultValue Map<String, LimitSettings> limits,
        @DefaultValue Map<String, RateLimitSettings> rateLimits,
        @DefaultValue Map<String, CommandSettings> commands) {

    /** Returns the same settings with other queues. */
    public TandemSettings withQueues(Map<String, QueueSettings> others) {
        return new TandemSettings(
                kafka,
                rabbit,
                redis,
                executor,
                api,
                http,
                history,
                statistics,
                archive,
                fanOuts,
                outbox,
                maxPayload,
                logPayloads,
                log,
                tracing,
                demo,
                others,
                schedules,
                limits,
                rateLimits,
                commands);
    }

    /**
     * The connection to Kafka.
     *
     * @param bootstrapServers {@code host:port}, comma-separated
     * @param properties further settings of Kafka's clients; those that the guarantees depend on are refused
     */
    public record KafkaSettings(
            @DefaultValue("localhost:9092") String bootstrapServers,
            @DefaultValue Map<String, String> properties) {

        /** Leaves out the values of properties, which may be secret. */
        @Override
        public String toString() {
            return "KafkaSettings[bootstrapServers=" + bootstrapServers + ", properties=" + properties.keySet() + "]";
        }
    }

    /**
     * The connection to RabbitMQ.
     *
     * @param uri {@code amqp://} or {@code amqps://}, with user, password, host, port and virtual host
     * @param consumerTimeout the broker's {@code consumer_timeout}
     * @param managementUri where its management plugin answers; "" if it is not asked
     * @param username the user; "" for the one of the address
     * @param passwordFile the file with the password; "" for the one of the address
     * @param tls the files of connections with TLS
     */
    public record RabbitSettings(
            @DefaultValue("amqp://guest:guest@localhost:5672")
            String uri,

            @DefaultValue("30m") Duration consumerTimeout,
            @DefaultValue("") String managementUri,
            @DefaultValue("") String username,
            @DefaultValue("") String passwordFile,
            @DefaultValue TlsSettings tls) {

        @Override
        public String toString() {
            return "RabbitSettings[uri=" + Secrets.masked(uri) + ", consumerTimeout=" + consumerTimeout
                    + ", managementUri=" + Secrets.masked(managementUri) + ", username=" + username
                    + ", passwordFile=" + passwordFile + ", tls=" + tls + "]";
        }
    }

    /**
     * The connection to Redis, and when its writes count as durable.
     *
     * @param uri {@code redis://}, {@code rediss://} or {@code redis-sentinel://}; several comma-separated with
     *     {@code cluster}
     * @param cluster whether the addresses are nodes of a Redis Cluster
     * @param durability whether hand-overs wait until they are durable
     * @param horizon how long Redis may take to make a write durable
     * @param namespace the beginning of all keys; platforms that share a Redis need different ones
     * @param replicas how many replicas must confirm a write before it counts as durable: a number, or {@code auto}
     * @param headroom the share of Redis's memory that is kept free for outcomes
     * @param answerTimeout how long an answer may take before the connection is replaced
     * @param username the user; "" for the one of the address
     * @param passwordFile the file with the password; "" for the one of the address
     * @param tls the files of connections with TLS
     */
    public record RedisSettings(
            @DefaultValue("redis://localhost:6379") String uri,
            @DefaultValue("false") boolean cluster,
            @DefaultValue("tandem") String namespace,
            @DefaultValue("horizon") Durability durability,
            @DefaultValue("3s") Duration horizon,
            @DefaultValue(AUTO) String replicas,
            @DefaultValue("0.1") double headroom,
            @DefaultValue("5s") Duration answerTimeout,
            @DefaultValue("") String username,
            @DefaultValue("") String passwordFile,
            @DefaultValue TlsSettings tls) {

        private static final String AUTO = "auto";

        /**
         * Returns how many replicas must confirm; empty if that follows from how many there are.
         *
         * @throws NumberFormatException if the setting is neither a number nor {@code auto}
         */
        public OptionalInt requiredReplicas() {
            return replicas.equals(AUTO) ? OptionalInt.empty() : OptionalInt.of(Integer.parseInt(replicas));
        }

        @Override
        public String toString() {
            return "RedisSettings[uri=" + Secrets.masked(uri) + ", cluster=" + cluster + ", namespace="
                    + namespace + ", durability=" + durability
                    + ", horizon=" + horizon + ", replicas=" + replicas + ", headroom=" + headroom
                    + ", answerTimeout=" + answerTimeout + ", username=" + username + ", passwordFile=" + passwordFile
                    + ", tls=" + tls + "]";
        }
    }

    /**
     * The files of connections with TLS, all in PEM.
     *
     * @param caFile the certificates that are trusted; "" for what the JVM trusts
     * @param certificateFile the certificate that is shown to the other side, with its chain; "" for none
     * @param keyFile the key of that certificate
     */
    public record TlsSettings(
            @DefaultValue("") String caFile,
            @DefaultValue("") String certificateFile,
            @DefaultValue("") String keyFile) {

        /** Whether there are none. */
        public boolean isEmpty() {
            return caFile.isEmpty() && certificateFile.isEmpty() && keyFile.isEmpty();
        }
    }

    /** Whether hand-overs to Redis wait until they are durable. */
    public enum Durability {
        /** A position is committed or acked once its hand-over is older than the horizon, in the same Redis process. */
        HORIZON,
        /** A position is committed or acked at once. A Redis that crashes may lose the task. */
        NONE
    }

    /**
     * The executor of this process.
     *
     * @param enabled whether this process runs tasks; otherwise it only serves the API
     * @param id the name of this process for people; "" generates one from the host's name and the process id
     * @param concurrency tasks running at once in this process, all queues together
     * @param lease how long a claim or an ownership holds without renewal
     * @param drainTimeout how long a stop waits for running tasks
     * @param onFailure what happens when the loop of a queue failed because of a bug
     * @param memory what delivered tasks may take, all queues together; null for a quarter of the heap
     */
    public record ExecutorSettings(
            @DefaultValue("true") boolean enabled,
            @DefaultValue("") String id,
            @DefaultValue("256") int concurrency,
            @DefaultValue("10s") Duration lease,
            @DefaultValue("25s") Duration drainTimeout,
            @DefaultValue("exit") OnFailure onFailure,
            @Nullable DataSize memory) {}

    /** The reaction when the loop of a queue failed because of a bug. */
    public enum OnFailure {
        /** The process ends, so that whatever started it starts it again. */
        EXIT,
        /** The process stays, and runs its other queues; its health is down. */
        STAY
    }

    /**
     * The HTTP API.
     *
     * @param allowedHosts names that requests may have in their Host header, besides addresses and localhost
     * @param bodyTimeout how long the body of a request may take to arrive
     * @param login whether callers need a token
     * @param tokenFile where the first token is written; "" for the user's own folder, {@code stdout} for no file
     * @param openMetrics whether {@code /actuator/prometheus} needs no token
     * @param auditMax about how many entries of the audit log are kept
     * @param sessionIdle how long the session of a browser lasts that is not used
     * @param sessionMax how long it lasts in any case
     * @param oidc how users of OpenID providers get roles
     * @param proxy which proxies say who calls
     * @param idempotency how answers to requests with the header {@code Idempotency-Key} are kept
     * @param payloadEditors who may give tasks other payloads
     */
    public record ApiSettings(
            @DefaultValue List<String> allowedHosts,
            @DefaultValue("30s") Duration bodyTimeout,
            @DefaultValue("required") Login login,
            @DefaultValue("") String tokenFile,
            @DefaultValue("false") boolean openMetrics,
            @DefaultValue("20000") int auditMax,
            @DefaultValue("30m") Duration sessionIdle,
            @DefaultValue("12h") Duration sessionMax,
            @DefaultValue OidcSettings oidc,
            @DefaultValue ProxySettings proxy,
            @DefaultValue IdempotencySettings idempotency,
            @DefaultValue("admin") PayloadEditors payloadEditors) {}

    /**
     * The answers to requests with the header {@code Idempotency-Key}.
     *
     * @param keep for how long an answer is kept, and a repeat is recognised
     * @param max how many are kept, with 512 bytes on average; of one caller half of both
     */
    public record IdempotencySettings(
            @DefaultValue("1d") Duration keep,
            @DefaultValue("1000000") int max) {}

    /** Whether callers of the API have to show who they are. */
    public enum Login {
        /** A token is needed for everything but the health. */
        REQUIRED,
        /** Everybody may do everything. Only for a server that listens on loopback. */
        NONE
    }

    /**
     * How the hosted handler {@code http} calls.
     *
     * @param connectTimeout how long it may take to open a connection
     * @param connectionsPerHost the most calls of one host and port at once; null for as many as tasks may run
     * @param keepAlive how long a connection is kept that is not used
     */
    public record HttpCallSettings(
            @DefaultValue("10s") Duration connectTimeout,
            @Nullable Integer connectionsPerHost,
            @DefaultValue("30s") Duration keepAlive) {}

    /**
     * How much of the ended tasks is kept in each partition.
     *
     * @param deadAge how long dead tasks are kept
     * @param deadMax how many dead tasks are kept
     * @param succeededAge how long it is kept that tasks succeeded
     * @param succeededMax of how many of them, the latest; all are counted
     * @param succeededBytes what that may take in Redis
     */
    public record HistorySettings(
            @DefaultValue("14d") Duration deadAge,
            @DefaultValue("100000") int deadMax,
            @DefaultValue("1d") Duration succeededAge,
            @DefaultValue("100000") int succeededMax,
            @DefaultValue("8MB") DataSize succeededBytes) {}

    /**
     * The statistics of queues, by minutes.
     *
     * @param enabled whether this process adds what becomes of its runs
     * @param keep how long they are kept
     */
    public record StatisticsSettings(
            @DefaultValue("true") boolean enabled,
            @DefaultValue("14d") Duration keep) {}

    /**
     * The bounds of fan-outs.
     *
     * @param maxSubtasks the most subtasks of one
     * @param maxDepth how deep they may be nested
     * @param keep how long it is kept how one ended
     */
    public record FanOutSettings(
            @DefaultValue("1000000") int maxSubtasks,
            @DefaultValue("5") int maxDepth,
            @DefaultValue("7d") Duration keep) {}

    /**
     * The outbox of a Spring Boot application.
     *
     * @param enabled whether tasks are submitted by writing them into the application's database
     * @param dataSource the bean of that database; "" finds it
     * @param relay whether this application publishes what was written
     * @param lease for how long a relay has its share of the keys unless it renews it; others wait as long after a crash
     * @param batch the most rows of one read
     * @param whenRefused what becomes of a key of which a task can never be published
     * @param grace for how long a task is tried again that no relay can publish
     */
    public record OutboxSettings(
            @DefaultValue("auto") OutboxUse enabled,
            @DefaultValue("") String dataSource,
            @DefaultValue("true") boolean relay,
            @DefaultValue("10s") Duration lease,
            @DefaultValue("1000") int batch,
            @DefaultValue("halt") WhenRefused whenRefused,
            @DefaultValue("10m") Duration grace) {}

    /** When an application submits its tasks by the outbox. */
    public enum OutboxUse {
        /** If the outbox's table is in the database. */
        AUTO,
        /** Always. Without the table the application does not start. */
        TRUE,
        /** Never. */
        FALSE
    }

    /** The rule for the later tasks of a key when one can never be published. */
    public enum WhenRefused {
        /** Later tasks wait until somebody has decided about that task. */
        HALT,
        /** Later tasks are published without it. */
        SKIP
    }

    /**
     * The log.
     *
     * @param keys whether lines above DEBUG name keys, each cut at 64 characters
     * @param mdc whether SLF4J's diagnostic context names the task while its handler runs
     */
    public record LogSettings(
            @DefaultValue("true") boolean keys,
            @DefaultValue("true") boolean mdc) {}

    /**
     * The tracing of programs with handlers of their own. The server traces nothing.
     *
     * @param mode how the trace of a run belongs to that of its submission
     * @param observations whether a Spring Boot application has Micrometer's observations of submissions and runs
     */
    public record TracingSettings(
            @DefaultValue("link") TracingMode mode,
            @DefaultValue("auto") Observations observations) {}

    /** Whether submissions and runs are observed by Micrometer. */
    public enum Observations {
        /** Observed, unless OpenTelemetry traces them already. */
        AUTO,
        ON,
        OFF
    }

    /**
     * The demonstration.
     *
     * @param events the file to which the demo's handlers append; "" if there are no such handlers
     */
    public record DemoSettings(@DefaultValue("") String events) {}
}
