package dev.tandem.executor;

import dev.tandem.task.Task;
import dev.tandem.task.TaskHeaders;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Warns once of headers that are stored and shown, and have no effect yet. Thread-safe. */
final class HeadersWithoutEffect {

    private static final Logger log = LoggerFactory.getLogger(HeadersWithoutEffect.class);

    private final AtomicBoolean logged = new AtomicBoolean();

    void warn(String queue, Task task) {
        if (logged.get()) {
            return;
        }
        if (task.headers().containsKey(TaskHeaders.DEPENDS_ON) && logged.compareAndSet(false, true)) {
            log.warn(
                    "Queue {}: tasks have the header {}, which is stored and shown but has no effect yet. Logged only"
                            + " once",
                    queue,
                    TaskHeaders.DEPENDS_ON);
        }
    }
}
