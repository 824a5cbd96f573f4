package dev.tandem.executor.pull;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The leases of one queue's tasks in the executor that has them. Thread-safe; no method blocks. */
public interface TaskLeases {

    /**
     * Hands out tasks: as many as can start now, or the first one that can within the time of the call. Whoever does not want
     * them any more cancels the future; if it is too late for that, they are to be {@linkplain #giveBack given back}.
     *
     * @return fails with {@link StoppedException} if the executor stops
     */
    CompletableFuture<List<LeasedTask>> lease(LeaseCall call);

    /**
     * Takes back tasks that no worker has got, as far as is known. They have spent no attempt, and their next lease has a higher
     * fencing token: a worker may have got them all the same.
     */
    void giveBack(Collection<LeaseName> leases);

    /**
     * Carries out what a worker says of its task. A task that has ended stays known for a while: the same end again has the same
     * answer.
     *
     * @return never fails. If the store does not answer, it is not done for as long
     */
    CompletableFuture<LeaseAnswer> apply(LeaseName lease, LeaseRequest request);

    /**
     * Sets what is called, on the queue's thread, when tasks could start that nobody asks for, and then every {@value
     * #REMINDER_MILLIS} ms. It must not block. Default: nothing.
     */
    void whenStartable(Runnable listener);

    /** How often somebody is told that tasks wait. */
    long REMINDER_MILLIS = 500;

    /** Returns what is leased now. */
    Status status();

    /**
     * The numbers of leases at one moment.
     *
     * @param leased tasks that workers have
     * @param ready tasks that have been claimed for a worker, and wait for the next call
     * @param calls calls that wait for tasks
     * @param startable about how many tasks could start at once if workers asked for them
     * @param lapsed leases that have run out since the executor was made
     */
    record Status(int leased, int ready, int calls, int startable, long lapsed) {}

    /** Says that an executor hands out no more tasks. */
    final class StoppedException extends RuntimeException {

        /** Makes one without a stack. */
        public StoppedException(String queue) {
            super("The executor of queue '" + queue + "' stops", null, false, false);
        }
    }
}
