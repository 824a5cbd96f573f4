package dev.tandem.ordering;

import dev.tandem.ordering.lanes.TaskEntry;
import java.util.ArrayList;
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

    private final String key;
    private final List<Run> runs;
    private final long until;
    /** The place of the run that began last, and whether no other may begin. */
    private final AtomicInteger begun = new AtomicInteger();

    // Used by the core's thread only.
    private final List<TaskEntry> entries;
    private int known;

    /**
     * @param runs to be begun in this order, the first one by an order of its own
     * @param until when the last one may begin, by the core's monotonic clock
     */
    Row(String key, List<Run> runs, List<TaskEntry> entries, long until) {
        this.key = key;
        this.runs = List.copyOf(runs);
        this.entries = new ArrayList<>(entries);
        this.until = until;
        for (int place = 0; place < runs.size(); place++) {
            runs.get(place).inRow(this, place);
        }
    }

    String key() {
        return key;
    }

    // ---- the worker ----

    /** Begins the run behind the one at this place, which has succeeded. Null if it may not begin now. */
    @Nullable
    Run beginAfter(int place, long now) {
        boolean goesOn = place + 1 < runs.size() && now < until && begun.compareAndSet(place, place + 1);
        return goesOn ? runs.get(place + 1) : null;
    }

    // ---- the core ----

    /** Lets no further run begin. */
    void stop() {
        begun.getAndUpdate(now -> now | STOPPED);
    }

    /** Lets no further run begin, nor one that the worker has taken and not started: all follow from one claim. */
    void lost(long now) {
        stop();
        runs.forEach(run -> run.claimLost(now));
    }

    /** Returns the run that the worker has begun behind the one that the core knows as the present one, or null. */
    @Nullable
    Run begunNext() {
        return (begun.get() & ~STOPPED) > known ? runs.get(known + 1) : null;
    }

    /** Returns the present run, as far as the core knows. */
    Run present() {
        return runs.get(known);
    }

    /** Makes the next run the present one, and returns its task's entry. */
    TaskEntry advance() {
        return entries.get(++known);
    }

    /** Takes out the entries of the runs that will not begin, once the row is stopped. */
    List<TaskEntry> takeRest() {
        List<TaskEntry> rest = entries.subList(known + 1, entries.size());
        List<TaskEntry> taken = List.copyOf(rest);
        rest.clear();
        return taken;
    }
}
