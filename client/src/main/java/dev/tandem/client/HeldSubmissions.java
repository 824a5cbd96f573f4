package dev.tandem.client;

import dev.tandem.api.InvalidTaskException;
import dev.tandem.api.SubmitException;
import dev.tandem.client.TransactionBoundary.Outcome;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/** The submissions that wait for the ends of their transactions, over all threads of a client. Thread-safe. */
final class HeldSubmissions {

    /** The most bytes that wait. */
    static final long MAX_BYTES = 64L << 20;

    /** The bytes that a submission takes beside its payload. */
    static final int OVERHEAD = 512;

    private final TransactionBoundary boundary;
    private final AtomicLong held = new AtomicLong();
    private final LostSubmissions losses = new LostSubmissions(System::nanoTime);

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
    void hold(List<PreparedTask> submissions) {
        long bytes =
                submissions.stream().mapToLong(each -> each.bytes() + OVERHEAD).sum();
        if (held.addAndGet(bytes) > MAX_BYTES) {
            held.addAndGet(-bytes);
            String why = "The task was not submitted: " + (MAX_BYTES >> 20)
                    + " MiB of tasks wait for the commits of their transactions already. Submit fewer in a transaction";
            submissions.forEach(each -> each.submission().giveUp(why, null));
            throw new SubmitException(why);
        }
        submissions.forEach(each -> each.submission().holdBy(boundary));
        End end = new End(submissions, bytes, boundary.attachment(this, Transaction::new));
        try {
            boundary.onEnd(end::ended);
        } catch (RuntimeException | Error e) {
            if (end.take().isEmpty()) {
                throw e;
            }
            submissions.forEach(each -> each.submission().giveUp("The task was not submitted: " + e, e));
            throw e;
        }
    }

    /** Returns how many submissions failed when or after their transactions ended, other than by a rollback. */
    long lost() {
        return losses.count();
    }

    /** What the submissions of one transaction have in common. Used by one thread at a time. */
    private static final class Transaction {

        /** Why a queue took no more tasks, by its name. */
        private final Map<String, String> full = new HashMap<>();
    }

    private final class End {

        /** Empty once the end is known, so that whoever keeps this object keeps no payloads. */
        private List<PreparedTask> submissions;

        private final long bytes;
        private final Transaction transaction;

        End(List<PreparedTask> submissions, long bytes, Transaction transaction) {
            this.submissions = submissions;
            this.bytes = bytes;
            this.transaction = transaction;
        }

        /** Returns the submissions to the first caller, and none to others. */
        synchronized List<PreparedTask> take() {
            List<PreparedTask> taken = submissions;
            submissions = List.of();
            if (!taken.isEmpty()) {
                held.addAndGet(-bytes);
            }
            return taken;
        }

        void ended(Outcome outcome) {
            for (PreparedTask each : take()) {
                Submission<?> submission = each.submission();
                submission.holdBy(null);
                switch (outcome) {
                    case COMMITTED -> send(each);
                    case ROLLED_BACK ->
                        submission.giveUp("The task was not submitted, because its transaction was rolled back", null);
                    case UNKNOWN -> {
                        String why =
                                "The task was not submitted, because nobody knows whether its transaction was committed";
                        submission.giveUp(why, null);
                        losses.add(submission, why);
                    }
                }
            }
        }

        /** Sends a task, unless its queue had no room for one before it: each would wait, and hold up the connection. */
        private void send(PreparedTask task) {
            Submission<?> submission = task.submission();
            String queue = submission.queue();
            Thread sender = Thread.currentThread();
            var unused = submission.accepted().whenComplete((accepted, failure) -> {
                if (failure != null) {
                    losses.add(submission, String.valueOf(failure.getMessage()));
                    // An error is of that task alone, for instance of its compression.
                    boolean ofAll = !(failure instanceof InvalidTaskException || failure.getCause() instanceof Error);
                    if (ofAll && Thread.currentThread() == sender) {
                        transaction.full.putIfAbsent(queue, String.valueOf(failure.getMessage()));
                    }
                }
            });
            String full = transaction.full.get(queue);
            if (full == null) {
                task.send();
            } else {
                submission.giveUp("The task was not submitted, because one before it was not: " + full, null);
            }
        }
    }
}
