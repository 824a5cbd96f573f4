package dev.tandem.executor;

import dev.tandem.executor.pull.LeaseCall;
import dev.tandem.executor.pull.LeaseName;
import dev.tandem.executor.pull.LeasedTask;
import dev.tandem.ordering.Run;
import dev.tandem.task.Task;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The tasks of one queue that pull workers have. Their desk guards them. */
final class PulledLeases {

    static final long NEVER = Long.MAX_VALUE;

    private final QueueSpec spec;
    private final String executorId;
    private final ExecutorClock clock;
    private final ProgressWriter progress;
    private final long defaultMillis;
    private final Map<LeaseName, PulledLease> leases = new HashMap<>();
    private long bytes;
    private long numbered;
    /** No lease runs out before. */
    private long nextLapse = NEVER;

    /** @param defaultMillis for how long a worker has a task if it does not say so itself */
    PulledLeases(QueueSpec spec, ExecutorContext context, long defaultMillis) {
        this.spec = spec;
        this.executorId = context.executorId();
        this.clock = context.clock();
        this.progress = context.progress();
        this.defaultMillis = defaultMillis;
    }

    /** Returns what the task of a run takes in an answer, in bytes. */
    static long sizeOf(Run run) {
        Task task = run.task();
        return LeasedTask.bytes(task.payload(), task.headers());
    }

    PulledLease add(Run run, LeaseCall wish) {
        LeaseName name = new LeaseName(run.partition().name(), run.token(), ++numbered, executorId);
        Attempt attempt = Attempt.ofPullWorker(run, spec, clock, progress);
        long millis = wish.leaseMillis() > 0 ? wish.leaseMillis() : defaultMillis;
        PulledLease lease = new PulledLease(name, attempt, wish.worker(), millis, clock);
        leases.put(name, lease);
        bytes += sizeOf(run);
        nextLapse = Math.min(nextLapse, lease.until());
        return lease;
    }

    /** @return false if it has been removed before */
    boolean remove(PulledLease lease) {
        boolean had = leases.remove(lease.name(), lease);
        if (had) {
            bytes -= sizeOf(lease.run());
        }
        return had;
    }

    @Nullable
    PulledLease find(LeaseName name) {
        return leases.get(name);
    }

    /** Takes those out that have run out. */
    List<PulledLease> takeLapsed(long now) {
        if (now < nextLapse) {
            return List.of();
        }
        List<PulledLease> lapsed = new ArrayList<>();
        nextLapse = NEVER;
        for (PulledLease lease : leases.values()) {
            if (lease.until() <= now) {
                lapsed.add(lease);
            } else {
                nextLapse = Math.min(nextLapse, lease.until());
            }
        }
        lapsed.forEach(this::remove);
        return lapsed;
    }

    /** Returns when one of them may run out, by the monotonic clock, in milliseconds. */
    long nextLapse() {
        return nextLapse;
    }

    List<PulledLease> all(Predicate<PulledLease> chosen) {
        return leases.values().stream().filter(chosen).toList();
    }

    int size() {
        return leases.size();
    }

    /** Returns what their tasks take in memory, in bytes. */
    long bytes() {
        return bytes;
    }
}
