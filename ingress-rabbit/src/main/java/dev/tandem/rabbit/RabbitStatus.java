package dev.tandem.rabbit;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The state of a source's connection to its broker.
 *
 * @param connected whether tasks can arrive
 * @param since when this state began
 * @param detail for people: why it is not connected, or to which broker it is
 * @param forgotten for people: which queues another ordering has left, whose messages nobody consumes; null if there are
 *     none
 */
public record RabbitStatus(
        boolean connected,
        Instant since,
        String detail,
        @Nullable String forgotten) {

    RabbitStatus beside(@Nullable String others) {
        return new RabbitStatus(connected, since, detail, others);
    }
}
