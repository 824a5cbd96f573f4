package dev.tandem.rabbit;

import com.rabbitmq.client.AMQP.BasicProperties;
import dev.tandem.task.LogText;
import dev.tandem.task.Publisher.InvalidTaskException;
import dev.tandem.task.Task;
import dev.tandem.task.TaskHeaders;
import dev.tandem.task.TaskHeaders.Field;
import dev.tandem.task.TaskHeaders.Origin;
import dev.tandem.task.TaskPriority;
import dev.tandem.task.fanout.Subtask;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
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
        this.headers = new TaskHeaders(settings.queue(), TaskHeaders.Binding.AMQP, settings.maxPayload());
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
        String key = task.key();
        boolean keyInHeader = !settings.keyIsRoutingKey() || key == null;
        String keyHeader = keyInHeader && (key != null || settings.ordered()) ? keyHeader(task) : null;
        if (!headers.isSurelyReadable(task)) {
            requireReadable(task, keyHeader, publishedAt);
        }
        BasicProperties.Builder properties = new BasicProperties.Builder()
                .deliveryMode(PERSISTENT)
                .messageId(id)
                .timestamp(new Date(publishedAt));
        Map<String, Object> table = new LinkedHashMap<>();
        TaskHeaders.write(task, new HeaderWriter(properties, table));
        if (keyHeader != null) {
            table.put(TaskHeaders.KEY, keyHeader);
        }
        table.put(MessageDecoder.TIMESTAMP_MILLIS, publishedAt);
        int priority = TaskPriority.of(task);
        if (priority > 0 && !settings.ordered()) {
            // In an ordered queue the broker must not let tasks of a key overtake one another.
            properties.priority(priority);
        }
        String messageRoutingKey = keyInHeader || key == null ? routingKey : key;
        if (!isShort(messageRoutingKey)) {
            throw new InvalidTaskException("The task cannot be published: its key is used as the routing key of queue '"
                    + settings.queue() + "' (key: routing-key), which may have " + MAX_SHORT_STRING_BYTES + " bytes");
        }
        return new OutgoingMessage(
                settings.exchange(),
                messageRoutingKey,
                properties.headers(table).build(),
                task.payload());
    }

    /** Returns what the exchange of an ordered queue needs. An empty key means that the task has no order. */
    private static String keyHeader(Task task) {
        if (task.key() != null) {
            return task.key();
        }
        Subtask subtask = Subtask.of(task);
        return subtask == null ? "" : subtask.spreadKey();
    }

    private void requireReadable(Task task, @Nullable String keyHeader, long publishedAt) {
        List<Field> fields = new ArrayList<>();
        TaskHeaders.write(task, (name, value) -> fields.add(new Field(name, value)));
        if (keyHeader != null) {
            fields.add(Field.of(TaskHeaders.KEY, keyHeader));
        }
        Origin origin = new Origin(null, null, null, null, publishedAt, publishedAt);
        String unreadable = headers.read(fields, origin, task.payload()).unreadable();
        if (unreadable != null) {
            throw new InvalidTaskException("The task cannot be published: " + unreadable);
        }
    }

    /** Writes headers as properties where AMQP has one, and into the table of headers otherwise. */
    private record HeaderWriter(BasicProperties.Builder properties, Map<String, Object> table)
            implements TaskHeaders.Writer {

        @Override
        public void text(String name, String value) {
            if (!setAsProperty(properties, name, value)) {
                requireShort(name);
                table.put(name, value);
            }
        }

        /** Writes valid UTF-8 as text, which all clients can read, and anything else as bytes. */
        @Override
        public void bytes(String name, byte[] value) {
            String text = new String(value, StandardCharsets.UTF_8);
            if (!setAsProperty(properties, name, text)) {
                requireShort(name);
                table.put(name, Arrays.equals(text.getBytes(StandardCharsets.UTF_8), value) ? text : value);
            }
        }
    }

    private static boolean isShort(String text) {
        return text.length() <= MAX_SHORT_STRING_BYTES
                && (TaskHeaders.isPrintableAscii(text)
                        || text.getBytes(StandardCharsets.UTF_8).length <= MAX_SHORT_STRING_BYTES);
    }

    private static void requireShort(String name) {
        if (!isShort(name)) {
            throw new InvalidTaskException("The task cannot be published: the name of header '"
                    + LogText.oneLine(name, MAX_SHOWN) + "' has "
                    + name.getBytes(StandardCharsets.UTF_8).length + " bytes, and AMQP allows "
                    + MAX_SHORT_STRING_BYTES);
        }
    }

    /** Sets the header as a property if AMQP has one for it. Returns whether it did. */
    private static boolean setAsProperty(BasicProperties.Builder properties, String name, String text) {
        Consumer<String> property = switch (name) {
            case TaskHeaders.CONTENT_TYPE -> properties::contentType;
            case "content-encoding" -> properties::contentEncoding;
            case "correlation-id" -> properties::correlationId;
            case "reply-to" -> properties::replyTo;
            default -> null;
        };
        if (property == null || !isShort(text)) {
            return false;
        }
        property.accept(text);
        return true;
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
