package dev.tandem.server.cli;

import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/** Warns of a task's type for which no executor has a handler, as far as executors announce theirs. */
final class UnknownTypeWarning {

    /** Stands for all types where an executor lists its own. */
    private static final String ANY = "*";

    private static final int MAX_NAMES = 10;

    private UnknownTypeWarning() {}

    /** Warns of a type once something is done that names it. Says nothing if the server does not tell the executors. */
    static void warn(ServerOptions server, ApiClient api, String queue, String type) {
        try {
            of(api.get(ApiClient.path("executors")), queue, type)
                    .ifPresent(line -> server.warn(TaskRows.printable(line)));
        } catch (CliException e) {
            // What was asked for is done.
        }
    }

    /**
     * Returns the warning; nothing if an executor has a handler, or none of the queue announces any.
     *
     * @param answer what the API says of the executors
     */
    static Optional<String> of(JsonNode answer, String queue, String type) {
        SortedSet<String> known = new TreeSet<>();
        for (JsonNode executor : answer.path("executors")) {
            for (JsonNode share : executor.path("queues")) {
                if (share.path("queue").asString("").equals(queue)) {
                    share.path("types").forEach(each -> known.add(each.asString()));
                }
            }
        }
        if (known.isEmpty() || known.contains(type) || known.contains(ANY)) {
            return Optional.empty();
        }
        String names = known.stream().limit(MAX_NAMES).collect(Collectors.joining(", "));
        return Optional.of("Warning: no executor of " + queue + " has a handler for the type '" + type
                + "'. Known types: " + names + (known.size() > MAX_NAMES ? ", ..." : "")
                + ". The task waits for such an executor, and is dead after the queue's unknown-type-grace");
    }
}
