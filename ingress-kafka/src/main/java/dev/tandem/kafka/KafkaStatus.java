package dev.tandem.kafka;

import java.time.Instant;

/**
 * The state of a source's connection to Kafka.
 *
 * @param connected whether tasks can arrive
 * @param since when this state began
 * @param detail for people: why it is not connected
 * @param misplaced how many records lay in another partition than the one that Kafka's own producer chooses for their key;
 *     0 for an unordered queue
 */
public record KafkaStatus(boolean connected, Instant since, String detail, long misplaced) {

    KafkaStatus withMisplaced(long records) {
        return new KafkaStatus(connected, since, detail, records);
    }
}
