package dev.tandem.ordering;

import dev.tandem.ordering.lanes.ReadyTasks;
import dev.tandem.ordering.redelivery.RedeliveryResolver;
import dev.tandem.task.CustodyBounds;
import dev.tandem.task.Partition;
import dev.tandem.task.QueuePolicy;
import dev.tandem.task.Source;
import dev.tandem.task.Task;
import dev.tandem.task.TaskPriority;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Context that the partitions of one queue share in this process: settings, slots, the turn's time and its results. */
final class QueueContext {

    final Source.Kind kind;
    final QueuePolicy policy;
    final CoreSettings settings;
    final CustodyBounds custody;
    final String executor;
    final WorkerSlots slots;
    private final RecentRuns recent = new RecentRuns();

    private final @Nullable RedeliveryResolver resolver;
    private final List<Run> starts = new ArrayList<>();
    private final List<Arrival> arrivals = new ArrayList<>();
    private final List<RecordedEnd> recorded = new ArrayList<>();
    private final List<RefusedEnd> refused = new ArrayList<>();
    private final List<CoreEvent> events = new ArrayList<>();
    private long now;
    private long wall;
    private long memoryBound = Long.MAX_VALUE;
    private long maxUnackedMillis = Long.MAX_VALUE;
    private int partitions = 1;
    /** By priority. */
    private final int[] waiting = new int[TaskPriority.HIGHEST + 1];

    QueueContext(Source.Kind kind, QueuePolicy policy, CustodyBounds custody, CoreSettings settings, String executor) {
        this.kind = kind;
        this.policy = policy;
        this.custody = custody;
        this.settings = settings;
        this.executor = executor;
        this.slots = new WorkerSlots(policy.concurrency());
        boolean anyPartition = kind == Source.Kind.QUEUE && !policy.ordered();
        this.resolver = anyPartition ? resolver(executor, settings) : null;
    }

    private RedeliveryResolver resolver(String self, CoreSettings numbers) {
        return new RedeliveryResolver(
                self,
                new RedeliveryResolver.Times(
                        numbers.leaseMillis(), numbers.horizonMillis(), numbers.probeMillis(), numbers.retryMillis()),
                () -> now);
    }

    /** Resolves redelivered messages of an unordered message queue. Null for any other queue. */
    @Nullable
    RedeliveryResolver resolver() {
        return resolver;
    }

    /** The key that orders the task. Null in a queue without order. */
    @Nullable
    String keyOf(Task task) {
        return policy.ordered() ? task.key() : null;
    }

    // ---- the time of the turn ----

    void clock(long monotonicMillis, long wallMillis) {
        now = monotonicMillis;
        wall = wallMillis;
    }

    /** Elapsed time, in milliseconds. */
    long now() {
        return now;
    }

    /** Epoch milliseconds. */
    long wall() {
        return wall;
    }

    // ---- memory ----

    void memoryBound(long bytes) {
        memoryBound = bytes;
    }

    /** How many bytes of delivered tasks a partition may have at present, by what else the process holds. */
    long memoryBound() {
        return memoryBound;
    }

    // ---- the broker's patience ----

    void maxUnacked(long millis) {
        maxUnackedMillis = millis;
    }

    /** How long a delivery may stay unacked until the source gives it back to the broker. */
    long maxUnackedMillis() {
        return maxUnackedMillis;
    }

    // ---- how much runs ----

    /** Notes that a run has ended. */
    void ran() {
        recent.ended(now);
    }

    /** Notes how many partitions share the slots. */
    void partitions(int count) {
        partitions = Math.max(1, count);
    }

    /** How many tasks of one partition may be expected to run within a fraction of a second, by how many ran lately. */
    int soonRunning() {
        return recent.count(now) / partitions;
    }

    // ---- priorities ----

    /** Notes what of a partition waits, by priority, when it is its turn, or was. @param sign 1 to add, -1 to take away */
    void waits(ReadyTasks ready, int sign) {
        ready.addCountsAbove(waiting, sign);
    }

    /** Forgets what was noted. */
    void forgetWaits() {
        Arrays.fill(waiting, 0);
    }

    /** How many tasks of higher priorities wait in partitions that have not had this turn, or have left them waiting. */
    int countAbove(int priority) {
        int count = 0;
        for (int i = priority + 1; i < waiting.length; i++) {
            count += waiting[i];
        }
        return count;
    }

    boolean waitAbove(int priority) {
        return countAbove(priority) > 0;
    }

    // ---- results of the turn ----

    void start(Run run) {
        starts.add(run);
    }

    /** Takes back the runs of a partition that were not handed to a worker yet. */
    List<Run> takeStarts(Partition partition) {
        List<Run> taken = new ArrayList<>();
        starts.removeIf(run -> run.partition().equals(partition) && taken.add(run));
        return taken;
    }

    void drainStarts(Consumer<Run> each) {
        starts.forEach(each);
        starts.clear();
    }

    void arrived(Arrival arrival) {
        arrivals.add(arrival);
    }

    void drainArrivals(Consumer<Arrival> each) {
        if (!arrivals.isEmpty()) {
            arrivals.forEach(each);
            arrivals.clear();
        }
    }

    void recorded(RecordedEnd end) {
        recorded.add(end);
    }

    void drainRecorded(Consumer<RecordedEnd> each) {
        if (!recorded.isEmpty()) {
            recorded.forEach(each);
            recorded.clear();
        }
    }

    void refused(RefusedEnd end) {
        refused.add(end);
    }

    void drainRefused(Consumer<RefusedEnd> each) {
        if (!refused.isEmpty()) {
            refused.forEach(each);
            refused.clear();
        }
    }

    void report(CoreEvent event) {
        events.add(event);
    }

    void drainEvents(Consumer<CoreEvent> each) {
        events.forEach(each);
        events.clear();
    }
}
