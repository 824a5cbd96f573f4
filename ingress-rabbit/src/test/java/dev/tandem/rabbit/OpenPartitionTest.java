package dev.tandem.rabbit;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.ShutdownSignalException;
import dev.tandem.task.MemoryBudget;
import dev.tandem.task.Partition;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** How a partition notices that a cluster took messages back without closing their channel. */
class OpenPartitionTest {

    private static final int ALL = 100;

    private final OpenPartition open = new OpenPartition(Partition.of("mail", 0), OpenPartitionTest::channel);
    private final PartitionHistory twins = new PartitionHistory(new RateLimit(1, 1));
    private long tag;

    @Test
    void redeliveriesBeforeNewMessagesAreThoseOfEarlierChannels() {
        assertThat(takenBack(redelivered("a"), redelivered("b"), fresh("c"))).isFalse();
    }

    @Test
    void aRedeliveryBehindANewMessageWasOnThisChannel() {
        assertThat(takenBack(fresh("a"))).isFalse();
        assertThat(takenBack(redelivered("a"))).isTrue();
    }

    @Test
    void aRedeliveryWasOnThisChannelOnceAllThatEarlierOnesLeftHasCome() {
        open.leftoverCounted(1);
        assertThat(takenBack(redelivered("a"))).isFalse();
        assertThat(takenBack(redelivered("b"))).isTrue();
    }

    @Test
    void aMessageIdThatComesTwiceBeforeThatWasOnThisChannel() {
        open.leftoverCounted(10);
        assertThat(takenBack(redelivered("a"), redelivered("b"))).isFalse();
        assertThat(takenBack(redelivered("a"))).isTrue();
    }

    @Test
    void twoMessagesWithOneIdInABatchWereBothLeftByEarlierChannels() {
        open.leftoverCounted(10);
        assertThat(takenBack(redelivered("a", 2), redelivered("b", 2), redelivered("a", 2)))
                .isFalse();
        assertThat(takenBack(redelivered("b", 1))).isFalse();
    }

    @Test
    void aMessageThatCameBackOnceMoreWasOnThisChannel() {
        open.leftoverCounted(10);
        assertThat(takenBack(redelivered("a", 1), redelivered("b", 1), redelivered("a", 2)))
                .isTrue();
    }

    @Test
    void aBrokerThatDoesNotCountDeliversTwoMessagesWithOneIdAgainOnce() {
        open.leftoverCounted(10);
        assertThat(takenBack(redelivered("a"), redelivered("b"), redelivered("a"), redelivered("b")))
                .isTrue();
        open.renewChannel();
        open.leftoverCounted(10);
        assertThat(takenBack(redelivered("a"), redelivered("b"), redelivered("a"), redelivered("b")))
                .isFalse();
    }

    @Test
    void equalMessagesWithoutIdsMayBothBeOfEarlierChannels() {
        open.leftoverCounted(10);
        assertThat(takenBack(redelivered(null), redelivered(null))).isFalse();
    }

    @Test
    void aNewChannelBeginsAnew() {
        assertThat(takenBack(fresh("a"))).isFalse();
        open.renewChannel();
        assertThat(takenBack(redelivered("a"))).isFalse();
    }

    /** @param returns how often the broker says that it took the message back; null if it does not say */
    private record Message(
            @Nullable String id,
            boolean redelivered,
            @Nullable Integer returns) {}

    private static Message fresh(String id) {
        return new Message(id, false, null);
    }

    private static Message redelivered(@Nullable String id) {
        return new Message(id, true, null);
    }

    private static Message redelivered(String id, int returns) {
        return new Message(id, true, returns);
    }

    /** Delivers a batch, as the source does. Returns whether it shows that messages were taken back. */
    private boolean takenBack(Message... messages) {
        for (Message message : messages) {
            open.channel()
                    .handleDelivery(
                            "consumer",
                            new Envelope(++tag, message.redelivered(), "", "mail"),
                            new BasicProperties.Builder()
                                    .messageId(message.id())
                                    .headers(
                                            message.returns() == null
                                                    ? Map.of()
                                                    : Map.of("x-acquired-count", message.returns()))
                                    .build(),
                            "{}".getBytes(StandardCharsets.UTF_8));
        }
        List<Arrival> batch = open.channel().take(ALL);
        boolean takenBack = open.isTakenBack(batch, twins);
        open.took(batch);
        boolean ignored = open.becomesCaughtUp();
        return takenBack;
    }

    private static ConsumerChannel channel() {
        InstantSource clock = InstantSource.fixed(Instant.EPOCH);
        RabbitSettings settings = RabbitSettings.of("amqp://localhost", "mail");
        return new ConsumerChannel(
                Partition.of("mail", 0),
                "mail.0",
                1,
                ALL,
                new MessageDecoder(settings, clock),
                MemoryBudget.ofHeap().account(),
                System::nanoTime,
                new Deaf());
    }

    private static final class Deaf implements ConsumerChannel.Listener {
        @Override
        public void arrived() {}

        @Override
        public void ended(ConsumerChannel channel, @Nullable ShutdownSignalException signal) {}
    }
}
