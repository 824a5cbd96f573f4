package dev.tandem.rabbit;

import java.util.Optional;

/** Logs messages about one queue, which are prefixed with its name. Thread-safe. */
interface QueueLog {

    void info(String text);

    void warn(String text);

    /** Says which queues another ordering has left. @param found empty if there are none, or none any more */
    default void forgotten(Optional<ForgottenQueues> found) {
        found.ifPresent(queues -> warn(queues.says() + ". " + queues.remedy()));
    }
}
