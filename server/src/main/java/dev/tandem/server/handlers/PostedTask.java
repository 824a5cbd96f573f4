package dev.tandem.server.handlers;

import dev.tandem.api.TaskContext;
import dev.tandem.task.TaskHeaders;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a request tells of a task.
 *
 * @param token the fencing token
 * @param event the attributes of the CloudEvent that the task's message is; empty if it is none
 */
record PostedTask(
        String id,
        String queue,
        String type,
        @Nullable String key,
        int attempt,
        long token,
        Map<String, String> headers,
        Map<String, String> event,
        byte[] payload) {

    /** The content type of a payload whose message has none, because most payloads are JSON. */
    static final String DEFAULT_CONTENT_TYPE = "application/json";

    static PostedTask of(TaskContext task) {
        return new PostedTask(
                task.id(),
                task.queue(),
                task.type(),
                task.key(),
                task.attempt(),
                task.token(),
                task.headers(),
                task.cloudEvent(),
                task.payload());
    }

    String contentType() {
        String given = headers.getOrDefault(TaskHeaders.CONTENT_TYPE, DEFAULT_CONTENT_TYPE);
        return HeaderEncoding.isPlain(given) ? given : DEFAULT_CONTENT_TYPE;
    }

    @Override
    public String toString() {
        return "PostedTask[" + queue + " " + id + "]";
    }
}
