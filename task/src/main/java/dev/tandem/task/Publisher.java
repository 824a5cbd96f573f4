package dev.tandem.task;

import java.util.concurrent.CompletionStage;

/** Port: puts tasks on their queues' broker, the one way in. Thread-safe. */
public interface Publisher extends AutoCloseable {

    /**
     * Sends one task. The stage ends when the broker has it for sure, or fails with a {@link PublishException} that
     * says what to do; after a failure the task may still have arrived.
     */
    CompletionStage<PublishedId> publish(Task task);

    /** Sends what is under way, then ends. */
    @Override
    void close();

    /**
     * Where a task went.
     *
     * @param id the task's id: its publisher's, else the one that it has by default
     * @param place for people: where on the broker it stands
     */
    record PublishedId(String id, String place) {}

    /** A task was not published, or not for sure. The message is for people. */
    final class PublishException extends RuntimeException {
        public PublishException(String message) {
            super(message);
        }

        public PublishException(String message, Throwable cause) {
            super(message, cause);
        }
    }
}
