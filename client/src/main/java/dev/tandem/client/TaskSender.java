package dev.tandem.client;

import dev.tandem.api.InvalidTaskException;
import dev.tandem.api.TaskRequest;
import dev.tandem.client.TandemClient.Route;
import dev.tandem.task.Publisher;
import dev.tandem.task.Publisher.Publication;
import dev.tandem.task.Task;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Publishes tasks on behalf of Tandem itself: with headers of its own, without interceptors, and outside of transactions. For the
 * runtime; applications submit by a {@link TandemClient}. Thread-safe.
 */
public final class TaskSender {

    private final Map<String, Route> routes;
    private final TaskEncoder encoder;

    TaskSender(Map<String, Route> routes, TaskEncoder encoder) {
        this.routes = routes;
        this.encoder = encoder;
    }

    /** Returns whether the client has a queue. */
    public boolean has(String queue) {
        return routes.containsKey(queue);
    }

    /**
     * Makes a task of a request.
     *
     * @param id is used if the request has none
     * @param headers are added to those of the request
     * @throws InvalidTaskException if something of the request is not allowed; the message says what to do
     */
    public Task encode(TaskRequest<?> request, String id, Map<String, String> headers) {
        String given = request.options().id();
        Task task = encoder.encode(
                request,
                given == null ? id : given,
                TandemClient.route(routes, request).binding());
        Map<String, String> all = new LinkedHashMap<>(task.headers());
        all.putAll(headers);
        return task.withHeaders(all);
    }

    /**
     * Checks a task, and sends nothing yet.
     *
     * @throws InvalidTaskException if it can never be published
     * @throws Publisher.PublishException if it cannot be published now
     */
    public Publication prepare(Task task) {
        Route route = routes.get(task.queue());
        if (route == null) {
            throw new InvalidTaskException("The queue '" + task.queue() + "' is not among the queues of this program, "
                    + routes.keySet() + ": add it to its settings");
        }
        try {
            return route.publisher().prepare(task);
        } catch (Publisher.InvalidTaskException e) {
            throw new InvalidTaskException(String.valueOf(e.getMessage()), e);
        }
    }
}
