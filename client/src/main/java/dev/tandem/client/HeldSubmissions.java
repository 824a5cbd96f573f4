package dev.tandem.client;

import dev.tandem.api.SubmitException;
import dev.tandem.client.TransactionBoundary.Outcome;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** The submissions that wait for the ends of their transactions, over all threads of a client. Thread-safe. */
final class HeldSubmissions {

    /** The most bytes that wait. */
    static final long MAX_BYTES = 64L << 20;

    /** The bytes that a submission takes beside its payload. */
    static final int OVERHEAD = 512;

    private final TransactionBoundary boundary;
    private final AtomicLong held = new AtomicLong();

    HeldSubmissions(TransactionBoundary boundary) {
        this.boundary = boundary;
    }

    /** Returns whether submissions of this thread have to wait for the end of a transaction. */
    boolean mustHold() {
        return boundary.isOpen();
    }

    /**
     * Sends these submissions once the transaction of this thread is committed.
     *
     * @throws SubmitException if too much waits already. Then all of them are given up
     */
    void hold(List<Submission<?>> submissions) {
        long bytes =
                submissions.stream().mapToLong(each -> each.bytes() + OVERHEAD).sum();
        if (held.addAndGet(bytes) > MAX_BYTES) {
            held.addAndGet(-bytes);
            String why = "The task was not submitted: " + (MAX_BYTES >> 20)
                    + " MiB of tasks wait for the commits of their transactions already. Submit fewer in a transaction";
            submissions.forEach(each -> each.giveUp(why, null));
            throw new SubmitException(why);
        }
        submissions.forEach(each -> each.holdBy(boundary));
        try {
            boundary.onEnd(new End(submissions, bytes)::ended);
        } catch (RuntimeException | Error e) {
            held.addAndGet(-bytes);
            submissions.forEach(each -> each.giveUp("The task was not submitted: " + e, e));
            throw e;
        }
    }

    private final class End {

        private final List<Submission<?>> submissions;
        private final long bytes;
        private boolean ended;

        End(List<Submission<?>> submissions, long bytes) {
            this.submissions = submissions;
            this.bytes = bytes;
        }

        void ended(Outcome outcome) {
            synchronized (this) {
                if (ended) {
                    return;
                }
                ended = true;
            }
            held.addAndGet(-bytes);
            for (Submission<?> each : submissions) {
                switch (outcome) {
                    case COMMITTED -> each.send();
                    case ROLLED_BACK ->
                        each.giveUp("The task was not submitted, because its transaction was rolled back", null);
                    case UNKNOWN ->
                        each.giveUp(
                                "The task was not submitted, because nobody knows whether its transaction was committed",
                                null);
                }
            }
        }
    }
}
