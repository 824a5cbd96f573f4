package dev.tandem.server.cli;

import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Has a server change all tasks that match: counts them, asks, begins the operation, and waits for its end. */
final class OperationCall {

    private static final Set<String> OPEN = Set.of("waiting", "running", "stopping");
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

    private final ServerOptions server;
    private final ApiClient api;
    private final String queue;
    private final MatchOptions match;

    OperationCall(ServerOptions server, String queue, MatchOptions match) {
        this.server = server;
        this.api = server.api();
        this.queue = queue;
        this.match = match;
    }

    /**
     * Changes the tasks.
     *
     * @param more parameters that the options do not have
     * @param question what is asked, such as {@code Retry}; the number of tasks follows
     * @param tasks what the tasks are, such as {@code dead}; empty if they may be in several states
     * @param done what was done to a task, such as {@code deleted}
     */
    void change(
            String action,
            Map<String, @Nullable String> more,
            String question,
            String tasks,
            String done,
            ConfirmOptions confirm) {
        Map<String, @Nullable String> parameters = match.parameters(action);
        parameters.putAll(more);
        long count = 0;
        if (match.isDryRun() || !confirm.isConfirmed()) {
            Map<String, @Nullable String> dry = new LinkedHashMap<>(parameters);
            dry.put("dry-run", "true");
            JsonNode counted = await(begin(dry), 0);
            check(counted);
            count = counted.path("matched").asLong(0);
            long matched = count;
            if (match.isDryRun()) {
                String found = count(count, tasks);
                server.print(
                        counted,
                        (answer, out) -> out.println(found + " of " + queue + (matched == 1 ? " matches" : " match")));
                return;
            } else if (count == 0) {
                server.print(counted, (answer, out) -> out.println("No task matches"));
                return;
            }
            confirm.confirm(question + " " + count(count, tasks) + " of " + queue + "?");
        }
        parameters.put("operation", match.operation());
        JsonNode begun = begin(parameters);
        if (match.isDetached()) {
            String id = begun.path("operation").asString("");
            server.print(
                    begun,
                    (answer, out) -> out.println("The operation " + id
                            + " has begun. How far it is: ./tandem operations " + queue + " " + id));
            return;
        }
        JsonNode ended = await(begun, count);
        server.print(ended, (answer, out) -> {
            long refused = ended.path("refused").asLong(0);
            out.println(TaskChanges.count(ended.path("changed").asInt(0)) + " " + done
                    + (refused == 0
                            ? ""
                            : ", " + refused + " refused: they had changed meanwhile"
                                    + (action.equals("cancel") ? ", or run on" : "")));
            if (retriesDead(ended) && ended.has("began")) {
                out.println(
                        "To list what has died since: ./tandem dead list " + queue + " --died-after " + behind(ended));
            }
        });
        check(ended);
    }

    /** Returns whether tasks may have died again: whether the operation retries dead ones, as the console has it. */
    private static boolean retriesDead(JsonNode operation) {
        return operation.path("action").asString("").equals("retry")
                && operation
                        .path("selection")
                        .path("states")
                        .valueStream()
                        .anyMatch(state -> state.asString("").equals("dead"));
    }

    /**
     * Returns when the first whole millisecond of an operation began. In the one in which it began, tasks may have died that it does
     * not take.
     */
    private static String behind(JsonNode operation) {
        String began = operation.path("began").asString("");
        try {
            return Instant.parse(began).plusMillis(1).toString();
        } catch (DateTimeParseException e) {
            return TaskRows.printable(began);
        }
    }

    private JsonNode begin(Map<String, @Nullable String> parameters) {
        return api.post(ApiClient.query(ApiClient.path("queues", queue, "operations"), parameters));
    }

    /** Waits until an operation has ended, and shows how far it is. @param tasks how many match; 0 if that is not known */
    private JsonNode await(JsonNode begun, long tasks) {
        JsonNode shown = begun;
        String id = begun.path("operation").asString("");
        Progress progress = new Progress(server);
        try {
            while (OPEN.contains(shown.path("state").asString(""))) {
                LockSupport.parkNanos(LOOK_NANOS);
                shown = api.get(ApiClient.path("queues", queue, "operations", id));
                long done = tasks == 0
                        ? shown.path("partitionsDone").asLong(0)
                        : shown.path("changed").asLong(0)
                                + shown.path("refused").asLong(0);
                long total = tasks == 0 ? shown.path("partitions").asLong(0) : tasks;
                progress.show(done, total, OperationRows.progress(shown));
            }
        } finally {
            progress.end();
        }
        return shown;
    }

    /** @throws CliException if the operation did not come to its end */
    private static void check(JsonNode ended) {
        String state = ended.path("state").asString("");
        if (state.equals("stopped")) {
            throw new CliException(CliException.REFUSED, "The operation was stopped before its end");
        } else if (state.equals("failed")) {
            throw new CliException(
                    CliException.REFUSED,
                    "The operation failed: " + ended.path("problem").asString("see the server's log"));
        }
    }

    private static String count(long count, String tasks) {
        return count + (tasks.isEmpty() ? "" : " " + tasks) + (count == 1 ? " task" : " tasks");
    }
}
