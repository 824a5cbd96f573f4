package dev.tandem.runtime.it;

import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import dev.tandem.testkit.Brokers;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

class EventsRabbitIT extends EventsSuite {

    private Connection connection;

    @Override
    Map.Entry<String, String> broker() {
        return Map.entry("tandem.rabbit.uri", Brokers.rabbit().uri());
    }

    @Override
    String source() {
        return "rabbit";
    }

    @Override
    void createQueue() {
        // Whoever submits declares it.
    }

    @Override
    void listen() throws IOException {
        connection = Brokers.rabbit().connect();
        Channel channel = connection.createChannel();
        channel.exchangeDeclare("tandem-events", BuiltinExchangeType.TOPIC, true);
        String inbox = channel.queueDeclare().getQueue();
        channel.queueBind(inbox, "tandem-events", queue + ".*");
        channel.basicConsume(
                inbox,
                true,
                (tag, message) -> {
                    Map<String, String> attributes = new HashMap<>();
                    message.getProperties()
                            .getHeaders()
                            .forEach((name, value) ->
                                    attributes.put(name.replaceFirst("^cloudEvents:", ""), value.toString()));
                    told.add(new Told(attributes, new String(message.getBody(), StandardCharsets.UTF_8)));
                },
                tag -> {});
    }

    @Override
    void stopListening() throws IOException {
        connection.close();
    }
}
