package dev.tandem.task;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads a broker's message into a {@link Task}, or says why it is none; and writes a task's headers. Pure, immutable
 * and thread-safe. Reading never throws, whatever the bytes.
 *
 * <p><b>Precedence.</b> Names are compared exactly. A {@code tandem-} header takes precedence over a CloudEvents
 * attribute (binary mode) for the same purpose, and that over what the broker itself knows (record key, message id, …).
 * If a header is repeated, its last value counts. If both {@code tandem-not-before} and {@code tandem-delay} are given,
 * the later time counts. A time in the past and a delay of zero or less mean now. An empty {@code tandem-id} or
 * {@code tandem-type} means the default; an empty {@code tandem-key} (or record key) means no order.
 *
 * <p><b>Headers that are kept</b> in {@link Task#headers()}: all but those that a field of the task represents, with
 * their values as UTF-8 (a null value as empty text). Bytes that are not UTF-8 are kept as ISO-8859-1 under the name
 * with {@value #LATIN1} appended. Earlier values of a repeated header are kept as {@code name#1}, {@code name#2}, … An
 * unreadable message keeps all of its headers (those after the first 1,024 as lines of {@value #MORE_HEADERS}), and its
 * broker's key as {@value #BROKER_KEY} if that is not the key of the task.
 *
 * <p><b>CloudEvents in structured mode</b>, of the content type {@code application/cloudevents+json}, are read as the same
 * events in binary mode: their data is the payload, and their attributes are headers. A body that is no such event makes the
 * message unreadable, and is kept whole.
 *
 * <p><b>Keys.</b> A key whose bytes are not UTF-8, or that contains control characters, becomes {@code 0x} followed by
 * its bytes in hexadecimal.
 */
public final class TaskHeaders {

    public static final String ID = "tandem-id";
    public static final String TYPE = "tandem-type";
    public static final String KEY = "tandem-key";

    /**
     * The header that says why a message is unreadable, in an unreadable task that takes its place among those of its key. A
     * message that comes with it is unreadable too.
     */
    public static final String UNREADABLE = "tandem-unreadable";

    public static final String NOT_BEFORE = "tandem-not-before";
    public static final String DELAY = "tandem-delay";
    public static final String TIMEOUT = "tandem-timeout";
    public static final String MAX_ATTEMPTS = "tandem-max-attempts";

    /** The header that says when the task's time is over: its handler does not begin from then on. */
    public static final String EXPIRES_AT = "tandem-expires-at";

    /** The header that says the same as a time from when the task is due. */
    public static final String TTL = "tandem-ttl";

    /** Kept as a header, as one digit: which of the tasks that may start comes first, see {@link TaskPriority}. */
    public static final String PRIORITY = "tandem-priority";

    public static final String DEDUP_KEY = "tandem-dedup-key";

    /** The header that says which of several tasks with one deduplication key runs: {@code first}, {@code keep-last}, … */
    public static final String DEDUP_MODE = "tandem-dedup-mode";

    /** The header that says for how long after its arrival the task's deduplication key is taken. Kept in milliseconds. */
    public static final String DEDUP_WINDOW = "tandem-dedup-window";

    /** Kept as a header: business ids of tasks that this one waits for, see {@link TaskDependencies}. */
    public static final String DEPENDS_ON = "tandem-depends-on";

    /** Kept as a header: what becomes of the task if one of those does not succeed. */
    public static final String DEPENDS_POLICY = "tandem-depends-policy";

    /** Kept as a header: for how long the task waits for those at most. */
    public static final String DEPENDS_TIMEOUT = "tandem-depends-timeout";

    /** Kept as a header: the payload's media type, under the name that Kafka and AMQP clients use. */
    public static final String CONTENT_TYPE = "content-type";

    /** Appended to the name of a header whose value is not UTF-8 and is kept as ISO-8859-1. */
    public static final String LATIN1 = ";latin1";

    /** The header in which an unreadable message keeps its broker's key if that is not the key of the task. */
    public static final String BROKER_KEY = "tandem-broker-key";

    /** The header in which an unreadable message keeps its headers after the first 1,024: a line for each of them. */
    public static final String MORE_HEADERS = "tandem-more-headers";

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

    private static final String OWN = "tandem-";

    private static final byte[] NO_BYTES = {};

    /** How the messages of a broker spell the attributes of CloudEvents in binary mode. */
    public enum Binding {
        /** {@code ce_id}: CloudEvents' Kafka protocol binding 1.0.2, section 3.2.3. */
        KAFKA("ce_", "ce_"),
        /**
         * {@code cloudEvents:id}, or {@code cloudEvents_id}: CloudEvents' AMQP protocol binding 1.0.2, section 3.1.3.
         */
        AMQP("cloudEvents:", "cloudEvents_");

        private final String prefix;
        private final String otherPrefix;

        Binding(String prefix, String otherPrefix) {
            this.prefix = prefix;
            this.otherPrefix = otherPrefix;
        }

        /** Returns the header that carries an attribute. */
        public String header(String attribute) {
            return prefix + attribute;
        }

        /** Whether a header carries an attribute in some binding. */
        static boolean isAnAttribute(String header) {
            return KAFKA.attribute(header) != null || AMQP.attribute(header) != null;
        }

        /** Returns the name of the attribute that a header carries, or null if it carries none. */
        @Nullable
        String attribute(String header) {
            if (header.startsWith(prefix)) {
                return header.substring(prefix.length());
            }
            return header.startsWith(otherPrefix) ? header.substring(otherPrefix.length()) : null;
        }
    }

    /**
     * One header of a message.
     *
     * @param value its bytes; a value that is no text in its protocol (an AMQP number) as its text
     */
    public record Field(String name, byte @Nullable [] value) {
        public static Field of(String name, String value) {
            return new Field(name, value.getBytes(StandardCharsets.UTF_8));
        }
    }

    /**
     * What the broker knows of a message apart from its headers.
     *
     * @param key the Kafka record key, or the routing key if the queue is configured so; null or empty if there is none
     * @param id AMQP's message id
     * @param type AMQP's type
     * @param contentType AMQP's content type; becomes the header {@value TaskHeaders#CONTENT_TYPE} if there is none
     * @param publishedAt the message's timestamp in epoch milliseconds; 0 or less if unknown
     * @param arrivedAt the current time in epoch milliseconds, from which delays count if there is no timestamp
     */
    public record Origin(
            byte @Nullable [] key,
            @Nullable String id,
            @Nullable String type,
            @Nullable String contentType,
            long publishedAt,
            long arrivedAt) {}

    /**
     * The result of reading a message.
     *
     * @param task the task; of an unreadable message its whole payload, all headers and the fields that could be read
     * @param unreadable why the message can't be a task, for people; null if it can
     */
    public record Read(Task task, @Nullable String unreadable) {}

    /** Whether the value of {@link #DELAY} is less than zero, which means no delay. */
    public static boolean isNegativeDelay(String value) {
        return HeaderValues.isNegativeDelay(value);
    }

    /** Whether a header may give its message another key than the broker's. A structured event has its key in its body. */
    public static boolean mayNameKey(String header, byte @Nullable [] value) {
        return header.equals(KEY)
                || header.endsWith("partitionkey")
                || header.equals(CONTENT_TYPE)
                        && value != null
                        && isEvent(header, new String(value, StandardCharsets.ISO_8859_1));
    }

    private final String queue;
    private final Binding binding;
    private final int maxPayload;

    /**
     * @param queue the logical queue of all messages
     * @param maxPayload in bytes, 1 or more; a message with a longer payload is unreadable, and is still kept whole
     */
    public TaskHeaders(String queue, Binding binding, int maxPayload) {
        if (maxPayload < 1) {
            throw new IllegalArgumentException("max-payload is " + maxPayload + ", it must be 1 byte or more");
        }
        this.queue = Objects.requireNonNull(queue, "queue");
        this.binding = Objects.requireNonNull(binding, "binding");
        this.maxPayload = maxPayload;
    }

    /**
     * Reads one message.
     *
     * @param body its bytes, which are not copied; null (a Kafka tombstone) is an empty payload
     */
    public Read read(List<Field> fields, Origin origin, byte @Nullable [] body) {
        return read(fields, origin, body, null);
    }

    /**
     * Reads one message.
     *
     * @param problem what its protocol says is wrong with it, which makes it unreadable; null if nothing is
     */
    public Read read(List<Field> fields, Origin origin, byte @Nullable [] body, @Nullable String problem) {
        return new MessageReader(queue, binding, maxPayload, origin, problem)
                .read(fields, body == null ? NO_BYTES : body);
    }

    /**
     * Returns whether a message of this task is readable for certain: a cheap answer for most tasks. If it is false, write
     * the headers and {@link #read} them to know.
     */
    public boolean isSurelyReadable(Task task) {
        return task.payload().length <= maxPayload
                && isPlain(task.id(), MAX_ID)
                && isPlain(task.type(), MAX_TYPE)
                && isPlain(task.key(), MAX_KEY)
                && isPlain(task.dedupKey(), MAX_ID)
                && HeaderValues.areInRange(task)
                && arePlain(task.headers());
    }

    private static boolean arePlain(Map<String, String> headers) {
        if (headers.size() > MAX_HEADERS / 2) {
            return false;
        }
        long chars = 0;
        for (Map.Entry<String, String> each : headers.entrySet()) {
            String name = each.getKey();
            if (name.startsWith(OWN) || Binding.isAnAttribute(name) || isEvent(name, each.getValue())) {
                return false;
            }
            chars += name.length() + each.getValue().length();
        }
        // A character has three bytes at most, and the fields of a task have headers too.
        return chars <= MAX_HEADER_BYTES / 4;
    }

    private static boolean isEvent(String header, String value) {
        return header.equals(CONTENT_TYPE) && StructuredEvent.isEvent(value);
    }

    /** Whether a text is missing, or has printable ASCII characters only, and not too many. */
    private static boolean isPlain(@Nullable String text, int most) {
        return text == null || (text.length() <= most && isPrintableAscii(text));
    }

    /** Returns whether a text has printable ASCII characters only, so that it has as many bytes as characters. */
    public static boolean isPrintableAscii(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < ' ' || c > '~') {
                return false;
            }
        }
        return true;
    }

    /** Takes the headers of a message that is written. */
    public interface Writer {

        /** Takes a header whose value is the UTF-8 of a text. */
        void text(String name, String value);

        /** Takes a header whose value is not UTF-8. */
        void bytes(String name, byte[] value);
    }

    /** Writes a task's headers as {@link #write(Task, Writer)} does, all of them as bytes. */
    public static void write(Task task, BiConsumer<String, byte[]> out) {
        write(task, new Writer() {
            @Override
            public void text(String name, String value) {
                out.accept(name, value.getBytes(StandardCharsets.UTF_8));
            }

            @Override
            public void bytes(String name, byte[] value) {
                out.accept(name, value);
            }
        });
    }

    /**
     * Writes a task's headers in such a way that {@link #read} makes an equal task of them. The key and the time of
     * publication are not written, because they are fields of the message itself.
     */
    public static void write(Task task, Writer out) {
        put(out, ID, task.id());
        put(out, TYPE, task.type());
        put(out, NOT_BEFORE, task.notBefore() > 0 ? Long.toString(task.notBefore()) : null);
        put(out, TIMEOUT, task.timeoutMillis() > 0 ? Long.toString(task.timeoutMillis()) : null);
        put(out, MAX_ATTEMPTS, task.maxAttempts() > 0 ? Integer.toString(task.maxAttempts()) : null);
        put(out, DEDUP_KEY, task.dedupKey());
        for (Map.Entry<String, String> header : task.headers().entrySet()) {
            String name = header.getKey();
            if (name.endsWith(LATIN1)) {
                out.bytes(
                        name.substring(0, name.length() - LATIN1.length()),
                        header.getValue().getBytes(StandardCharsets.ISO_8859_1));
            } else if (!name.startsWith(OWN) || !isWritten(task, name)) {
                out.text(name, header.getValue());
            }
        }
    }

    /** Whether a field of the task has given the message this header already. */
    private static boolean isWritten(Task task, String name) {
        return switch (name) {
            case ID -> task.id() != null;
            case TYPE -> task.type() != null;
            case NOT_BEFORE -> task.notBefore() > 0;
            case TIMEOUT -> task.timeoutMillis() > 0;
            case MAX_ATTEMPTS -> task.maxAttempts() > 0;
            case DEDUP_KEY -> task.dedupKey() != null;
            default -> false;
        };
    }

    private static void put(Writer out, String name, @Nullable String value) {
        if (value != null) {
            out.text(name, value);
        }
    }
}
