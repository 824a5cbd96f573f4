package dev.tandem.client;

import dev.tandem.api.SubmitException;
import dev.tandem.task.Publisher.Publication;

/**
 * A task that was checked and encoded, and not sent yet. The submission does not know it, so that a kept reference does not
 * keep the payload.
 *
 * @param bytes the length of the payload
 */
record PreparedTask(Submission<?> submission, int bytes, Publication publication) {

    /** Sends the task. Never throws. */
    void send() {
        try {
            publication.send(submission);
        } catch (RuntimeException | Error e) {
            // Those that are sent after this one must not suffer from it, nor may whoever waits for it.
            submission.fail(new SubmitException("The task was not submitted: " + e, e));
        }
    }
}
