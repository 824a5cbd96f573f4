package dev.tandem.server.pull;

import dev.tandem.executor.pull.LeaseAnswer;
import dev.tandem.executor.pull.LeaseCall;
import dev.tandem.executor.pull.LeaseName;
import dev.tandem.executor.pull.LeasedTask;
import java.util.ArrayList;
import java.util.List;

/** The messages between servers about leases. */
sealed interface PullMessage {

    /**
     * Asks an executor for tasks that can start.
     *
     * @param id the sender's own name for the request
     * @param from the mailbox for the answer
     */
    record Take(long id, String from, String queue, LeaseCall call) implements PullMessage {}

    /** Answers a {@link Take}, in parts. @param last whether no further part follows */
    record Handed(long id, String queue, boolean last, List<LeasedTask> tasks) implements PullMessage {

        /** The most bytes of a part with more than one task. */
        private static final long PART_BYTES = 512 << 10;

        /** Returns the parts of an answer, one at least. */
        static List<Handed> parts(Take take, List<LeasedTask> tasks) {
            List<Handed> parts = new ArrayList<>();
            List<LeasedTask> part = new ArrayList<>();
            long bytes = 0;
            for (LeasedTask task : tasks) {
                if (!part.isEmpty() && bytes + task.bytes() > PART_BYTES) {
                    parts.add(new Handed(take.id(), take.queue(), false, part));
                    part = new ArrayList<>();
                    bytes = 0;
                }
                part.add(task);
                bytes += task.bytes();
            }
            parts.add(new Handed(take.id(), take.queue(), true, part));
            return parts;
        }
    }

    /** Gives tasks back that reached no worker, as far as the sender knows. */
    record GiveBack(String queue, List<LeaseName> leases) implements PullMessage {}

    /** Passes on what workers say of their tasks. */
    record Orders(long id, String from, String queue, List<LeaseOrder> orders) implements PullMessage {}

    /** Answers {@link Orders}, in their order. */
    record Answers(long id, List<LeaseAnswer> answers) implements PullMessage {}
}
