package dev.tandem.spring;

import dev.tandem.api.InvalidTaskException;
import dev.tandem.api.SubmitInterceptor;
import dev.tandem.api.TaskRef;
import dev.tandem.api.TaskRequest;
import dev.tandem.runtime.settings.QueueSettings;
import java.util.Map;

/** Refuses tasks that no relay could publish, before they are written to the outbox. */
final class QueueCheck implements SubmitInterceptor {

    private final Map<String, QueueSettings> queues;

    QueueCheck(Map<String, QueueSettings> queues) {
        this.queues = queues;
    }

    @Override
    public TaskRef<?> around(TaskRequest<?> task, Next next) {
        QueueSettings queue = queues.get(task.queue());
        if (queue == null) {
            throw new InvalidTaskException(
                    "The queue '" + task.queue() + "' is not among the queues of this application, " + queues.keySet()
                            + ": set tandem.queues." + task.queue() + ".source, or use one of these");
        }
        if (task.key() != null && !queue.ordered()) {
            throw new InvalidTaskException("The task has the key '" + task.key() + "', but the queue '" + task.queue()
                    + "' has no order (ordering: none): leave the key out, or order the queue, here and in its"
                    + " executors (ordering: key)");
        }
        return next.submit(task);
    }
}
