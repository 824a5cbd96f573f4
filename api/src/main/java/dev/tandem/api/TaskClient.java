package dev.tandem.api;

import java.util.List;

/**
 * Submits tasks to their queues' brokers. Connects when the first task is submitted. Thread-safe; one client serves a whole
 * application.
 */
public interface TaskClient extends AutoCloseable {

    /**
     * Submits a task.
     *
     * <p>The task is on its way when this method returns, and accepted when {@link TaskRef#accepted} completes: then all
     * in-sync replicas of Kafka have it, or RabbitMQ has confirmed it and routed it to a queue. Where the client takes part in
     * a transaction of the application, the task is sent after the commit, and not at all after a rollback.
     *
     * @throws InvalidTaskException if the task can never be accepted: its queue is not among the client's settings, or a value
     *     is out of its bounds. The message says what to do
     * @throws IllegalStateException if the client is closed
     */
    <T> TaskRef<T> submit(TaskRequest<T> task);

    /**
     * Submits several tasks in their order, in as few batches as the broker allows.
     *
     * @return the tasks' references in the same order
     * @throws InvalidTaskException if one of the tasks can never be accepted. Then none was submitted
     * @throws IllegalStateException if the client is closed
     */
    List<TaskRef<?>> submitAll(List<? extends TaskRequest<?>> tasks);

    /** Waits up to ten seconds for the submissions that are under way, then closes the connections. */
    @Override
    void close();
}
