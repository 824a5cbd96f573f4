package dev.tandem.server.doctor;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Facts about Kafka.
 *
 * @param failure why it could not be asked; null if it answered
 * @param brokers how many there are
 * @param version the level of its features, such as {@code metadata.version 25}; empty if unknown
 */
public record KafkaFacts(@Nullable String failure, int brokers, String version, List<Topic> topics) {

    /** The topic of a queue. */
    public sealed interface Topic {

        String queue();

        String name();
    }

    /** A topic that does not exist. */
    public record Missing(String queue, String name) implements Topic {}

    /** A topic of which nothing is known. @param failure why */
    public record Unknown(String queue, String name, String failure) implements Topic {}

    /**
     * A topic that is there.
     *
     * @param partitions how many it has
     * @param replicas how many each partition has, at least
     * @param inSync how many of them are in step, in the partition with the fewest
     * @param leaderless the partitions without a leader
     * @param config its settings; empty if they may not be read
     * @param mayDo what this server may do with it, in Kafka's words; null if unknown
     * @param mayDoWithGroup the same of its consumer group
     */
    public record Known(
            String queue,
            String name,
            String group,
            int partitions,
            int replicas,
            int inSync,
            List<Integer> leaderless,
            Map<String, String> config,
            @Nullable Set<String> mayDo,
            @Nullable Set<String> mayDoWithGroup)
            implements Topic {}
}
