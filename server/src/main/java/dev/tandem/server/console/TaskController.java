package dev.tandem.server.console;

import dev.tandem.server.access.AuditEntry;
import dev.tandem.server.access.Caller;
import dev.tandem.server.access.Needs;
import dev.tandem.server.access.Permission;
import dev.tandem.server.api.ApiException;
import dev.tandem.server.api.ArchiveReader;
import dev.tandem.server.api.AuditReader;
import dev.tandem.server.api.Callers;
import dev.tandem.server.api.TaskChanges;
import dev.tandem.server.api.TaskReader;
import dev.tandem.server.api.TaskReader.Choice;
import dev.tandem.server.api.TaskReader.Related;
import dev.tandem.server.api.TaskRelations;
import dev.tandem.server.api.Views;
import dev.tandem.server.api.WhyReader;
import dev.tandem.server.console.GoneTask.GoneException;
import dev.tandem.server.inspect.UnavailableException;
import dev.tandem.server.words.Sentence;
import jakarta.servlet.http.HttpServletRequest;
import java.net.URI;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;

/** Shows one task with all that is known of it. */
@Controller
@Needs(Permission.VIEW)
final class TaskController {

    private static final int SEVERAL = 20;
    /** The states of deduplication keys. */
    private static final Set<String> OF_KEYS = Set.of("waits", "begun", "done", "failed", "unknown");

    private static final Pattern TRACE = Pattern.compile("[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}.*");

    /** The content of the page. */
    record Content(Views.Task task, TaskRelations relations, Sentence why, TaskChanges.Known changes) {

        /** Returns the attempts in their order, and what people have done to the task where its time puts it. */
        List<HistoryRow> history() {
            Deque<AuditEntry> left = new ArrayDeque<>(changes.changes());
            List<HistoryRow> rows = new ArrayList<>();
            for (Views.Attempt attempt : task.history() == null ? List.<Views.Attempt>of() : task.history()) {
                Instant began = attempt.at();
                while (began != null && !left.isEmpty() && left.peek().at().isBefore(began)) {
                    rows.add(new HistoryRow(null, left.poll()));
                }
                rows.add(new HistoryRow(attempt, null));
            }
            left.forEach(change -> rows.add(new HistoryRow(null, change)));
            return rows;
        }

        /** Returns the trace of which the task is a part; null if it names none. */
        @Nullable
        String trace() {
            Map<String, String> headers = task.headers();
            String parent = headers == null ? null : headers.get("traceparent");
            Matcher trace = TRACE.matcher(parent == null ? "" : parent);
            return trace.matches() ? trace.group(1) : null;
        }

        /** Returns the payload for people; null if it is not known, or is no text. */
        @Nullable
        String payload() {
            if (task.payload() != null) {
                return JsonLayout.of(task.payload().text());
            }
            return task.payloadText() == null ? null : JsonLayout.cut(task.payloadText());
        }

        @Nullable
        String base64() {
            return task.payloadBase64() == null ? null : JsonLayout.cut(task.payloadBase64());
        }

        @Nullable
        String result() {
            return task.result() == null ? null : JsonLayout.of(task.result().text());
        }
    }

    /** An attempt or a change by a person: the other one is null. */
    record HistoryRow(
            Views.@Nullable Attempt attempt, @Nullable AuditEntry change) {}

    /** Returns what somebody has done to a task. */
    static String changed(View view, AuditEntry change) {
        String who = view.who(change);
        return switch (change.action()) {
            case "retry" -> view.t("acted.retry", who);
            case "edit" -> view.t("acted.edit", who);
            case "reschedule" -> view.t("acted.reschedule", who);
            case "cancel" -> view.t("acted.cancel", who);
            case "delete" -> view.t("acted.delete", who);
            default -> view.t("acted.other", view.word("audit-action", change.action()), who);
        };
    }

    /** Returns the class of the style that goes with the state of a task, or with that of a deduplication key. */
    static String mood(View view, String state) {
        return switch (state) {
            case "done", "begun" -> "good";
            case "failed" -> "bad";
            default -> view.mood(state);
        };
    }

    /** Returns a state in the language of the page, as {@link #mood}. */
    static String said(View view, String state) {
        return view.word(OF_KEYS.contains(state) ? "dependency-state" : "state", state);
    }

    /** Returns the fan-out of a subtask that is named by both. */
    static String outer(String subtask) {
        return subtask.split("/", 2)[0];
    }

    private final TaskReader tasks;
    private final WhyReader why;
    private final ArchiveReader archive;
    private final AuditReader audit;

    TaskController(TaskReader tasks, WhyReader why, ArchiveReader archive, AuditReader audit) {
        this.tasks = tasks;
        this.why = why;
        this.archive = archive;
        this.audit = audit;
    }

    /**
     * Shows a task by its reference. One that is named by its id leads there, so that nobody looks for the id again and again
     * while the page is open; several with one id are listed.
     */
    @GetMapping("/queues/{queue}/tasks/{name}")
    Object task(@PathVariable String queue, @PathVariable String name, HttpServletRequest request) {
        if (!name.startsWith("@")) {
            Choice choice = new Choice(null, null, null, null, name, null, null);
            List<Views.Task> found = tasks.list(queue, choice, null, SEVERAL).tasks();
            if (found.size() > 1) {
                return to(Links.tasks(queue, choice, null));
            }
            return to(Links.task(
                    queue,
                    found.isEmpty()
                            ? read(queue, name, null, () -> tasks.one(queue, name))
                                    .ref()
                            : found.get(0).ref()));
        }
        Caller caller = Objects.requireNonNull(Callers.of(request), "Pages need a login");
        Views.Task first = read(queue, name, null, () -> tasks.one(queue, name));
        AtomicReference<Views.Task> last = new AtomicReference<>(first);
        TaskChanges changes = caller.may(Permission.ADMINISTER, null) ? audit.of(first) : null;
        return Page.liveOf("task", first.id(), () -> {
            Related shown = read(queue, name, last.get(), () -> tasks.related(queue, name, caller));
            last.set(shown.task());
            return new Content(
                    shown.task(),
                    shown.relations(),
                    why.task(queue, name, ZoneOffset.UTC).text(),
                    changes == null ? TaskChanges.Known.NONE : changes.read());
        });
    }

    /**
     * Reads a task.
     *
     * @param last the task as it was shown last; null if it was not
     * @throws GoneException if there is no such task any more
     */
    private <T> T read(String queue, String name, Views.@Nullable Task last, Supplier<T> reader) {
        try {
            return reader.get();
        } catch (ApiException e) {
            if (!e.isUnknownTask()) {
                throw e;
            }
            boolean archived = archive.enabled() && archive.queues().contains(queue);
            throw new GoneException(new GoneTask(
                    queue,
                    name,
                    last == null ? null : last.state(),
                    e.detail(),
                    e.remedy(),
                    archived,
                    archived ? archived(queue, name) : null));
        }
    }

    /** Returns what the archive has of a task; null if that is nothing, or it cannot be asked now. */
    private ArchiveReader.@Nullable ArchivedTask archived(String queue, String name) {
        try {
            return archive.one(queue, name);
        } catch (ApiException | UnavailableException e) {
            return null;
        }
    }

    static ResponseEntity<Void> to(String path) {
        return ResponseEntity.status(HttpStatus.SEE_OTHER)
                .location(URI.create(path))
                .build();
    }
}
