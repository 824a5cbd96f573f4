package dev.tandem.rabbit;

import com.rabbitmq.client.AMQP.BasicProperties;
import dev.tandem.task.Publisher.PublishException;
import dev.tandem.task.Task;
import dev.tandem.task.TaskHeaders;
import dev.tandem.task.TaskHeaders.Field;
import dev.tandem.task.TaskHeaders.Origin;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Makes messages of one queue's tasks. Immutable, safe for all threads. */
final class MessageWriter {

    private static final int PERSISTENT = 2;
    /** Routing keys and properties: AMQP's short strings, in bytes. */
    private static final int MAX_SHORT_TEXT = 255;

    private final RabbitSettings settings;
    private final TaskHeaders check;
    private final String routingKey;
    private final InstantSource clock;

    record Message(String exchange, String routingKey, BasicProperties properties, byte[] body) {
        /** For people. */
        String place() {
            return "exchange '" + exchange + "' with the routing key '" + routingKey + "'";
        }
    }

    MessageWriter(RabbitSettings settings, InstantSource clock) {
        this.settings = settings;
        this.check = new TaskHeaders(settings.queue(), TaskHeaders.Dialect.AMQP, settings.maxPayload());
        this.routingKey = matching(settings.routingKey(), settings.queue());
        this.clock = clock;
    }

    /**
     * A persistent message.
     *
     * @param id unique among all messages, so that a redelivery is recognised
     * @throws PublishException if it could not be read on arrival, for the same reason
     */
    Message message(Task task, String id) {
        long publishedAt = task.publishedAt() > 0 ? task.publishedAt() : clock.millis();
        List<Field> fields = new ArrayList<>();
        TaskHeaders.write(task, (name, value) -> fields.add(new Field(name, value)));
        String key = task.key();
        boolean keyInHeader = !settings.keyIsRoutingKey() || key == null;
        if (keyInHeader && (key != null || settings.ordered())) {
            // An ordered queue's exchange needs the header; an empty one means no order.
            fields.add(Field.of(TaskHeaders.KEY, key == null ? "" : key));
        }
        check(fields, task, publishedAt);
        BasicProperties.Builder properties = new BasicProperties.Builder()
                .deliveryMode(PERSISTENT)
                .messageId(id)
                .timestamp(new Date(publishedAt));
        Map<String, Object> headers = new LinkedHashMap<>();
        for (Field field : fields) {
            if (!asProperty(properties, field)) {
                headers.put(field.name(), value(field));
            }
        }
        headers.put(MessageCodec.TIMESTAMP_MILLIS, publishedAt);
        String to = keyInHeader || key == null ? routingKey : key;
        if (to.getBytes(StandardCharsets.UTF_8).length > MAX_SHORT_TEXT) {
            throw new PublishException("The task can't be published: its key is the routing key of queue '"
                    + settings.queue() + "' (key: routing-key), and that has " + MAX_SHORT_TEXT + " bytes at most");
        }
        return new Message(settings.exchange(), to, properties.headers(headers).build(), task.payload());
    }

    private void check(List<Field> fields, Task task, long publishedAt) {
        Origin origin = new Origin(null, null, null, null, publishedAt, publishedAt);
        String unreadable = check.read(fields, origin, task.payload()).unreadable();
        if (unreadable != null) {
            throw new PublishException("The task can't be published: " + unreadable);
        }
    }

    /** What AMQP has properties for. */
    private static boolean asProperty(BasicProperties.Builder properties, Field field) {
        byte[] bytes = field.value();
        String text = bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
        if (text == null || text.getBytes(StandardCharsets.UTF_8).length > MAX_SHORT_TEXT) {
            return false;
        }
        switch (field.name()) {
            case TaskHeaders.CONTENT_TYPE -> properties.contentType(text);
            case "content-encoding" -> properties.contentEncoding(text);
            case "correlation-id" -> properties.correlationId(text);
            case "reply-to" -> properties.replyTo(text);
            default -> {
                return false;
            }
        }
        return true;
    }

    /** Text as text, which all clients read; what is none as bytes. */
    private static @Nullable Object value(Field field) {
        byte[] bytes = field.value();
        if (bytes == null) {
            return null;
        }
        String text = new String(bytes, StandardCharsets.UTF_8);
        return Arrays.equals(text.getBytes(StandardCharsets.UTF_8), bytes) ? text : bytes;
    }

    /** A routing key that the binding's pattern lets through. */
    static String matching(String pattern, String queue) {
        StringBuilder key = new StringBuilder();
        for (String word : pattern.split("\\.", -1)) {
            if (!word.equals("#")) {
                key.append(key.isEmpty() ? "" : ".").append(word.equals("*") ? "task" : word);
            }
        }
        return key.isEmpty() && !pattern.isEmpty() ? queue : key.toString();
    }
}
