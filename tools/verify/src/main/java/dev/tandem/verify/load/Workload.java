package dev.tandem.verify.load;

import java.util.Arrays;
import java.util.stream.Collectors;

/** What is published, and where to. */
public enum Workload {
    KAFKA_ZIPF("kafka-zipf", false, true, true, "Kafka, keys by Zipf's law"),
    KAFKA_DISTINCT("kafka-distinct", false, true, false, "Kafka, a key for almost every task"),
    RABBIT_ORDERED("rabbit-ordered", true, true, true, "RabbitMQ, ordered by key, keys by Zipf's law"),
    RABBIT_UNORDERED("rabbit-unordered", true, false, true, "RabbitMQ, without order");

    private final String text;
    private final boolean rabbit;
    private final boolean ordered;
    private final boolean zipf;
    private final String about;

    Workload(String text, boolean rabbit, boolean ordered, boolean zipf, String about) {
        this.text = text;
        this.rabbit = rabbit;
        this.ordered = ordered;
        this.zipf = zipf;
        this.about = about;
    }

    /** As people name it. */
    public String text() {
        return text;
    }

    /** Whether it is in RabbitMQ; else in Kafka. */
    public boolean isRabbit() {
        return rabbit;
    }

    /** By key. */
    public boolean isOrdered() {
        return ordered;
    }

    boolean isZipf() {
        return zipf;
    }

    /** A line for people. */
    public String about() {
        return about;
    }

    /**
     * The one that people name so.
     *
     * @throws IllegalArgumentException naming the ones that there are
     */
    public static Workload of(String text) {
        return Arrays.stream(values())
                .filter(each -> each.text.equals(text))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("There is no workload '" + text + "', only "
                        + Arrays.stream(values()).map(Workload::text).collect(Collectors.joining(", "))));
    }

    @Override
    public String toString() {
        return text;
    }
}
