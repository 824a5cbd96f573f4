package dev.tandem.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import dev.tandem.rabbit.RabbitSettings;
import dev.tandem.task.Task;
import dev.tandem.task.TaskHeaders;
import dev.tandem.task.TaskHeaders.Binding;
import dev.tandem.task.TaskHeaders.Field;
import dev.tandem.task.TaskHeaders.Origin;
import dev.tandem.testkit.BrokerProxy;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

final class RabbitTestBroker implements TestBroker {

    private static final int PARTITIONS = 3;

    private final String name = UniqueNames.fresh("client");
    private final RabbitSettings settings = at(Brokers.rabbit().uri());
    private final Connection connection = Brokers.rabbit().connect();

    private RabbitSettings at(String uri) {
        return RabbitSettings.of(uri, name)
                .withExchange(name + ".in")
                .orderedByHeader()
                .withPartitions(PARTITIONS);
    }

    @Override
    public String queue() {
        return name;
    }

    @Override
    public TandemClientBuilder client() {
        return TandemClient.builder().queue(settings);
    }

    @Override
    public TandemClientBuilder clientWithMaxPayload(int bytes) {
        return TandemClient.builder().queue(settings.withMaxPayload(bytes));
    }

    @Override
    public TandemClientBuilder clientThrough(BrokerProxy proxy) {
        return TandemClient.builder().queue(at(proxy.uri()));
    }

    @Override
    public BrokerProxy proxy() {
        return new BrokerProxy(settings.uri());
    }

    @Override
    public TandemClientBuilder clientOfAMissingPlace() {
        return TandemClient.builder()
                .queue(RabbitSettings.of(settings.uri(), "nowhere")
                        .withExchange(name + ".nowhere")
                        .withBrokerQueue(name + ".nowhere")
                        .orderedByRoutingKey("orders.*")
                        .withPartitions(1));
    }

    @Override
    public String missingPlace() {
        return "no queue is bound to exchange";
    }

    @Override
    public List<Task> read(int count) {
        TaskHeaders headers = new TaskHeaders(name, Binding.AMQP, settings.maxPayload());
        LinkedBlockingQueue<Task> arrived = new LinkedBlockingQueue<>();
        List<Task> tasks = new ArrayList<>();
        try {
            Channel channel = connection.createChannel();
            for (int i = 0; i < PARTITIONS; i++) {
                channel.basicConsume(RabbitSettings.subQueueName(name, i), true, new DefaultConsumer(channel) {
                    @Override
                    public void handleDelivery(String tag, Envelope envelope, BasicProperties properties, byte[] body) {
                        arrived.add(task(headers, properties, body));
                    }
                });
            }
            long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
            while (tasks.size() < count && System.nanoTime() < deadline) {
                Task next = arrived.poll(1, TimeUnit.SECONDS);
                if (next != null) {
                    tasks.add(next);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return tasks;
    }

    private static Task task(TaskHeaders headers, BasicProperties properties, byte[] body) {
        assertThat(properties.getDeliveryMode()).as("persistent").isEqualTo(2);
        List<Field> fields = new ArrayList<>();
        properties.getHeaders().forEach((name, value) -> fields.add(Field.of(name, String.valueOf(value))));
        long publishedAt = properties.getTimestamp().getTime();
        TaskHeaders.Read read = headers.read(
                fields,
                new Origin(
                        null,
                        properties.getMessageId(),
                        properties.getType(),
                        properties.getContentType(),
                        publishedAt,
                        publishedAt),
                body);
        return read.task();
    }

    @Override
    public void close() {
        try {
            connection.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
