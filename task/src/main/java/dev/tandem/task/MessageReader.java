package dev.tandem.task;

import static dev.tandem.task.TaskHeaders.BROKER_KEY;
import static dev.tandem.task.TaskHeaders.CONTENT_TYPE;
import static dev.tandem.task.TaskHeaders.DEDUP_KEY;
import static dev.tandem.task.TaskHeaders.DEDUP_MODE;
import static dev.tandem.task.TaskHeaders.DEDUP_WINDOW;
import static dev.tandem.task.TaskHeaders.DELAY;
import static dev.tandem.task.TaskHeaders.DEPENDS_ON;
import static dev.tandem.task.TaskHeaders.DEPENDS_POLICY;
import static dev.tandem.task.TaskHeaders.DEPENDS_TIMEOUT;
import static dev.tandem.task.TaskHeaders.EXPIRES_AT;
import static dev.tandem.task.TaskHeaders.ID;
import static dev.tandem.task.TaskHeaders.KEY;
import static dev.tandem.task.TaskHeaders.MAX_ATTEMPTS;
import static dev.tandem.task.TaskHeaders.MAX_HEADERS;
import static dev.tandem.task.TaskHeaders.MAX_HEADER_BYTES;
import static dev.tandem.task.TaskHeaders.MAX_ID;
import static dev.tandem.task.TaskHeaders.MAX_KEY;
import static dev.tandem.task.TaskHeaders.MAX_TYPE;
import static dev.tandem.task.TaskHeaders.NOT_BEFORE;
import static dev.tandem.task.TaskHeaders.PRIORITY;
import static dev.tandem.task.TaskHeaders.TIMEOUT;
import static dev.tandem.task.TaskHeaders.TTL;
import static dev.tandem.task.TaskHeaders.TYPE;
import static dev.tandem.task.TaskHeaders.UNREADABLE;

import dev.tandem.task.TaskHeaders.Binding;
import dev.tandem.task.TaskHeaders.Field;
import dev.tandem.task.TaskHeaders.Origin;
import dev.tandem.task.TaskHeaders.Read;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads one message, as {@link TaskHeaders} describes it. The first problem becomes the reason why the message is
 * unreadable; the rest is read all the same. Each message needs a reader of its own.
 */
final class MessageReader {

    private static final List<String> DEDUP_MODES = List.of("first", "keep-last", "replace");

    private static final byte[] NO_BYTES = {};
    private static final int MAX_PROBLEM = 300;
    private static final String NO_CONTROLS = "control characters are not allowed";

    private final String queue;
    private final Binding binding;
    private final int maxPayload;
    private final Origin origin;

    /** The first problem that was found. */
    private @Nullable String problem;

    private @Nullable String id;
    private @Nullable String type;
    private @Nullable String eventId;
    private @Nullable String eventType;
    private @Nullable Field keyField;
    private @Nullable Field eventKeyField;
    private @Nullable String dedupKey;
    private long notBefore;
    private long delay;
    private long timeout;
    private int maxAttempts;
    private @Nullable TaskExpiry expiry;
    /** Whether the task says what it waits for. */
    private boolean dependent;

    private int priority;
    private @Nullable String dedupMode;
    private long dedupWindow;

    /** @param problem what is known to be wrong with the message, of any length; null if nothing is */
    MessageReader(String queue, Binding binding, int maxPayload, Origin origin, @Nullable String problem) {
        this.queue = queue;
        this.binding = binding;
        this.maxPayload = maxPayload;
        this.origin = origin;
        this.problem = problem == null ? null : LogText.oneLine(problem, MAX_PROBLEM);
    }

    Read read(List<Field> fields, byte[] payload) {
        checkSizes(fields, payload);
        StructuredEvent event = structured(fields, payload);
        List<Field> all = event == null ? fields : event.fields();
        KeptHeaders kept = new KeptHeaders();
        for (Field field : all) {
            // Once there is a problem, the salvaged headers are kept instead.
            if (!readField(field) && problem == null) {
                kept.add(field);
            }
        }
        String taskKey = readKey();
        String taskId = firstOf(id, eventId, () -> property("message id", origin.id(), MAX_ID));
        String taskType = firstOf(type, eventType, () -> property("type", origin.type(), MAX_TYPE));
        long earliestStart = notBefore();
        keepExpiry(earliestStart, kept);
        if (dependent && problem == null) {
            problem = TaskDependencies.problem(queue, dedupKey, kept.headers());
        }
        keepDedup(kept);
        if (problem != null) {
            return new Read(salvaged(fields, taskId, taskType, taskKey, payload), problem);
        }
        return new Read(
                new Task(
                        taskId,
                        queue,
                        taskType,
                        taskKey,
                        event == null ? payload : event.data(),
                        withContentType(kept.headers()),
                        Math.max(0, origin.publishedAt()),
                        earliestStart,
                        timeout,
                        maxAttempts,
                        dedupKey),
                null);
    }

    /** Returns the event that the body is in structured mode; null if it is none, or cannot be read. */
    private @Nullable StructuredEvent structured(List<Field> fields, byte[] payload) {
        String contentType = StructuredEvent.contentType(fields, origin.contentType());
        if (problem != null || contentType == null || !StructuredEvent.isEvent(contentType)) {
            return null;
        }
        try {
            StructuredEvent event = StructuredEvent.read(fields, contentType, payload, binding);
            checkHeaders(event.fields());
            return event;
        } catch (JsonMembers.MalformedException e) {
            problem("the body is not the CloudEvent that its content type '"
                    + LogText.oneLine(contentType, HeaderValues.MAX_SHOWN) + "' says: " + e.getMessage());
            return null;
        }
    }

    private void checkSizes(List<Field> fields, byte[] payload) {
        if (payload.length > maxPayload) {
            problem("the payload of " + payload.length + " bytes is over the limit of " + maxPayload
                    + " bytes: raise tandem.max-payload, or send a reference instead of the data");
        }
        checkHeaders(fields);
    }

    private void checkHeaders(List<Field> fields) {
        if (fields.size() > MAX_HEADERS) {
            problem("the message has " + fields.size() + " headers: at most " + MAX_HEADERS + " are allowed");
        }
        long bytes = 0;
        for (Field field : fields) {
            bytes += HeaderValues.utf8Length(field.name()) + (field.value() == null ? 0 : field.value().length);
        }
        if (bytes > MAX_HEADER_BYTES) {
            problem("the headers have " + bytes + " bytes: at most " + MAX_HEADER_BYTES + " are allowed");
        }
    }

    /** Reads a header. Returns whether a field of the task represents it. */
    private boolean readField(Field field) {
        switch (field.name()) {
            case ID -> id = text(field, MAX_ID);
            case TYPE -> type = text(field, MAX_TYPE);
            case DEDUP_KEY -> dedupKey = text(field, MAX_ID);
            case DEDUP_MODE -> dedupMode = mode(field);
            case DEDUP_WINDOW -> dedupWindow = number(field, HeaderValues.WINDOW);
            case KEY -> keyField = field;
            case NOT_BEFORE -> notBefore = number(field, HeaderValues.INSTANT);
            case DELAY -> delay = number(field, HeaderValues.DELAY);
            case TIMEOUT -> timeout = number(field, HeaderValues.TIMEOUT);
            case EXPIRES_AT -> expiry().expiresAt(number(field, HeaderValues.INSTANT));
            case TTL -> expiry().ttl(number(field, HeaderValues.TTL));
            case MAX_ATTEMPTS -> maxAttempts = (int) number(field, HeaderValues.COUNT);
            case PRIORITY -> priority = (int) number(field, HeaderValues.PRIORITY);
            case UNREADABLE -> {
                problem("the message has the header " + UNREADABLE);
                return false;
            }
            case DEPENDS_ON, DEPENDS_POLICY, DEPENDS_TIMEOUT -> {
                dependent = true;
                return false;
            }
            default -> {
                readAttribute(field);
                return false;
            }
        }
        return true;
    }

    /** Reads a header that carries an attribute of CloudEvents. It is kept as a header as well. */
    private void readAttribute(Field field) {
        String attribute = binding.attribute(field.name());
        if (attribute == null) {
            return;
        }
        switch (attribute) {
            case "id" -> eventId = text(field, MAX_ID);
            case "type" -> eventType = text(field, MAX_TYPE);
            case "partitionkey" -> eventKeyField = field;
            default -> {}
        }
    }

    private @Nullable String text(Field field, int maxBytes) {
        byte[] value = field.value();
        if (value == null || value.length == 0) {
            return null;
        }
        if (value.length > maxBytes) {
            return problem(field, tooLong(value.length, maxBytes));
        }
        String text = Utf8.decode(value);
        if (text == null) {
            return problem(field, "use UTF-8");
        }
        return HeaderValues.hasControls(text) ? problem(field, NO_CONTROLS) : text;
    }

    /** Reads what the broker knows apart from the headers, with the checks of a header for the same purpose. */
    private @Nullable String property(String name, @Nullable String value, int maxBytes) {
        if (value == null || value.isEmpty()) {
            return null;
        }
        String hint = HeaderValues.hasControls(value) ? NO_CONTROLS : null;
        int bytes = HeaderValues.utf8Length(value);
        if (bytes > maxBytes) {
            hint = tooLong(bytes, maxBytes);
        }
        if (hint == null) {
            return value;
        }
        problem("the message's " + name + " has the value '" + LogText.oneLine(value, HeaderValues.MAX_SHOWN) + "': "
                + hint);
        return null;
    }

    private static String tooLong(int bytes, int maxBytes) {
        return "it has " + bytes + " bytes, and at most " + maxBytes + " are allowed";
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

    private @Nullable String readKey() {
        Field given = keyField != null ? keyField : eventKeyField;
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

    /** Returns the earliest start in epoch milliseconds; 0 if that is now. */
    private long notBefore() {
        if (delay <= 0) {
            return Math.max(0, notBefore);
        }
        long from = origin.publishedAt() > 0 ? origin.publishedAt() : origin.arrivedAt();
        // This cannot overflow: a delay has at most 48 bits.
        if (from > HeaderValues.LATEST || from + delay > HeaderValues.LATEST) {
            problem("header '" + DELAY + "' has the value '" + delay + "' ms: from the message's time " + from
                    + " (epoch milliseconds) that is beyond the year 9999");
            return 0;
        }
        return Math.max(notBefore, from + delay);
    }

    private TaskExpiry expiry() {
        TaskExpiry its = expiry;
        if (its == null) {
            its = new TaskExpiry();
            expiry = its;
        }
        return its;
    }

    /** Keeps the time at which the task expires, as the one header that says so. */
    private void keepExpiry(long earliestStart, KeptHeaders kept) {
        TaskExpiry its = expiry;
        if (its == null || !its.isGiven() || problem != null) {
            return;
        }
        long sent = origin.publishedAt() > 0 ? origin.publishedAt() : origin.arrivedAt();
        long at = its.from(earliestStart > 0 ? earliestStart : sent);
        String wrong = TaskExpiry.problem(at, earliestStart);
        if (wrong != null) {
            problem(wrong);
        } else {
            kept.add(Field.of(EXPIRES_AT, Long.toString(at)));
        }
    }

    private @Nullable String mode(Field field) {
        String mode = text(field, MAX_ID);
        return mode == null || DEDUP_MODES.contains(mode)
                ? mode
                : problem(field, "use one of " + String.join(", ", DEDUP_MODES));
    }

    /** Keeps the priority, and how the task is told from its duplicates, in the one form that executors read. */
    private void keepDedup(KeptHeaders kept) {
        if (priority > 0 && problem == null) {
            kept.add(Field.of(PRIORITY, Integer.toString(priority)));
        }
        if (dedupMode != null && problem == null) {
            kept.add(Field.of(DEDUP_MODE, dedupMode));
        }
        if (dedupWindow > 0 && problem == null) {
            kept.add(Field.of(DEDUP_WINDOW, Long.toString(dedupWindow)));
        }
    }

    /** Returns what could be read of an unreadable message: its payload, all of its headers and its key. */
    private Task salvaged(
            List<Field> fields,
            @Nullable String taskId,
            @Nullable String taskType,
            @Nullable String taskKey,
            byte[] payload) {
        KeptHeaders all = KeptHeaders.of(fields);
        byte[] brokerKey = origin.key();
        if (brokerKey != null
                && brokerKey.length > 0
                && (taskKey == null || keyField != null || eventKeyField != null)) {
            all.add(new Field(BROKER_KEY, brokerKey));
        }
        return new Task(
                taskId,
                queue,
                taskType,
                taskKey,
                payload,
                withContentType(all.headers()),
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
        if (problem != null) {
            return null;
        }
        byte[] value = field.value();
        problem("header '" + field.name() + "' has the value '" + HeaderValues.shown(value == null ? NO_BYTES : value)
                + "': " + hint);
        return null;
    }

    private void problem(String text) {
        if (problem == null) {
            problem = text;
        }
    }

    private static @Nullable String firstOf(
            @Nullable String own, @Nullable String ofEvent, Supplier<@Nullable String> ofBroker) {
        if (own != null) {
            return own;
        }
        return ofEvent != null ? ofEvent : ofBroker.get();
    }
}
