package dev.tandem.verify;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import dev.tandem.rabbit.RabbitSettings;

/** Counts the messages of a queue in RabbitMQ that no consumer holds. */
final class RabbitBacklog {

    private RabbitBacklog() {}

    /** Returns the number of messages. @throws Exception if the broker does not answer, or a queue is missing */
    static long of(RabbitSettings settings) throws Exception {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setUri(settings.uri().split(",", -1)[0]);
        long sum = 0;
        try (Connection connection = factory.newConnection("verify");
                Channel channel = connection.createChannel()) {
            if (!settings.ordered()) {
                return channel.messageCount(settings.brokerQueue());
            }
            for (int i = 0; i < settings.partitions(); i++) {
                sum += channel.messageCount(RabbitSettings.subQueueName(settings.brokerQueue(), i));
            }
            sum += channel.messageCount(RabbitSettings.unroutedName(settings.brokerQueue()));
        }
        return sum;
    }
}
