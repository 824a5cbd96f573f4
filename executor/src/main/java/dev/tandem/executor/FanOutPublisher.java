package dev.tandem.executor;

import dev.tandem.api.InvalidTaskException;
import dev.tandem.api.TaskRequest;
import dev.tandem.task.Publisher.Publication;
import dev.tandem.task.Publisher.PublishException;
import dev.tandem.task.Task;
import java.util.Map;

/** Port: publishes subtasks and final tasks. Thread-safe. */
public interface FanOutPublisher {

    /** Returns whether this process can publish to a queue. */
    boolean reaches(String queue);

    /**
     * Makes a task of a request.
     *
     * @param id is used if the request has none
     * @param headers further headers, of Tandem's own
     * @throws InvalidTaskException if something of the request is not allowed, or its queue is not known here
     */
    Task encode(TaskRequest<?> request, String id, Map<String, String> headers);

    /**
     * Checks a task, and sends nothing yet. It may wait for a broker for some seconds.
     *
     * @throws InvalidTaskException if it can never be published
     * @throws PublishException if it cannot be published now
     */
    Publication prepare(Task task);
}
