package dev.tandem.ordering;

import dev.tandem.task.Position;
import dev.tandem.task.store.StoreRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Keeps the claims of active runs: with the ownership while it lasts, and by token alone while it is in doubt or over. */
final class ClaimKeeper {

    private static final int RENEW_BATCH = 500;

    private final PartitionState state;
    /** Requests without an answer, all of one time. */
    private final List<StoreRequest.KeepClaims> keeping = new ArrayList<>();

    private long keepAt;
    private long keepSentAt;

    ClaimKeeper(PartitionState state) {
        this.state = state;
    }

    // ---- as the owner ----

    /** Returns the claims that must be renewed now, in batches. */
    List<List<ActiveRun>> renewals() {
        long renewBelow = state.now() + state.settings.leaseMillis() - state.settings.renewMillis() / 2;
        List<ActiveRun> due = new ArrayList<>();
        for (ActiveRun active : state.active.all()) {
            if (active.isOwned() && active.isClaimSent() && active.run().leaseUntil() < renewBelow) {
                due.add(active);
            }
        }
        return batches(due);
    }

    private static List<List<ActiveRun>> batches(List<ActiveRun> runs) {
        List<List<ActiveRun>> batches = new ArrayList<>();
        for (int from = 0; from < runs.size(); from += RENEW_BATCH) {
            batches.add(runs.subList(from, Math.min(runs.size(), from + RENEW_BATCH)));
        }
        return batches;
    }

    void renewed(List<Position> positions, List<Position> lost, long sentAt) {
        Set<Position> lostPositions = Set.copyOf(lost);
        for (Position position : positions) {
            ActiveRun active = state.active.find(position);
            if (active != null) {
                if (lostPositions.contains(position)) {
                    active.run().lost(state.now());
                } else {
                    active.run().renewedUntil(state.leasedUntil(sentAt));
                }
            }
        }
    }

    // ---- while the ownership is in doubt or over ----

    void keepNow() {
        keepAt = state.now();
    }

    void connectionLost() {
        keeping.clear();
    }

    void flush(Commands out) {
        boolean renewedOtherwise = state.ownership.isOwned();
        if (renewedOtherwise || state.active.isEmpty() || !keeping.isEmpty() || state.now() < keepAt) {
            return;
        }
        keepAt = state.now() + state.settings.renewMillis();
        keepSentAt = state.now();
        for (List<ActiveRun> batch : batches(List.copyOf(state.active.all()))) {
            StoreRequest.KeepClaims request = new StoreRequest.KeepClaims(
                    state.partition, state.settings.leaseMillis(), positions(batch), tokens(batch));
            keeping.add(request);
            out.send(request);
        }
    }

    /**
     * Takes the answer. A lease that had expired when the request was sent stays expired, whatever the store says: it may have
     * forgotten who had the key since.
     */
    void kept(StoreRequest.KeepClaims request, List<Position> lost) {
        if (!keeping.removeIf(each -> each == request)) {
            return;
        }
        List<Position> inTime = new ArrayList<>(request.positions());
        inTime.removeIf(position -> {
            ActiveRun active = state.active.find(position);
            return active == null || active.run().leaseUntil() < keepSentAt && !lost.contains(position);
        });
        renewed(inTime, lost, keepSentAt);
    }

    /** When {@link #flush} has something to do without any event. */
    long nextTurn() {
        boolean nothingToKeep = state.active.isEmpty() || state.ownership.isOwned() || !keeping.isEmpty();
        return nothingToKeep ? PartitionState.NEVER : keepAt;
    }

    static List<Position> positions(List<ActiveRun> runs) {
        return runs.stream().map(active -> active.run().position()).toList();
    }

    static long[] tokens(List<ActiveRun> runs) {
        return runs.stream().mapToLong(active -> active.run().token()).toArray();
    }
}
