package dev.tandem.server.api;

import dev.tandem.runtime.masking.Echoes;
import dev.tandem.runtime.settings.QueueSettings;
import dev.tandem.runtime.settings.QueueSettings.SourceType;
import dev.tandem.server.inspect.Pauses;
import dev.tandem.server.inspect.TaskInfo;
import dev.tandem.server.masking.PayloadMasks;
import dev.tandem.server.words.Sentence;
import dev.tandem.task.Envelope;
import dev.tandem.task.PlatformHeaders;
import dev.tandem.task.Task;
import dev.tandem.task.TaskState;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Creates the views of tasks: without headers and payload in lists, with them for a single task. */
final class TaskViews {

    private static final Sentence IN_BROKER = Sentence.of("note.in-broker");
    private static final Sentence NOT_KEPT = Sentence.of("note.not-kept");
    private static final Sentence MASKED = Sentence.of("note.masked");

    private TaskViews() {}

    static Views.Task inList(String queue, QueueSettings settings, Pauses pauses, TaskInfo info) {
        return view(queue, settings, pauses, info, null);
    }

    static Views.Task single(String queue, QueueSettings settings, Pauses pauses, PayloadMasks masks, TaskInfo info) {
        return view(queue, settings, pauses, info, masks);
    }

    /** @param masks null to leave the payload and the headers out */
    private static Views.Task view(
            String queue, QueueSettings settings, Pauses pauses, TaskInfo info, @Nullable PayloadMasks masks) {
        boolean withPayload = masks != null;
        Envelope envelope = info.envelope();
        Task task = envelope == null ? null : envelope.task();
        // A task that succeeded is kept without its payload, except samples of earlier versions.
        boolean ended = task != null && info.durationMillis() != null;
        boolean kept = task != null && !ended && !info.isInBroker();
        PayloadMasks.Shown shown = !kept || masks == null ? null : masks.show(queue, task.type(), task.payload());
        Echoes echoes = Echoes.of(settings.mask(), () -> kept ? task.payload() : null);
        ShownBytes payload = shown == null ? ShownBytes.NONE : ShownBytes.of(shown.bytes());
        Map<String, String> headers = task == null || ended ? Map.of() : PlatformHeaders.without(task.headers());
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
                envelope == null ? null : echoes.hide(envelope.error()),
                info.state() == TaskState.PARKED && info.head() != null
                        ? info.head().toString()
                        : null,
                pauses.waitsFor(info, Instant.now()),
                info.halts() ? true : null,
                kept ? task.payload().length : null,
                kept ? shown != null && shown.masked() ? MASKED : null : ended ? NOT_KEPT : IN_BROKER,
                !withPayload || headers.isEmpty() ? null : headers,
                payload.json(),
                payload.text(),
                payload.base64(),
                info.durationMillis(),
                !withPayload || info.result() == null ? null : new JsonText(echoes.result(info.result())),
                task == null ? null : task.dedupKey(),
                info.duplicateOf(),
                NoteViews.Progress.of(info.notes().progress(), echoes),
                NoteViews.Checkpoint.of(info.notes().checkpoint()),
                NoteViews.Line.of(info.notes().log(), echoes),
                !withPayload || info.history().isEmpty()
                        ? null
                        : info.history().stream()
                                .map(attempt -> Views.Attempt.of(attempt, echoes))
                                .toList());
    }

    /** Returns the attempts of a task that are known, without what is masked. */
    static List<Views.Attempt> attempts(QueueSettings settings, TaskInfo info) {
        Envelope envelope = info.envelope();
        boolean kept = envelope != null && info.durationMillis() == null && !info.isInBroker();
        Echoes echoes = Echoes.of(settings.mask(), () -> kept ? envelope.task().payload() : null);
        return info.history().stream()
                .map(attempt -> Views.Attempt.of(attempt, echoes))
                .toList();
    }

    /** Returns the last error of a task, without what is masked. */
    static @Nullable String error(QueueSettings settings, TaskInfo info) {
        Envelope envelope = info.envelope();
        boolean kept = envelope != null && info.durationMillis() == null && !info.isInBroker();
        return envelope == null
                ? null
                : Echoes.of(settings.mask(), () -> kept ? envelope.task().payload() : null)
                        .hide(envelope.error());
    }

    static int maxAttempts(QueueSettings settings, @Nullable Task task) {
        return task == null || task.maxAttempts() == 0
                ? settings.maxAttempts()
                : Math.min(task.maxAttempts(), settings.effectiveMaxAttemptsLimit());
    }

    /** Returns the id that the handler sees. */
    static String id(String queue, QueueSettings settings, TaskInfo info) {
        return id(
                queue,
                settings,
                info,
                info.envelope() == null ? null : info.envelope().task());
    }

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
}
