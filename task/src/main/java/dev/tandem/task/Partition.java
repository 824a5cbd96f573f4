package dev.tandem.task;

import java.util.regex.Pattern;

/**
 * The unit of ownership and of Redis sharding: a Kafka topic-partition, or one of a queue's RabbitMQ sub-queues or
 * shards.
 *
 * @param queue the queue's name: letters, digits and {@code . _ -}
 * @param name the partition's name within its queue, of the same characters; usually a number
 */
public record Partition(String queue, String name) {

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,200}");

    /** @throws IllegalArgumentException if a name has other characters or is longer than 200 */
    public Partition {
        requireName("queue", queue);
        requireName("partition", name);
    }

    public static Partition of(String queue, int number) {
        return new Partition(queue, Integer.toString(number));
    }

    /** Whether a text may name a queue or a partition. Such a name becomes part of Redis keys and of their hash tag. */
    public static boolean isName(String text) {
        return NAME.matcher(text).matches();
    }

    private static void requireName(String what, String text) {
        if (!isName(text)) {
            throw new IllegalArgumentException("The " + what + " name '" + text
                    + "' is not allowed: use 1 to 200 letters, digits, dots, underscores or hyphens");
        }
    }

    /** Returns the form that is used in Redis keys and in messages: {@code queue/name}. */
    @Override
    public String toString() {
        return queue + "/" + name;
    }
}
