package dev.tandem.task;

import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads a broker's message into a {@link Task}, or says why it is none; and writes a task's headers. Pure, immutable,
 * safe for all threads; reading never throws, whatever the bytes.
 *
 * <p>Names are compared exactly. For the same purpose a {@code tandem-} header goes before a CloudEvents attribute
 * (binary mode), and that before what the broker itself knows (record key, message id, …). Of a header that came
 * several times the last counts. With both {@code tandem-not-before} and {@code tandem-delay} the later time counts; a
 * time that has passed, and a delay of zero or less, mean now. An empty {@code tandem-id} or {@code tandem-type} means
 * the default, an empty {@code tandem-key} (or record key) no order.
 *
 * <p>What becomes of headers in {@link Task#headers()}: those that a field of the task represents are left out, all
 * others are kept, values as UTF-8 (a null value as empty text). Bytes that are not UTF-8 are kept as ISO-8859-1 under
 * the name with {@value #LATIN1} appended. Earlier ones of a repeated header are kept as {@code name#1},
 * {@code name#2}, … A message that can't be read keeps all of its headers, and its broker's key as
 * {@value #BROKER_KEY} where the task's own key could not be it.
 *
 * <p>A key whose bytes are not UTF-8, or have control characters, becomes {@code 0x} and its bytes in hexadecimal.
 */
public final class TaskHeaders {

    public static final String ID = "tandem-id";
    public static final String TYPE = "tandem-type";
    public static final String KEY = "tandem-key";
    public static final String NOT_BEFORE = "tandem-not-before";
    public static final String DELAY = "tandem-delay";
    public static final String TIMEOUT = "tandem-timeout";
    public static final String MAX_ATTEMPTS = "tandem-max-attempts";
    public static final String DEDUP_KEY = "tandem-dedup-key";

    /** Kept as a header: business ids of tasks that this one waits for. No effect yet. */
    public static final String DEPENDS_ON = "tandem-depends-on";

    /** Kept as a header: the payload's media type, under the name that Kafka and AMQP clients use. */
    public static final String CONTENT_TYPE = "content-type";

    /** Appended to the name of a kept header whose value is not UTF-8 and stands here as ISO-8859-1. */
    public static final String LATIN1 = ";latin1";

    /** Where an unreadable message keeps its broker's key if that is no key for a task. */
    public static final String BROKER_KEY = "tandem-broker-key";

    /** The longest key, in bytes. */
    public static final int MAX_KEY = 1024;

    /** The longest id and deduplication key, in bytes. */
    public static final int MAX_ID = 512;

    /** The longest type, in bytes. */
    public static final int MAX_TYPE = 200;

    /** The most headers of one message. */
    public static final int MAX_HEADERS = 256;

    /** The most bytes of all header names and values of one message together. */
    public static final int MAX_HEADER_BYTES = 64 * 1024;

    /** 1 MiB. */
    public static final int DEFAULT_MAX_PAYLOAD = 1 << 20;

    private static final byte[] NO_BYTES = {};

    /** How a broker's messages spell the attributes of CloudEvents in binary mode. */
    public enum Dialect {
        /** {@code ce_id}: CloudEvents' Kafka protocol binding 1.0.2, section 3.2.3. */
        KAFKA("ce_", "ce_"),
        /** {@code cloudEvents:id}, or {@code cloudEvents_id}: CloudEvents' AMQP protocol binding 1.0.2, section 3.1.3. */
        AMQP("cloudEvents:", "cloudEvents_");

        private final String prefix;
        private final String otherPrefix;

        Dialect(String prefix, String otherPrefix) {
            this.prefix = prefix;
            this.otherPrefix = otherPrefix;
        }

        /** The attribute that a header carries, or null. */
        @Nullable
        String attribute(String header) {
            if (header.startsWith(prefix)) {
                return header.substring(prefix.length());
            }
            return header.startsWith(otherPrefix) ? header.substring(otherPrefix.length()) : null;
        }
    }

    /** One header as it came; a value that is no text in its protocol (AMQP numbers) comes as its text. */
    public record Field(String name, byte @Nullable [] value) {
        public static Field of(String name, String value) {
            return new Field(name, value.getBytes(StandardCharsets.UTF_8));
        }
    }

    /**
     * What the broker knows of a message beside its headers.
     *
     * @param key the Kafka record key, or the routing key where the queue says so; null or empty: none
     * @param id AMQP's message id
     * @param type AMQP's type
     * @param contentType AMQP's content type; becomes the header {@value TaskHeaders#CONTENT_TYPE} if there is none
     * @param publishedAt the message's timestamp, epoch milliseconds; 0 or less: unknown
     * @param arrivedAt now, epoch milliseconds: delays count from here if the message has no timestamp
     */
    public record Origin(
            byte @Nullable [] key,
            @Nullable String id,
            @Nullable String type,
            @Nullable String contentType,
            long publishedAt,
            long arrivedAt) {}

    /**
     * @param task the task, or what could be saved of it: its whole payload and all headers
     * @param unreadable null, or why the message can't be a task, for people
     */
    public record Read(Task task, @Nullable String unreadable) {}

    private final String queue;
    private final Dialect dialect;
    private final int maxPayload;

    /**
     * @param queue the logical queue of all messages
     * @param maxPayload bytes, 1 or more: a longer payload makes a message unreadable, and is still kept whole
     */
    public TaskHeaders(String queue, Dialect dialect, int maxPayload) {
        if (maxPayload < 1) {
            throw new IllegalArgumentException("max-payload is " + maxPayload + ", it must be 1 byte or more");
        }
        this.queue = Objects.requireNonNull(queue, "queue");
        this.dialect = Objects.requireNonNull(dialect, "dialect");
        this.maxPayload = maxPayload;
    }

    /** Reads one message. @param body its bytes, not copied; null (a Kafka tombstone) is an empty payload */
    public Read read(List<Field> fields, Origin origin, byte @Nullable [] body) {
        byte[] payload = body == null ? NO_BYTES : body;
        return new Reading(origin).read(fields, payload);
    }

    /**
     * Writes a task's headers so that {@link #read} makes an equal task of them. The key and the time of publishing are
     * not among them: they are the message's own.
     */
    public static void write(Task task, BiConsumer<String, byte[]> out) {
        Map<String, String> fields = new LinkedHashMap<>();
        put(fields, ID, task.id());
        put(fields, TYPE, task.type());
        put(fields, NOT_BEFORE, task.notBefore() > 0 ? Long.toString(task.notBefore()) : null);
        put(fields, TIMEOUT, task.timeoutMillis() > 0 ? Long.toString(task.timeoutMillis()) : null);
        put(fields, MAX_ATTEMPTS, task.maxAttempts() > 0 ? Integer.toString(task.maxAttempts()) : null);
        put(fields, DEDUP_KEY, task.dedupKey());
        fields.forEach((name, value) -> out.accept(name, value.getBytes(StandardCharsets.UTF_8)));
        task.headers().forEach((name, value) -> {
            if (name.endsWith(LATIN1)) {
                out.accept(
                        name.substring(0, name.length() - LATIN1.length()),
                        value.getBytes(StandardCharsets.ISO_8859_1));
            } else if (!fields.containsKey(name)) {
                out.accept(name, value.getBytes(StandardCharsets.UTF_8));
            }
        });
    }

    private static void put(Map<String, String> fields, String name, @Nullable String value) {
        if (value != null) {
            fields.put(name, value);
        }
    }

    /** One message being read. The first problem is its reason; the rest is read all the same. */
    private final class Reading {
        private final Origin origin;
        private @Nullable String problem;

        private @Nullable String id;
        private @Nullable String type;
        private @Nullable String eventId;
        private @Nullable String eventType;
        private @Nullable Field key;
        private @Nullable Field eventKey;
        private @Nullable String dedupKey;
        private long notBefore;
        private long delay;
        private long timeout;
        private int maxAttempts;

        Reading(Origin origin) {
            this.origin = origin;
        }

        Read read(List<Field> fields, byte[] payload) {
            checkSizes(fields, payload);
            Map<String, String> kept = Map.of();
            if (!fields.isEmpty()) {
                kept = new LinkedHashMap<>();
                for (Field field : fields) {
                    if (!known(field)) {
                        keep(kept, field);
                    }
                }
            }
            String taskKey = key();
            long due = due();
            if (problem != null) {
                return new Read(saved(fields, taskKey, payload), problem);
            }
            return new Read(
                    new Task(
                            firstOf(id, eventId, origin.id()),
                            queue,
                            firstOf(type, eventType, origin.type()),
                            taskKey,
                            payload,
                            withContentType(kept),
                            Math.max(0, origin.publishedAt()),
                            due,
                            timeout,
                            maxAttempts,
                            dedupKey),
                    null);
        }

        private void checkSizes(List<Field> fields, byte[] payload) {
            if (payload.length > maxPayload) {
                problem("the payload of " + payload.length + " bytes is over the limit of " + maxPayload
                        + " bytes: raise tandem.max-payload, or send a reference instead of the data");
            }
            if (fields.size() > MAX_HEADERS) {
                problem("the message has " + fields.size() + " headers: at most " + MAX_HEADERS + " are allowed");
            }
            long bytes = 0;
            for (Field field : fields) {
                bytes += field.name().length() + (field.value() == null ? 0 : field.value().length);
            }
            if (bytes > MAX_HEADER_BYTES) {
                problem("the headers have " + bytes + " bytes: at most " + MAX_HEADER_BYTES + " are allowed");
            }
        }

        /** Whether a field of the task represents this header. */
        private boolean known(Field field) {
            switch (field.name()) {
                case ID -> id = text(field, MAX_ID);
                case TYPE -> type = text(field, MAX_TYPE);
                case DEDUP_KEY -> dedupKey = text(field, MAX_ID);
                case KEY -> key = field;
                case NOT_BEFORE -> notBefore = number(field, HeaderValues.INSTANT);
                case DELAY -> delay = number(field, HeaderValues.DELAY);
                case TIMEOUT -> timeout = number(field, HeaderValues.TIMEOUT);
                case MAX_ATTEMPTS -> maxAttempts = (int) number(field, HeaderValues.COUNT);
                default -> {
                    event(field);
                    return false;
                }
            }
            return true;
        }

        private void event(Field field) {
            String attribute = dialect.attribute(field.name());
            if (attribute == null) {
                return;
            }
            switch (attribute) {
                case "id" -> eventId = text(field, MAX_ID);
                case "type" -> eventType = text(field, MAX_TYPE);
                case "partitionkey" -> eventKey = field;
                default -> {
                    // Kept as a header like any other.
                }
            }
        }

        private @Nullable String text(Field field, int maxBytes) {
            byte[] value = field.value();
            if (value == null || value.length == 0) {
                return null;
            }
            if (value.length > maxBytes) {
                return problem(field, "its " + value.length + " bytes are more than the " + maxBytes + " allowed");
            }
            String text = HeaderValues.utf8(value);
            if (text == null) {
                return problem(field, "use UTF-8");
            }
            return HeaderValues.hasControls(text) ? problem(field, "control characters are not allowed") : text;
        }

        private long number(Field field, HeaderValues.Form form) {
            byte[] value = field.value();
            if (value == null) {
                return 0;
            }
            try {
                return form.read(new String(value, StandardCharsets.ISO_8859_1).strip());
            } catch (RuntimeException e) {
                problem(field, form.hint());
                return 0;
            }
        }

        private @Nullable String key() {
            Field given = key != null ? key : eventKey;
            byte[] bytes = given != null ? given.value() : origin.key();
            if (bytes == null || bytes.length == 0) {
                return null;
            }
            if (bytes.length > MAX_KEY) {
                String what = given != null ? "header '" + given.name() + "'" : "the message's key";
                problem(what + " has " + bytes.length + " bytes: a key may have " + MAX_KEY);
                return null;
            }
            return HeaderValues.key(bytes);
        }

        private long due() {
            if (delay <= 0) {
                return Math.max(0, notBefore);
            }
            long from = origin.publishedAt() > 0 ? origin.publishedAt() : origin.arrivedAt();
            // No overflow: a delay has at most 48 bits.
            if (from > HeaderValues.LATEST || from + delay > HeaderValues.LATEST) {
                problem("header '" + DELAY + "' has the value '" + delay + "' ms: from the message's time " + from
                        + " (epoch milliseconds) that is beyond the year 9999");
                return 0;
            }
            return Math.max(notBefore, from + delay);
        }

        private Task saved(List<Field> fields, @Nullable String taskKey, byte[] payload) {
            Map<String, String> all = new LinkedHashMap<>();
            fields.forEach(field -> keep(all, field));
            byte[] brokerKey = origin.key();
            if (brokerKey != null && brokerKey.length > 0 && (taskKey == null || key != null || eventKey != null)) {
                keep(all, new Field(BROKER_KEY, brokerKey));
            }
            return new Task(
                    firstOf(id, eventId, origin.id()),
                    queue,
                    firstOf(type, eventType, origin.type()),
                    taskKey,
                    payload,
                    withContentType(all),
                    Math.max(0, origin.publishedAt()),
                    0,
                    0,
                    0,
                    null);
        }

        private Map<String, String> withContentType(Map<String, String> headers) {
            String contentType = origin.contentType();
            if (contentType == null || contentType.isEmpty() || headers.containsKey(CONTENT_TYPE)) {
                return headers.isEmpty() ? Map.of() : Collections.unmodifiableMap(headers);
            }
            Map<String, String> more = new LinkedHashMap<>(headers);
            more.put(CONTENT_TYPE, contentType);
            return Collections.unmodifiableMap(more);
        }

        private @Nullable String problem(Field field, String hint) {
            byte[] value = field.value();
            problem("header '" + field.name() + "' has the value '"
                    + HeaderValues.shown(value == null ? NO_BYTES : value) + "': " + hint);
            return null;
        }

        private void problem(String text) {
            if (problem == null) {
                problem = text;
            }
        }
    }

    private static void keep(Map<String, String> headers, Field field) {
        byte[] bytes = field.value();
        String text = bytes == null ? "" : HeaderValues.utf8(bytes);
        String name = field.name();
        if (text == null) {
            name += LATIN1;
            text = new String(Objects.requireNonNull(bytes), StandardCharsets.ISO_8859_1);
        }
        String earlier = headers.put(name, text);
        if (earlier != null) {
            int n = 1;
            while (headers.containsKey(name + "#" + n)) {
                n++;
            }
            headers.put(name + "#" + n, earlier);
        }
    }

    private static @Nullable String firstOf(@Nullable String a, @Nullable String b, @Nullable String c) {
        return a != null ? a : b != null ? b : c == null || c.isEmpty() ? null : c;
    }
}
