package dev.tandem.rabbit;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.LongString;
import dev.tandem.task.Delivery;
import dev.tandem.task.TaskHeaders;
import dev.tandem.task.TaskHeaders.Field;
import dev.tandem.task.TaskHeaders.Origin;
import dev.tandem.task.TaskHeaders.Read;
import dev.tandem.task.TaskPriority;
import dev.tandem.task.fanout.Subtask;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Turns AMQP messages into deliveries. Immutable and thread-safe. Does not throw, whatever the message contains. */
final class MessageDecoder {

    /**
     * The time of publishing in milliseconds, written by RabbitMQ's timestamp interceptor and by Tandem's publisher.
     */
    static final String TIMESTAMP_MILLIS = "timestamp_in_ms";

    /** Headers in which the broker counts deliveries. They differ at each delivery and do not belong to the task. */
    private static final Set<String> DELIVERY_COUNTS = Set.of("x-delivery-count", "x-acquired-count");

    /** Headers that are no headers of the task. */
    private static final Set<String> NOT_KEPT = Set.of(TIMESTAMP_MILLIS, HeaderFrame.REASON);

    private static final int MAX_DEPTH = 8;
    private static final long LAST_MILLI_OF_A_SECOND = 999;

    private final TaskHeaders headers;
    private final boolean keyIsRoutingKey;
    private final InstantSource clock;

    MessageDecoder(RabbitSettings settings, InstantSource clock) {
        this.headers = new TaskHeaders(settings.queue(), TaskHeaders.Binding.AMQP, settings.maxPayload());
        this.keyIsRoutingKey = settings.keyIsRoutingKey();
        this.clock = clock;
    }

    Delivery delivery(
            long sequence, String routingKey, boolean redelivered, BasicProperties properties, byte @Nullable [] body) {
        long arrivedAt = clock.millis();
        Map<String, Object> table = properties.getHeaders() == null ? Map.of() : properties.getHeaders();
        Origin origin = new Origin(
                keyIsRoutingKey ? routingKey.getBytes(StandardCharsets.UTF_8) : null,
                properties.getMessageId(),
                properties.getType(),
                properties.getContentType(),
                publishedAt(properties.getTimestamp(), table.get(TIMESTAMP_MILLIS), arrivedAt),
                arrivedAt);
        Read read = headers.read(fields(table, properties), origin, body, problem(table));
        String identity = MessageIdentity.of(routingKey, properties, table, body);
        return new Delivery(sequence, Subtask.withoutSpreadKey(read.task()), read.unreadable(), identity, redelivered);
    }

    /**
     * Returns the time of publishing. AMQP timestamps are whole seconds, so the end of that second is used: otherwise a
     * delay could end up to 999 ms too early. The time of arrival is the upper limit.
     */
    private static long publishedAt(@Nullable Date timestamp, @Nullable Object millis, long arrivedAt) {
        if (millis instanceof Number number && number.longValue() > 0) {
            return number.longValue();
        }
        if (timestamp == null || timestamp.getTime() <= 0) {
            return 0;
        }
        long second = timestamp.getTime();
        return Math.max(second, Math.min(arrivedAt, second + LAST_MILLI_OF_A_SECOND));
    }

    /** Returns why the message's properties were rewritten; null if they were not. Publishers may send the header too. */
    private static @Nullable String problem(Map<String, Object> table) {
        if (!table.containsKey(HeaderFrame.REASON)) {
            return null;
        }
        byte[] reason = bytes(table.get(HeaderFrame.REASON));
        String text = reason == null ? "" : new String(reason, StandardCharsets.UTF_8);
        return text.isBlank() ? "the message has the header " + HeaderFrame.REASON : text;
    }

    private static List<Field> fields(Map<String, Object> table, BasicProperties properties) {
        List<Field> fields = new ArrayList<>(table.size() + 1);
        table.forEach((name, value) -> {
            if (!DELIVERY_COUNTS.contains(name) && !NOT_KEPT.contains(name)) {
                fields.add(new Field(name, bytes(value)));
            }
        });
        addProperty(fields, table, "content-encoding", properties.getContentEncoding());
        addProperty(fields, table, "correlation-id", properties.getCorrelationId());
        addProperty(fields, table, "reply-to", properties.getReplyTo());
        Integer priority = properties.getPriority();
        if (priority != null && priority > 0) {
            // The broker allows more than AMQP's 9.
            addProperty(
                    fields, table, TaskHeaders.PRIORITY, Integer.toString(Math.min(priority, TaskPriority.HIGHEST)));
        }
        return fields;
    }

    /** Keeps a property that handlers may need as a header, unless there is a header of that name. */
    private static void addProperty(
            List<Field> fields, Map<String, Object> table, String name, @Nullable String value) {
        if (value != null && !table.containsKey(name)) {
            fields.add(Field.of(name, value));
        }
    }

    /** Returns the bytes of a text, or of the textual form of any other value. */
    static byte @Nullable [] bytes(@Nullable Object value) {
        if (value == null) {
            return null;
        }
        if (value instanceof LongString text) {
            return text.getBytes();
        }
        if (value instanceof byte[] raw) {
            return raw;
        }
        StringBuilder text = new StringBuilder();
        write(text, value, 0);
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static void write(StringBuilder out, @Nullable Object value, int depth) {
        if (out.length() > TaskHeaders.MAX_HEADER_BYTES) {
            return; // Longer than allowed already, so the message is unreadable anyway.
        }
        if (depth > MAX_DEPTH) {
            out.append('…');
        } else if (value instanceof Map<?, ?> table) {
            String separator = "{";
            for (Map.Entry<?, ?> entry : table.entrySet()) {
                out.append(separator).append(entry.getKey()).append('=');
                write(out, entry.getValue(), depth + 1);
                separator = ", ";
            }
            out.append(table.isEmpty() ? "{}" : "}");
        } else if (value instanceof List<?> list) {
            String separator = "[";
            for (Object element : list) {
                out.append(separator);
                write(out, element, depth + 1);
                separator = ", ";
            }
            out.append(list.isEmpty() ? "[]" : "]");
        } else if (value instanceof byte[] raw) {
            out.append(new String(raw, StandardCharsets.ISO_8859_1));
        } else if (value instanceof Date date) {
            out.append(isoTime(date));
        } else {
            out.append(value);
        }
    }

    private static String isoTime(Date date) {
        try {
            return date.toInstant().toString();
        } catch (DateTimeException | ArithmeticException e) {
            return Long.toString(date.getTime());
        }
    }
}
