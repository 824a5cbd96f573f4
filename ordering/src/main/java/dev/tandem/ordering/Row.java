package dev.tandem.ordering;

import dev.tandem.ordering.lanes.TaskEntry;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Runs of one key that a worker may begin one after another, each when the one before it has succeeded, without waiting for
 * the core in between. The core learns of each from the end of the one before. It may stop the row at any time, and then
 * knows how far the row has come.
 */
final class Row {

    private static final int STOPPED = 1 << 30;

    /** A run, and its task's entry, which only the core's thread uses. */
    record Step(Run run, TaskEntry entry) {}

    private final String key;
    private final List<Step> steps;
    private final long until;
    /** The place of the run that began last, and whether no other may begin. */
    private final AtomicInteger begun = new AtomicInteger();

    // Used by the core's thread only.
    private int known;
    private boolean restTaken;

    /**
     * @param steps with runs to be begun in this order, the first one by an order of its own
     * @param until when the last one may begin, by the core's monotonic clock
     */
    Row(String key, List<Step> steps, long until) {
        this.key = key;
        this.steps = List.copyOf(steps);
        this.until = until;
        for (int place = 0; place < steps.size(); place++) {
            steps.get(place).run().inRow(this, place);
        }
    }

    String key() {
        return key;
    }

    // ---- the worker ----

    /** Begins the run behind the one at this place, which has succeeded. Null if it may not begin now. */
    @Nullable
    Run beginAfter(int place, long now) {
        boolean goesOn = place + 1 < steps.size() && now < until && begun.compareAndSet(place, place + 1);
        return goesOn ? steps.get(place + 1).run() : null;
    }

    // ---- the core ----

    /** Lets no further run begin. */
    void stop() {
        begun.getAndUpdate(now -> now | STOPPED);
    }

    /** Lets no further run begin, nor one that the worker has taken and not started: all follow from one claim. */
    void lost(long now) {
        stop();
        steps.forEach(step -> step.run().claimLost(now));
    }

    /** Returns the run that the worker has begun behind the one that the core knows as the present one, or null. */
    @Nullable
    Run begunNext() {
        return (begun.get() & ~STOPPED) > known ? steps.get(known + 1).run() : null;
    }

    /** Returns the present run, as far as the core knows. */
    Run present() {
        return steps.get(known).run();
    }

    /** Makes the next run the present one, and returns it with its task's entry. */
    Step advance() {
        return steps.get(++known);
    }

    /** Returns the entries of the runs that will not begin, once the row is stopped. None the next time. */
    List<TaskEntry> takeRest() {
        int end = restTaken ? known + 1 : steps.size();
        restTaken = true;
        return steps.subList(known + 1, end).stream().map(Step::entry).toList();
    }
}
