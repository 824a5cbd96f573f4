package dev.tandem.verify.load;

import java.util.Arrays;
import java.util.stream.Collectors;

/** What is published, and to which broker. */
public enum Workload {
    KAFKA_ZIPF("kafka-zipf", false, true, true, "Kafka, keys by Zipf's law"),
    KAFKA_DISTINCT("kafka-distinct", false, true, false, "Kafka, a key for almost every task"),
    RABBIT_ORDERED("rabbit-ordered", true, true, true, "RabbitMQ, ordered by key, keys by Zipf's law"),
    RABBIT_UNORDERED("rabbit-unordered", true, false, true, "RabbitMQ, without order");

    private final String label;
    private final boolean rabbit;
    private final boolean ordered;
    private final boolean zipf;
    private final String description;

    Workload(String label, boolean rabbit, boolean ordered, boolean zipf, String description) {
        this.label = label;
        this.rabbit = rabbit;
        this.ordered = ordered;
        this.zipf = zipf;
        this.description = description;
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
