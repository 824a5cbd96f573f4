package dev.tandem.verify.worker;

import dev.tandem.kafka.KafkaSettings;
import dev.tandem.kafka.KafkaSource;
import dev.tandem.ordering.CoreSettings;
import dev.tandem.rabbit.RabbitSettings;
import dev.tandem.rabbit.RabbitSource;
import dev.tandem.scheduler.RedisSettings;
import dev.tandem.task.QueuePolicy;
import dev.tandem.task.Source;
import dev.tandem.verify.load.PacedTasks;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The settings of an executor's process, in a form that fits on a command line.
 *
 * @param name name of this process start in events
 * @param broker Kafka's bootstrap servers, or RabbitMQ's address
 * @param redis one address, or those of a cluster's nodes separated by spaces
 * @param ordered whether the queue keeps the order of keys
 * @param maxParkedPerKey how many tasks of a key the store parks
 * @param lease lease of claims; one below the product's default also shortens Kafka's session
 * @param retry delay before the next attempt of a failed task
 * @param provesDeaths whether it ends the leases of executors whose processes are gone
 * @param features whether tasks have limits, events and a schedule, see {@link WorkerFeatures}
 * @param database the PostgreSQL in which handlers write with {@code Once}; "" for none
 * @param folder folder for events, logs and orders
 */
public record WorkerSettings(
        String name,
        String queue,
        String broker,
        String redis,
        boolean cluster,
        boolean ordered,
        int partitions,
        int maxParkedPerKey,
        Duration lease,
        Duration retry,
        boolean provesDeaths,
        boolean features,
        String database,
        Path folder) {

    private static final Duration DEFAULT_LEASE = Duration.ofMillis(CoreSettings.DEFAULTS.leaseMillis());

    /** Returns the file for its events. */
    public Path events() {
        return folder.resolve(name + ".events");
    }

    /** Returns the file in which the process finds its {@link WorkerOrders}. */
    public Path orders() {
        return folder.resolve(name + ".orders");
    }

    /** Returns the file that lets the handlers of all processes fail as long as it exists. */
    public Path outage() {
        return folder.resolve("outage");
    }

    /** Returns the file whose existence ends the firings of the schedule, in all processes. */
    public Path noSchedule() {
        return folder.resolve("no-schedule");
    }

    /** Returns the file for its output. */
    public Path log() {
        return folder.resolve(name + ".log");
    }

    /** Returns the arguments of {@link WorkerMain}. */
    public List<String> arguments() {
        return List.of(
                "name=" + name,
                "queue=" + queue,
                "broker=" + broker,
                "redis=" + redis,
                "cluster=" + cluster,
                "ordered=" + ordered,
                "partitions=" + partitions,
                "maxParkedPerKey=" + maxParkedPerKey,
                "lease=" + lease.toMillis(),
                "retry=" + retry.toMillis(),
                "proves=" + provesDeaths,
                "features=" + features,
                "database=" + database,
                "folder=" + folder);
    }

    static WorkerSettings of(String[] arguments) {
        Map<String, String> all = new LinkedHashMap<>();
        for (String argument : arguments) {
            int at = argument.indexOf('=');
            all.put(argument.substring(0, at), argument.substring(at + 1));
        }
        return new WorkerSettings(
                text(all, "name"),
                text(all, "queue"),
                text(all, "broker"),
                text(all, "redis"),
                Boolean.parseBoolean(text(all, "cluster")),
                Boolean.parseBoolean(text(all, "ordered")),
                Integer.parseInt(text(all, "partitions")),
                Integer.parseInt(text(all, "maxParkedPerKey")),
                Duration.ofMillis(Long.parseLong(text(all, "lease"))),
                Duration.ofMillis(Long.parseLong(text(all, "retry"))),
                Boolean.parseBoolean(text(all, "proves")),
                Boolean.parseBoolean(text(all, "features")),
                text(all, "database"),
                Path.of(text(all, "folder")));
    }

    private static String text(Map<String, String> all, String name) {
        return Objects.requireNonNull(all.get(name), () -> "The argument " + name + "= is missing");
    }

    /** Returns whether tasks come from RabbitMQ; otherwise from Kafka. */
    public boolean isRabbit() {
        return broker.startsWith("amqp");
    }

    /** @param executor the id of its executor */
    Source source(String executor) {
        return isRabbit()
                ? new RabbitSource(rabbit())
                : new KafkaSource(
                        kafka().withProperties(sessionProperties()).withMemberId(provesDeaths ? executor : ""));
    }

    /** Returns the settings of the queue in RabbitMQ. */
    public RabbitSettings rabbit() {
        RabbitSettings settings = RabbitSettings.of(broker, queue).withPartitions(partitions);
        return ordered ? settings.orderedByHeader() : settings;
    }

    /** Returns the settings of the queue in Kafka. */
    public KafkaSettings kafka() {
        return KafkaSettings.of(broker, queue).withPartitions(partitions);
    }

    private Map<String, String> sessionProperties() {
        long millis = lease.toMillis();
        return lease.compareTo(DEFAULT_LEASE) >= 0
                ? Map.of()
                : Map.of(
                        "session.timeout.ms", Long.toString(millis * 4 / 5),
                        "heartbeat.interval.ms", Long.toString(Math.min(500, millis * 4 / 25)),
                        "metadata.max.age.ms", Long.toString(Math.max(500, millis / 4)));
    }

    /** Returns the settings of the store. */
    public RedisSettings store() {
        return cluster ? RedisSettings.cluster(List.of(redis.split(" "))) : RedisSettings.of(redis);
    }

    QueuePolicy policy() {
        QueuePolicy policy = ordered ? QueuePolicy.ordered(PacedTasks.SLOTS) : QueuePolicy.unordered(PacedTasks.SLOTS);
        return policy.withParked(maxParkedPerKey, policy.maxParkedPerPartition());
    }

    CoreSettings core() {
        return CoreSettings.builder().leaseMillis(lease.toMillis()).build();
    }
}
