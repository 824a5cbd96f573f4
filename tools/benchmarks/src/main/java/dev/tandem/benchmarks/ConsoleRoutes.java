package dev.tandem.benchmarks;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The routes of the console's pages. A test compares them with those of the server, so that none is forgotten here, and a run fails
 * if it has not visited one.
 */
final class ConsoleRoutes {

    /** The page of a task in the archive, which there need not be. */
    static final String ARCHIVED = "/archive/{queue}/{id}";

    /** All of them, with names in place of what differs. */
    static final List<String> ALL = List.of(
            "/",
            "/search",
            "/running",
            "/dead",
            "/executors",
            "/schedules",
            "/fan-outs",
            "/fan-outs/{fanOut}",
            "/limits",
            "/operations",
            "/audit",
            "/archive",
            ARCHIVED,
            "/queues/{queue}",
            "/queues/{queue}/new",
            "/queues/{queue}/dead",
            "/queues/{queue}/operations/{operation}",
            "/queues/{queue}/keys",
            "/queues/{queue}/keys/{key}",
            "/queues/{queue}/keys/{key}/timeline",
            "/queues/{queue}/tasks",
            "/queues/{queue}/tasks/{name}",
            "/queues/{queue}/tasks/{name}/edit");

    private ConsoleRoutes() {}

    /** Returns the route that a path belongs to; empty if it is none of these. */
    static Optional<String> of(String path) {
        return ALL.stream().filter(route -> matches(route, path)).findFirst();
    }

    /** Returns the routes that none of the paths belongs to. */
    static List<String> missing(Collection<String> paths) {
        return ALL.stream()
                .filter(route -> paths.stream().noneMatch(path -> matches(route, path)))
                .toList();
    }

    private static boolean matches(String route, String path) {
        String pattern = route.replaceAll("\\{\\w+}", "[^/]+");
        return Pattern.matches(pattern, path.split("\\?")[0]);
    }
}
