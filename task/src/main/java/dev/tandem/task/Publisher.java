package dev.tandem.task;

import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Port: publishes tasks to the brokers of their queues, which is the only way in. Thread-safe. */
public interface Publisher extends AutoCloseable {

    /**
     * Sends one task. The stage completes when the broker has confirmed it, or fails with a {@link PublishException}
     * that says what to do. After a failure the task may have arrived all the same.
     */
    CompletionStage<PublishedId> publish(Task task);

    /**
     * Checks and encodes one task, and sends nothing yet. So a task that can never be published is refused before others
     * are sent, or before a transaction is committed.
     *
     * @throws InvalidTaskException if the task can never be published as it is
     * @throws PublishException if this publisher does not know the queue
     */
    Publication prepare(Task task);

    /** Waits for the publications that are under way, then closes. */
    @Override
    void close();

    /** A task that was checked and encoded. */
    @FunctionalInterface
    interface Publication {

        /**
         * Sends the task, as {@link Publisher#publish} does, for less. To be called once. Never throws.
         *
         * @param end is told once: null when the broker has confirmed the task, or why it did not. Runs on any thread, and
         *     must not block
         */
        void send(Consumer<@Nullable PublishException> end);
    }

    /**
     * The id and place of a published task.
     *
     * @param id the id that the publisher gave the task, or else its default id
     * @param place where the task is on the broker, for people
     */
    record PublishedId(String id, String place) {}

    /** A task was not published, or the broker did not confirm it. The message is for people. */
    class PublishException extends RuntimeException {
        public PublishException(String message) {
            super(message);
        }

        public PublishException(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /** A task was not published, and never can be as it is: something of it is too large or not allowed. */
    final class InvalidTaskException extends PublishException {
        public InvalidTaskException(String message) {
            super(message);
        }
    }
}
