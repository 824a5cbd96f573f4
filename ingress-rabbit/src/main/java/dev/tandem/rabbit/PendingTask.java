package dev.tandem.rabbit;

import dev.tandem.rabbit.MessageEncoder.OutgoingMessage;
import dev.tandem.task.Publisher.InvalidTaskException;
import dev.tandem.task.Publisher.PublishException;
import dev.tandem.task.Publisher.PublishedId;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A task that is being published, until the broker has confirmed or refused it. */
final class PendingTask {

    /** How long after a nack the return may arrive that explains it. */
    private static final long RETURN_WAIT_MILLIS = 200;

    private final RabbitSettings settings;
    private final OutgoingMessage message;
    private final String taskId;
    private final CompletableFuture<PublishedId> confirmed = new CompletableFuture<>();

    // The fields below are used by the connection's reader thread only.
    private @Nullable String returnReason;
    private boolean nacked;

    PendingTask(RabbitSettings settings, OutgoingMessage message, String taskId) {
        this.settings = settings;
        this.message = message;
        this.taskId = taskId;
    }

    RabbitSettings settings() {
        return settings;
    }

    OutgoingMessage message() {
        return message;
    }

    /** Returns the future of the confirmation. */
    CompletableFuture<PublishedId> confirmed() {
        return confirmed;
    }

    void fail(String why, @Nullable Throwable cause) {
        confirmed.completeExceptionally(cause == null ? new PublishException(why) : new PublishException(why, cause));
    }

    /** Fails because the task can never be published as it is. */
    void refuse(String why) {
        confirmed.completeExceptionally(new InvalidTaskException("The task cannot be published: " + why));
    }

    /** Handles that the broker found no queue. RabbitMQ acks after it returned a message, Qpid nacks before. */
    void returned(String reason) {
        returnReason = reason;
        if (nacked) {
            failUnroutable(reason);
        }
    }

    void acked() {
        if (returnReason != null) {
            failUnroutable(returnReason);
        } else {
            confirmed.complete(new PublishedId(taskId, message.place()));
        }
    }

    void nacked() {
        nacked = true;
        if (returnReason != null) {
            failUnroutable(returnReason);
        } else {
            CompletableFuture.delayedExecutor(RETURN_WAIT_MILLIS, TimeUnit.MILLISECONDS)
                    .execute(() -> fail(
                            "The task was refused by " + message.place()
                                    + " because the broker could not store it: is the queue full, or its leader down?",
                            null));
        }
    }

    private void failUnroutable(String reason) {
        fail(
                "The task was not published: no queue is bound to " + message.place() + " (" + reason
                        + "). Check that the key matches the queue's routing-key '" + settings.routingKey()
                        + "', and that the queue was not deleted",
                null);
    }
}
