package dev.tandem.verify.load;

import dev.tandem.task.QueuePolicy;
import java.util.Arrays;
import java.util.stream.Collectors;

/** A kind of load: the tasks that are published, and to which broker. */
public enum Workload {
    KAFKA_ZIPF("kafka-zipf", false, true, true, "Kafka, keys by Zipf's law", Special.NONE),
    KAFKA_DISTINCT("kafka-distinct", false, true, false, "Kafka, a key for almost every task", Special.NONE),
    RABBIT_ORDERED("rabbit-ordered", true, true, true, "RabbitMQ, ordered by key, keys by Zipf's law", Special.NONE),
    RABBIT_UNORDERED("rabbit-unordered", true, false, true, "RabbitMQ, without order", Special.NONE),
    KAFKA_HOT_SLOW(
            "kafka-hot-slow",
            false,
            true,
            false,
            "Kafka, a key that gets tasks faster than they end",
            Special.HOT_SLOW),
    KAFKA_OVERFLOW(
            "kafka-overflow",
            false,
            true,
            false,
            "Kafka, keys with more waiting tasks than their bound",
            Special.CROWDS),
    KAFKA_MANY_KEYS(
            "kafka-many-keys",
            false,
            true,
            false,
            "Kafka, every fourth task dies and halts its key",
            Special.MANY_DEAD),
    KAFKA_OUTBOX(
            "kafka-outbox",
            false,
            true,
            true,
            "Kafka, submitted by an outbox in PostgreSQL, with handlers whose effects happen once",
            Special.OUTBOX),
    RABBIT_OUTBOX(
            "rabbit-outbox",
            true,
            true,
            true,
            "RabbitMQ, ordered by key, submitted by an outbox, with effects that happen once",
            Special.OUTBOX),
    KAFKA_FEATURES(
            "kafka-features",
            false,
            true,
            true,
            "Kafka, with what tasks may have beside delays and retries: deduplication keys, limits, events, …",
            Special.FEATURES),
    RABBIT_FEATURES("rabbit-features", true, true, true, "RabbitMQ, ordered by key, with the same", Special.FEATURES);

    /** A special treatment of some keys of a workload. */
    enum Special {
        NONE,
        HOT_SLOW,
        CROWDS,
        MANY_DEAD,
        OUTBOX,
        FEATURES
    }

    private static final int CROWD_BOUND = 10;

    private final String label;
    private final boolean rabbit;
    private final boolean ordered;
    private final boolean zipf;
    private final String description;
    private final Special special;

    Workload(String label, boolean rabbit, boolean ordered, boolean zipf, String description, Special special) {
        this.label = label;
        this.rabbit = rabbit;
        this.ordered = ordered;
        this.zipf = zipf;
        this.description = description;
        this.special = special;
    }

    Special special() {
        return special;
    }

    /** Returns whether the workload is about certain keys rather than about faults. It is combined with few faults only. */
    public boolean isSpecial() {
        return special != Special.NONE;
    }

    /** Returns whether tasks are submitted by an outbox. Nobody sees at which offsets they arrive. */
    public boolean isOutbox() {
        return special == Special.OUTBOX;
    }

    /** Returns whether tasks have deduplication keys, dependencies, limits, events and so on, see {@link FeatureTasks}. */
    public boolean hasFeatures() {
        return special == Special.FEATURES;
    }

    /** Returns whether the events of the publisher name offsets. */
    public boolean knowsOffsets() {
        return !rabbit && !isOutbox();
    }

    /** Returns whether records wait in the log by design, which holds back the committed offset. */
    public boolean overflows() {
        return special == Special.CROWDS;
    }

    /** Returns how many tasks of a key the store parks. */
    public int maxParkedPerKey() {
        return overflows() ? CROWD_BOUND : QueuePolicy.ordered(1).maxParkedPerKey();
    }

    /** Returns the name in commands and reports. */
    public String label() {
        return label;
    }

    /** Returns whether tasks are published to RabbitMQ; otherwise to Kafka. */
    public boolean isRabbit() {
        return rabbit;
    }

    /** Returns whether the queue keeps the order of keys. */
    public boolean isOrdered() {
        return ordered;
    }

    boolean isZipf() {
        return zipf;
    }

    /** Returns a description in one line. */
    public String description() {
        return description;
    }

    /**
     * Returns the workload with this label.
     *
     * @throws IllegalArgumentException if there is none, naming those that exist
     */
    public static Workload of(String label) {
        return Arrays.stream(values())
                .filter(workload -> workload.label.equals(label))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("There is no workload '" + label + "', only "
                        + Arrays.stream(values()).map(Workload::label).collect(Collectors.joining(", "))));
    }

    @Override
    public String toString() {
        return label;
    }
}
