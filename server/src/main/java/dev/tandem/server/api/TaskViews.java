package dev.tandem.server.api;

import dev.tandem.runtime.settings.QueueSettings;
import dev.tandem.runtime.settings.QueueSettings.SourceType;
import dev.tandem.server.inspect.TaskInfo;
import dev.tandem.task.Envelope;
import dev.tandem.task.PlatformHeaders;
import dev.tandem.task.Task;
import dev.tandem.task.TaskState;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.json.JsonMapper;

/** Creates the views of tasks: without headers and payload in lists, with them for a single task. */
final class TaskViews {

    /**
     * The deepest payload that is shown as JSON. Jackson reads and writes 500 levels, in clients too, and the view has
     * some of its own. A deeper payload is shown as text.
     */
    private static final int MAX_DEPTH = 490;

    private static final JsonMapper JSON = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(MAX_DEPTH)
                            .build())
                    .build())
            .build();

    private static final String IN_BROKER =
            "The broker has custody of this task: Redis knows at most that it is claimed. Its payload is in the broker";

    private static final String NOT_KEPT = "The payload and the headers of a task that has ended are not kept";

    private TaskViews() {}

    static Views.Task inList(String queue, QueueSettings settings, Pauses pauses, TaskInfo info) {
        return view(queue, settings, pauses, info, false);
    }

    static Views.Task single(String queue, QueueSettings settings, Pauses pauses, TaskInfo info) {
        return view(queue, settings, pauses, info, true);
    }

    private static Views.Task view(
            String queue, QueueSettings settings, Pauses pauses, TaskInfo info, boolean withPayload) {
        Envelope envelope = info.envelope();
        Task task = envelope == null ? null : envelope.task();
        // A task that succeeded is kept without its payload, except samples of earlier versions.
        boolean ended = task != null && info.durationMillis() != null;
        boolean kept = task != null && !ended && !info.isInBroker();
        byte[] payload = !kept || !withPayload ? null : task.payload();
        Map<String, String> headers = task == null || ended ? Map.of() : PlatformHeaders.without(task.headers());
        String text = payload == null ? null : text(payload);
        boolean json = text != null && isJson(text);
        return new Views.Task(
                info.ref().toString(),
                id(queue, settings, info, task),
                queue,
                info.ref().partition(),
                info.ref().position(),
                Views.state(info),
                task == null || task.type() == null ? settings.handler() : task.type(),
                info.key(),
                info.attempts(),
                // The limit of a task that succeeded is not kept.
                info.durationMillis() == null ? maxAttempts(settings, task) : null,
                info.at(),
                task == null || task.publishedAt() == 0 ? null : Instant.ofEpochMilli(task.publishedAt()),
                info.executor(),
                envelope == null || envelope.token() == 0 ? null : Long.toString(envelope.token()),
                envelope == null ? null : envelope.error(),
                info.state() == TaskState.PARKED && info.head() != null
                        ? info.head().toString()
                        : null,
                pauses.waitsFor(settings, info, Instant.now()),
                info.halts() ? true : null,
                kept ? task.payload().length : null,
                kept ? null : ended ? NOT_KEPT : IN_BROKER,
                !withPayload || headers.isEmpty() ? null : headers,
                json ? new JsonText(text) : null,
                json ? null : text,
                payload == null || text != null ? null : Base64.getEncoder().encodeToString(payload),
                info.durationMillis(),
                !withPayload || info.result() == null ? null : new JsonText(info.result()),
                task == null ? null : task.dedupKey(),
                info.duplicateOf(),
                NoteViews.Progress.of(info.notes().progress()),
                NoteViews.Checkpoint.of(info.notes().checkpoint()),
                NoteViews.Line.of(info.notes().log()),
                !withPayload || info.history().isEmpty()
                        ? null
                        : info.history().stream().map(Views.Attempt::of).toList());
    }

    static int maxAttempts(QueueSettings settings, @Nullable Task task) {
        return task == null || task.maxAttempts() == 0
                ? settings.maxAttempts()
                : Math.min(task.maxAttempts(), settings.effectiveMaxAttemptsLimit());
    }

    /** Returns the id that the handler sees. */
    private static String id(String queue, QueueSettings settings, TaskInfo info, @Nullable Task task) {
        if (task != null && task.id() != null) {
            return task.id();
        }
        if (settings.source() == SourceType.KAFKA) {
            String position = info.ref().position();
            String offset = position.substring(position.lastIndexOf(':') + 1);
            return settings.effectiveTopic(queue) + ":" + info.ref().partition() + ":" + offset;
        }
        return queue + ":" + info.ref().partition() + ":" + info.ref().position();
    }

    /** Whether the text is one JSON value that may be shown as it is. */
    private static boolean isJson(String text) {
        try (JsonParser parser = JSON.createParser(text)) {
            boolean any = parser.nextToken() != null;
            parser.skipChildren();
            parser.finishToken();
            return any && parser.nextToken() == null;
        } catch (JacksonException e) {
            return false;
        }
    }

    private static @Nullable String text(byte[] payload) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(payload))
                    .toString();
        } catch (CharacterCodingException e) {
            return null;
        }
    }
}
