package dev.tandem.server.api;

import dev.tandem.server.inspect.TopicPartitions;

/** One topic, whose partitions a test counts. */
final class InMemoryPartitions implements TopicPartitions {

    int count = 8;
    /** Called before the topic grows. */
    Runnable onGrow = () -> {};

    @Override
    public int count(String queue) {
        return count;
    }

    @Override
    public void grow(String queue, int to) {
        if (to == 9_999) {
            throw new RefusedException("Kafka says of topic orders: too many");
        }
        onGrow.run();
        count = to;
    }
}
