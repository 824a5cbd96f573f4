package dev.tandem.rabbit;

import com.rabbitmq.client.AMQP.BasicProperties;
import dev.tandem.task.LogText;
import dev.tandem.task.Publisher.InvalidTaskException;
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

/** Turns tasks of one queue into AMQP messages. Immutable and thread-safe. */
final class MessageEncoder {

    private static final int PERSISTENT = 2;
    /** The maximum length of AMQP's short strings, which routing keys and properties are. */
    private static final int MAX_SHORT_STRING_BYTES = 255;

    private static final int MAX_SHOWN = 80;

    private final RabbitSettings settings;
    private final TaskHeaders headers;
    private final String routingKey;
    private final InstantSource clock;

    /** A message and where to publish it. */
    record OutgoingMessage(String exchange, String routingKey, BasicProperties properties, byte[] body) {
        /** Names exchange and routing key, for people. */
        String place() {
            return "exchange '" + exchange + "' with the routing key '" + routingKey + "'";
        }
    }

    MessageEncoder(RabbitSettings settings, InstantSource clock) {
        this.settings = settings;
        this.headers = new TaskHeaders(settings.queue(), TaskHeaders.Dialect.AMQP, settings.maxPayload());
        this.routingKey = keyMatching(settings.routingKey(), settings.queue());
        this.clock = clock;
    }

    /**
     * Returns a persistent message for the task.
     *
     * @param id unique among all messages, so that a redelivery is recognised
     * @throws InvalidTaskException if AMQP cannot carry the task, or the message would be unreadable on arrival
     */
    OutgoingMessage encode(Task task, String id) {
        long publishedAt = task.publishedAt() > 0 ? task.publishedAt() : clock.millis();
        List<Field> fields = new ArrayList<>();
        TaskHeaders.write(task, (name, value) -> fields.add(new Field(name, value)));
        String key = task.key();
        boolean keyInHeader = !settings.keyIsRoutingKey() || key == null;
        if (keyInHeader && (key != null || settings.ordered())) {
            // The exchange of an ordered queue needs the header. An empty key means that the task has no order.
            fields.add(Field.of(TaskHeaders.KEY, key == null ? "" : key));
        }
        if (!headers.isSurelyReadable(task)) {
            requireReadable(fields, task, publishedAt);
        }
        BasicProperties.Builder properties = new BasicProperties.Builder()
                .deliveryMode(PERSISTENT)
                .messageId(id)
                .timestamp(new Date(publishedAt));
        Map<String, Object> table = new LinkedHashMap<>();
        for (Field field : fields) {
            if (!setAsProperty(properties, field)) {
                requireShort(field.name());
                table.put(field.name(), value(field));
            }
        }
        table.put(MessageDecoder.TIMESTAMP_MILLIS, publishedAt);
        String messageRoutingKey = keyInHeader || key == null ? routingKey : key;
        if (messageRoutingKey.getBytes(StandardCharsets.UTF_8).length > MAX_SHORT_STRING_BYTES) {
            throw new InvalidTaskException("The task cannot be published: its key is used as the routing key of queue '"
                    + settings.queue() + "' (key: routing-key), which may have " + MAX_SHORT_STRING_BYTES + " bytes");
        }
        return new OutgoingMessage(
                settings.exchange(),
                messageRoutingKey,
                properties.headers(table).build(),
                task.payload());
    }

    private void requireReadable(List<Field> fields, Task task, long publishedAt) {
        Origin origin = new Origin(null, null, null, null, publishedAt, publishedAt);
        String unreadable = headers.read(fields, origin, task.payload()).unreadable();
        if (unreadable != null) {
            throw new InvalidTaskException("The task cannot be published: " + unreadable);
        }
    }

    private static void requireShort(String name) {
        int bytes = name.getBytes(StandardCharsets.UTF_8).length;
        if (bytes > MAX_SHORT_STRING_BYTES) {
            throw new InvalidTaskException("The task cannot be published: the name of header '"
                    + LogText.oneLine(name, MAX_SHOWN) + "' has " + bytes + " bytes, and AMQP allows "
                    + MAX_SHORT_STRING_BYTES);
        }
    }

    /** Sets the field as a property if AMQP has one for it. Returns whether it did. */
    private static boolean setAsProperty(BasicProperties.Builder properties, Field field) {
        byte[] bytes = field.value();
        String text = bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
        if (text == null || text.getBytes(StandardCharsets.UTF_8).length > MAX_SHORT_STRING_BYTES) {
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

    /** Returns valid UTF-8 as text, which all clients can read, and anything else as bytes. */
    private static @Nullable Object value(Field field) {
        byte[] bytes = field.value();
        if (bytes == null) {
            return null;
        }
        String text = new String(bytes, StandardCharsets.UTF_8);
        return Arrays.equals(text.getBytes(StandardCharsets.UTF_8), bytes) ? text : bytes;
    }

    /** Returns a routing key that matches the binding's pattern. */
    static String keyMatching(String pattern, String queue) {
        StringBuilder key = new StringBuilder();
        for (String word : pattern.split("\\.", -1)) {
            if (!word.equals("#")) {
                key.append(key.isEmpty() ? "" : ".").append(word.equals("*") ? "task" : word);
            }
        }
        return key.isEmpty() && !pattern.isEmpty() ? queue : key.toString();
    }
}
