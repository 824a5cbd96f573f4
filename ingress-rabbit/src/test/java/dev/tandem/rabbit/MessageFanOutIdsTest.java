package dev.tandem.rabbit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.rabbit.MessageEncoder.OutgoingMessage;
import dev.tandem.task.Delivery;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.Task;
import dev.tandem.task.fanout.Subtask;
import dev.tandem.task.store.FanOutIds;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests which messages of one subtask have one fan-out if they fan out themselves. */
class MessageFanOutIdsTest {

    private static final RabbitSettings SETTINGS = RabbitSettings.of("amqp://localhost", "mail");
    private static final long TIME = 1_790_000_000_400L;

    private int arrivals;

    /** Publishes the subtask 17. @param again whether this is not the first run of its master */
    private static OutgoingMessage publish(long time, boolean again) {
        Subtask subtask = new Subtask("00112233445566778899", 17, 1, again);
        Map<String, String> headers = Map.of(Subtask.HEADER, subtask.text());
        Task task = new Task(null, "mail", "part", null, new byte[] {'1'}, headers, 0, 0, 0, 0, null);
        return new MessageEncoder(SETTINGS, InstantSource.fixed(Instant.ofEpochMilli(time)))
                .encode(task, subtask.taskId());
    }

    /** Delivers a message, each time at another position, and returns what its own fan-out is called. */
    private String fanOut(OutgoingMessage message) {
        Delivery delivery = new MessageDecoder(SETTINGS, InstantSource.system())
                .delivery(++arrivals, message.routingKey(), arrivals > 1, message.properties(), message.body());
        Position position = new Position(delivery.identity() + ":writer." + arrivals);
        return FanOutIds.of(Partition.of("mail", 0), position, delivery.task(), "");
    }

    @Test
    void aMessageThatComesAgainFindsItsFanOut() {
        OutgoingMessage message = publish(TIME, false);
        assertThat(fanOut(message)).isEqualTo(fanOut(message));
    }

    @Test
    void copiesHaveFanOutsOfTheirOwnIfTheyWerePublishedAMillisecondApartOrOneByTheFirstRun() {
        assertThat(fanOut(publish(TIME, true))).isNotEqualTo(fanOut(publish(TIME + 1, true)));
        assertThat(fanOut(publish(TIME, false))).isNotEqualTo(fanOut(publish(TIME, true)));
    }

    @Test
    void copiesThatAreAlikeInEverythingShareOne() {
        assertThat(fanOut(publish(TIME, true)))
                .as("nobody can tell the second one from a redelivery of the first")
                .isEqualTo(fanOut(publish(TIME, true)));
    }
}
