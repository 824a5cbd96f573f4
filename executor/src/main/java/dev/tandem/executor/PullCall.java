package dev.tandem.executor;

import dev.tandem.executor.pull.LeaseCall;
import dev.tandem.executor.pull.LeasedTask;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A worker's call that waits for tasks, and those that it has got. Its desk guards it. */
final class PullCall {

    private final LeaseCall wish;
    private final CompletableFuture<List<LeasedTask>> answer = new CompletableFuture<>();
    private final List<PulledLease> taken = new ArrayList<>();
    private final long until;
    private final boolean waits;
    private long bytes;
    private long firstAt;
    private boolean counted;

    PullCall(LeaseCall wish, long now) {
        this.wish = wish;
        this.waits = wish.waitMillis() > 0;
        this.until = now + (waits ? wish.waitMillis() : PullDesk.LOOK_MILLIS);
    }

    LeaseCall wish() {
        return wish;
    }

    CompletableFuture<List<LeasedTask>> answer() {
        return answer;
    }

    List<PulledLease> taken() {
        return taken;
    }

    /** Returns how many more tasks it wants. */
    int wanted() {
        return wish.max() - taken.size();
    }

    boolean fits(long more) {
        return taken.isEmpty() || bytes + more <= wish.maxBytes();
    }

    void take(PulledLease lease, long size, long now) {
        if (taken.isEmpty()) {
            firstAt = now;
        }
        taken.add(lease);
        bytes += size;
    }

    /** Notes that tasks have been asked for on its behalf. */
    void counted() {
        counted = true;
    }

    /** Returns whether it is answered if no claims are on their way. */
    boolean mayEnd() {
        return !taken.isEmpty() || counted && !waits;
    }

    /** Returns when it is answered at the latest, by the monotonic clock, in milliseconds. */
    long due() {
        return taken.isEmpty() ? until : Math.min(Math.max(until, firstAt), firstAt + PullDesk.LINGER_MILLIS);
    }
}
