package dev.tandem.server.api;

import dev.tandem.runtime.settings.QueueSettings;
import dev.tandem.server.access.Caller;
import dev.tandem.server.inspect.Inspection;
import dev.tandem.server.inspect.Page;
import dev.tandem.server.inspect.Pauses;
import dev.tandem.server.inspect.TaskInfo;
import dev.tandem.server.masking.PayloadMasks;
import dev.tandem.server.operations.OperationTime;
import dev.tandem.server.words.Sentence;
import dev.tandem.task.ErrorFingerprint;
import dev.tandem.task.Partition;
import dev.tandem.task.TaskState;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reads tasks for the API and the console, with the same bounds and masks. Thread-safe. */
public final class TaskReader {

    private static final int MAX_LIMIT = 500;

    /** The states of tasks that are kept in the store. */
    private static final Set<TaskState> LISTED_STATES = Set.of(
            TaskState.ACTIVE,
            TaskState.SCHEDULED,
            TaskState.RETRY,
            TaskState.PARKED,
            TaskState.DEAD,
            TaskState.SUCCEEDED,
            TaskState.EXPIRED,
            TaskState.CANCELLED);

    private final ConfiguredQueues queues;
    private final Inspection inspection;
    private final TaskLookup lookup;
    private final PayloadMasks masks;
    private final RelationReader relations;
    private final InstantSource clock;

    TaskReader(
            ConfiguredQueues queues,
            Inspection inspection,
            TaskLookup lookup,
            PayloadMasks masks,
            RelationReader relations,
            InstantSource clock) {
        this.queues = queues;
        this.inspection = inspection;
        this.lookup = lookup;
        this.masks = masks;
        this.relations = relations;
        this.clock = clock;
    }

    /**
     * Which tasks of a queue a list has. Null means any.
     *
     * @param type the type as it is shown
     * @param id lists all tasks with this id, on one page
     * @param fingerprint that of the type and the last error
     * @param diedAfter the time from which on dead tasks died, as a request has it; only with the state {@code dead}
     */
    public record Choice(
            @Nullable String state,
            @Nullable String partition,
            @Nullable String key,
            @Nullable String type,
            @Nullable String id,
            @Nullable String fingerprint,
            @Nullable String diedAfter) {

        /** A choice by the state only. */
        public Choice(@Nullable String state) {
            this(state, null, null, null, null, null, null);
        }

        /** Returns whether tasks must be looked at one by one to find them. */
        public boolean isSearch() {
            return key != null || type != null || id != null || fingerprint != null;
        }
    }

    /**
     * Returns a page of tasks.
     *
     * @param cursor null for the first page
     * @throws ApiException if there is no such queue, or a parameter is wrong
     */
    public Views.Tasks list(String queue, Choice choice, @Nullable String cursor, int limit) {
        return list(queue, choice, cursor, limit, Inspection.LOOKED_AT);
    }

    /**
     * Returns a page of tasks.
     *
     * @param lookAt at how many tasks it looks if it must look at them one by one
     * @throws ApiException if there is no such queue, or a parameter is wrong
     */
    public Views.Tasks list(String queue, Choice choice, @Nullable String cursor, int limit, int lookAt) {
        QueueSettings settings = queues.get(queue);
        String partition = choice.partition();
        if (partition != null && !Partition.isName(partition)) {
            throw ApiException.parameter(
                    "partition", Sentence.of("problem.partition"), Sentence.of("remedy.partition", queue));
        }
        TaskState state = choice.state() == null ? null : state(choice.state());
        TaskFilter filter =
                new TaskFilter(state, partition, choice.key(), choice.type(), fingerprint(choice.fingerprint()));
        bounded(limit);
        Instant diedAfter = diedAfter(state, choice.diedAfter());
        try {
            return choice.id() == null
                    ? pages(queue, settings, filter, diedAfter, cursor, limit, lookAt)
                    : new Views.Tasks(
                            filter.views(
                                    queue,
                                    settings,
                                    Pauses.of(inspection, queue, settings.handler()),
                                    inspection.byId(queue, choice.id()).stream()
                                            .filter(task -> diedAfter == null
                                                    || task.at() != null
                                                            && !task.at().isBefore(diedAfter))
                                            .toList()),
                            null,
                            null);
        } catch (IllegalArgumentException e) {
            throw Cursors.refusal(e);
        }
    }

    private Views.Tasks pages(
            String queue,
            QueueSettings settings,
            TaskFilter filter,
            @Nullable Instant diedAfter,
            @Nullable String cursor,
            int limit,
            int lookAt) {
        Cursors cursors = Cursors.of("tasks", queue, filter.state(), filter.partition());
        String place = cursors.place(cursor);
        Predicate<TaskInfo> chosen = filter.chosen(queue, settings);
        Page<TaskInfo> page = diedAfter == null
                ? inspection.tasks(queue, filter.state(), filter.partition(), place, limit, chosen, lookAt)
                : inspection.deadSince(queue, diedAfter, filter.partition(), place, limit, chosen, lookAt);
        return new Views.Tasks(
                filter.views(queue, settings, Pauses.of(inspection, queue, settings.handler()), page.items()),
                cursors.next(page.next()),
                Views.partial(page));
    }

    /**
     * Returns a task with its payload, as far as that is not masked, and asks executors too.
     *
     * @param id its id or its reference
     * @throws ApiException if there is no such queue or task, or several have the id
     */
    public Views.Task one(String queue, String id) {
        QueueSettings settings = queues.get(queue);
        return TaskViews.single(
                queue,
                settings,
                Pauses.of(inspection, queue, settings.handler()),
                masks,
                lookup.findAnywhere(queue, id));
    }

    /** A task with what it has to do with others. */
    public record Related(Views.Task task, TaskRelations relations) {}

    /**
     * Returns a task as {@link #one} does, with its relations to others.
     *
     * @param caller sees only what the roles permit
     * @throws ApiException as {@link #one}
     */
    public Related related(String queue, String id, Caller caller) {
        QueueSettings settings = queues.get(queue);
        TaskInfo found = lookup.findAnywhere(queue, id);
        return new Related(
                TaskViews.single(queue, settings, Pauses.of(inspection, queue, settings.handler()), masks, found),
                relations.of(queue, found, caller));
    }

    private static TaskState state(String text) {
        for (TaskState state : LISTED_STATES) {
            if (Views.lower(state).equals(text.toLowerCase(Locale.ROOT))) {
                return state;
            }
        }
        Set<String> known = LISTED_STATES.stream().map(Views::lower).collect(Collectors.toCollection(TreeSet::new));
        throw ApiException.parameter(
                "state",
                Sentence.of("problem.state", text),
                Sentence.of("remedy.one-of-or-all", String.join(", ", known)));
    }

    /** Returns the time from which on dead tasks died; null if any did. @throws ApiException if it is none */
    private @Nullable Instant diedAfter(@Nullable TaskState state, @Nullable String text) {
        if (text == null) {
            return null;
        } else if (state != TaskState.DEAD) {
            throw ApiException.parameter(
                    "died-after", Sentence.of("problem.died-after"), Sentence.of("remedy.died-after"));
        }
        try {
            return Instant.ofEpochMilli(OperationTime.millis("died-after", text, clock.millis(), 0));
        } catch (IllegalArgumentException e) {
            throw ApiException.parameter(
                    "died-after", Sentence.problem(String.valueOf(e.getMessage())), Sentence.of("remedy.correct-time"));
        }
    }

    /** Returns the fingerprint of an error. @throws ApiException if it has not the form of one */
    static @Nullable String fingerprint(@Nullable String text) {
        if (text != null && !ErrorFingerprint.isOne(text)) {
            throw ApiException.parameter(
                    "fingerprint", Sentence.of("problem.fingerprint"), Sentence.of("remedy.fingerprint"));
        }
        return text;
    }

    static int bounded(int limit) {
        if (limit < 1 || limit > MAX_LIMIT) {
            throw ApiException.parameter(
                    "limit", Sentence.of("problem.limit", limit), Sentence.of("remedy.one-to", MAX_LIMIT));
        }
        return limit;
    }
}
