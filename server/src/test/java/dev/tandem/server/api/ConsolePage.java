package dev.tandem.server.api;

import dev.tandem.server.access.Role;
import dev.tandem.task.UrlText;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The pages of the console, one for each of its routes, with what tests of all pages have to know of them. */
enum ConsolePage {
    OVERVIEW("/", null),
    QUEUE("/queues/{queue}", null),
    TASKS("/queues/{queue}/tasks", "There are no tasks in this state"),
    TASK("/queues/{queue}/tasks/{name}", null),
    SCHEDULED_TASK("/queues/{queue}/tasks/{name}", null),
    NEW_TASK("/queues/{queue}/new", null),
    EDIT("/queues/{queue}/tasks/{name}/edit", null),
    KEYS("/queues/{queue}/keys", "No key is blocked"),
    DEAD("/queues/{queue}/dead", "No task is dead"),
    ALL_DEAD("/dead", "No dead task is in a group"),
    KEY("/queues/{queue}/keys/{key}", ">open<"),
    TIMELINE("/queues/{queue}/keys/{key}/timeline", "No task of this key was found"),
    SEARCH("/search", "No task in the store has the id"),
    RUNNING("/running", "No task runs"),
    EXECUTORS("/executors", "No executor is alive"),
    SCHEDULES("/schedules", "There is no schedule"),
    FAN_OUTS("/fan-outs", "There is no such fan-out"),
    FAN_OUT("/fan-outs/{fanOut}", null),
    LIMITS("/limits", "No rate limit is set"),
    OPERATIONS("/operations", "Nobody has changed many tasks"),
    OPERATION("/queues/{queue}/operations/{operation}", null),
    ARCHIVE("/archive", "No task matches"),
    ARCHIVED("/archive/{queue}/{id}", null),
    AUDIT("/audit", "Nothing is recorded here");

    /** The text of names that are not special. */
    static final String NAME = "c-7";

    private static final Set<ConsolePage> FOR_ALL = Set.of(OVERVIEW, SEARCH, RUNNING, ALL_DEAD);
    private static final Set<ConsolePage> NOT_FROM_REDIS = Set.of(NEW_TASK, ARCHIVE, ARCHIVED);

    private final String route;
    private final @Nullable String empty;

    /** @param empty what it says if there is nothing to show; null if it always shows something, or is about a thing */
    ConsolePage(String route, @Nullable String empty) {
        this.route = route;
        this.empty = empty;
    }

    String route() {
        return route;
    }

    @Nullable
    String empty() {
        return empty;
    }

    /** Returns its address if {@link ConsoleContent} has put something under this name. */
    String path(String name) {
        return switch (this) {
            case SEARCH -> "/search?queue=orders&q=" + UrlText.pathSegment(name);
            case TASK -> "/queues/orders/tasks/%400%2F1%3A1";
            case SCHEDULED_TASK -> "/queues/orders/tasks/%400%2F1%3A9";
            case EDIT -> "/queues/orders/tasks/%400%2F1%3A1/edit";
            case ARCHIVED -> "/archive/orders/%400%2F1%3A1";
            case ARCHIVE -> "/archive?from=2026-01-01T00:00:00Z";
            case FAN_OUT -> "/fan-outs/" + ConsoleContent.FAN_OUT;
            case OPERATION -> "/queues/orders/operations/" + ConsoleContent.OPERATION;
            default -> route.replace("{queue}", "orders").replace("{key}", UrlText.pathSegment(name));
        };
    }

    /** Returns addresses of this page that are about something that does not exist. */
    List<String> unknown() {
        return switch (this) {
            case QUEUE, TASKS, NEW_TASK, KEYS, DEAD -> List.of(route.replace("{queue}", "none"));
            case KEY, TIMELINE -> List.of(route.replace("{queue}", "none").replace("{key}", "k"));
            case TASK ->
                List.of(
                        "/queues/none/tasks/%400%2F1%3A1",
                        "/queues/orders/tasks/%400%2F7%3A7", "/queues/orders/tasks/none");
            case EDIT -> List.of("/queues/none/tasks/a/edit", "/queues/orders/tasks/none/edit");
            case OPERATION -> List.of("/queues/none/operations/o-1", "/queues/orders/operations/none");
            case FAN_OUT -> List.of("/fan-outs/none", "/fan-outs/ffffffffffffffffffff");
            case ARCHIVED -> List.of("/archive/orders/none");
            default -> List.of();
        };
    }

    /** Whether everybody who is logged in sees it. */
    boolean isForAll() {
        return FOR_ALL.contains(this);
    }

    /** Whether a program of a queue sees the page of that queue. */
    boolean isFor(Role program) {
        return isForAll() || this == NEW_TASK && program == Role.PUBLISHER;
    }

    /** Returns the least role that sees it. */
    Role role() {
        return switch (this) {
            case AUDIT, EDIT -> Role.ADMIN;
            case NEW_TASK -> Role.OPERATOR;
            default -> Role.VIEWER;
        };
    }

    boolean needsRedis() {
        return !NOT_FROM_REDIS.contains(this);
    }

    /** Returns the status of its answer while Redis is away: 200 if it shows the rest, or what does not answer. */
    int statusWithoutRedis() {
        return switch (this) {
            case OVERVIEW, QUEUE, NEW_TASK, ARCHIVE, ARCHIVED -> 200;
            case TASKS,
                    TASK,
                    SCHEDULED_TASK,
                    EDIT,
                    KEYS,
                    DEAD,
                    ALL_DEAD,
                    KEY,
                    TIMELINE,
                    SEARCH,
                    RUNNING,
                    EXECUTORS,
                    SCHEDULES,
                    FAN_OUTS,
                    FAN_OUT,
                    LIMITS,
                    OPERATIONS,
                    OPERATION,
                    AUDIT -> 503;
        };
    }

    static Set<String> routes() {
        return Arrays.stream(values()).map(ConsolePage::route).collect(Collectors.toSet());
    }
}
