package dev.tandem.server.handlers;

import dev.tandem.api.TaskContext;
import dev.tandem.executor.pull.LeasedTask;
import dev.tandem.task.TaskHeaders;
import java.util.LinkedHashMap;
import java.util.List;
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

    private static final List<String> EVENT_PREFIXES = List.of("ce_", "cloudEvents:", "cloudEvents_");

    static PostedTask of(TaskContext task) {
        return new PostedTask(
                task.id(),
                task.queue(),
                task.type(),
                task.key(),
                task.attempt(),
                task.token(),
                task.headers(),
                event(task.headers()),
                task.payload());
    }

    /** @param usualType the type of tasks that name none */
    static PostedTask of(String queue, LeasedTask task, String usualType) {
        return new PostedTask(
                task.id(),
                queue,
                task.type().isEmpty() ? usualType : task.type(),
                task.key(),
                task.attempt(),
                task.lease().token(),
                task.headers(),
                event(task.headers()),
                task.payload());
    }

    private static Map<String, String> event(Map<String, String> headers) {
        Map<String, String> attributes = new LinkedHashMap<>();
        headers.forEach((name, value) -> {
            for (String prefix : EVENT_PREFIXES) {
                if (name.startsWith(prefix)) {
                    attributes.put(name.substring(prefix.length()), value);
                }
            }
        });
        return attributes;
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
