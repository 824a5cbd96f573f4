package dev.tandem.task.store;

import dev.tandem.task.Position;
import dev.tandem.task.store.StoreAnswer.BlockReason;
import dev.tandem.task.store.StoreAnswer.BlockedKey;
import dev.tandem.task.store.StoreAnswer.ClaimsKept;
import dev.tandem.task.store.StoreAnswer.LeasesExpired;
import dev.tandem.task.store.StoreAnswer.LeasesRenewed;
import dev.tandem.task.store.StoreRequest.ExpireLeases;
import dev.tandem.task.store.StoreRequest.KeepClaims;
import dev.tandem.task.store.StoreRequest.RenewLeases;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Applies the requests about leases: {@link RenewLeases}, {@link KeepClaims} and {@link ExpireLeases}. */
final class ModelLeases {

    private final ModelPartition partition;
    private final ModelTasks tasks;
    private final long now;

    ModelLeases(ModelPartition partition, long now) {
        this.partition = partition;
        this.tasks = partition.tasks;
        this.now = now;
    }

    LeasesRenewed apply(RenewLeases request, String runId) {
        partition.leaseDeadline = now + request.leaseMillis();
        partition.coveredUntil = partition.leaseDeadline;
        List<Position> lost = extend(request.positions(), request.tokens(), partition.leaseDeadline, false);
        List<String> opened = List.copyOf(partition.opened);
        partition.opened.clear();
        return new LeasesRenewed(
                runId,
                lost,
                opened,
                partition.nextDueMillis(now),
                partition.nextLapseMillis(now),
                new StoreAnswer.Custody(tasks.held().size(), tasks.heldBytes()),
                partition.blocked.size(),
                new StoreAnswer.TokenTime(now * 1_000, partition.tokenLead(now)),
                true);
    }

    ClaimsKept apply(KeepClaims request) {
        return new ClaimsKept(extend(request.positions(), request.tokens(), now + request.leaseMillis(), true));
    }

    /**
     * Extends claims, and returns the positions that are not claimed under their token any more.
     *
     * @param uncovers whether covered claims get a lease of their own; otherwise they stay as they are
     */
    private List<Position> extend(List<Position> positions, long[] tokens, long deadline, boolean uncovers) {
        List<Position> lost = new ArrayList<>();
        for (int i = 0; i < tokens.length; i++) {
            StoredClaim claim = tasks.claim(positions.get(i));
            if (claim == null || claim.token() != tokens[i]) {
                lost.add(positions.get(i));
            } else if (uncovers || !claim.isCovered()) {
                tasks.extendClaim(claim, deadline);
            }
        }
        return lost;
    }

    LeasesExpired apply(ExpireLeases request) {
        if (request.extendMillis() > 0) {
            extendAll(request.extendMillis());
            return new LeasesExpired(0, List.of(), partition.nextDueMillis(now), partition.nextLapseMillis(now));
        }
        List<StoredClaim> lapsed = lapsed(request.limit());
        List<BlockedKey> waiting = new ArrayList<>();
        List<StoredClaim> begunBeforeHead = new ArrayList<>();
        for (StoredClaim claim : lapsed) {
            Position position = claim.position();
            String key = request.ordered() ? claim.key() : null;
            partition.attempts.merge(position, 1, Integer::sum);
            boolean held = tasks.holds(position);
            boolean blockedByAnother = partition.isBlockedByAnother(key, position);
            if (held && blockedByAnother) {
                begunBeforeHead.add(claim);
            } else if (held) {
                tasks.retryHeld(position, now);
                if (key != null) {
                    partition.block(key, BlockReason.HEAD, position);
                }
            } else {
                tasks.returnToBroker(position);
                if (key != null && !blockedByAnother) {
                    partition.block(key, BlockReason.REDELIVERY, position);
                    waiting.add(partition.blocked.get(key));
                }
            }
        }
        // These tasks began before anything that waits in the lane, so they precede it, lowest token first.
        begunBeforeHead.sort(Comparator.comparingLong(StoredClaim::token).reversed());
        begunBeforeHead.forEach(
                claim -> tasks.parkInFront(claim.key(), claim.position(), tasks.envelope(claim.position())));
        return new LeasesExpired(lapsed.size(), waiting, partition.nextDueMillis(now), partition.nextLapseMillis(now));
    }

    private void extendAll(long millis) {
        if (partition.leaseDeadline > 0) {
            partition.leaseDeadline += millis;
        }
        partition.coveredUntil += millis;
        for (StoredClaim claim : List.copyOf(partition.claims())) {
            if (!claim.isCovered()) {
                tasks.extendClaim(claim, claim.lease() + millis);
            }
        }
    }

    /** Returns the claims whose lease ran out, the earliest first; none during the quiet period. */
    private List<StoredClaim> lapsed(int limit) {
        List<StoredClaim> lapsed = new ArrayList<>();
        if (now >= partition.quietUntil) {
            if (partition.coveredUntil <= now) {
                partition.uncoverClaims();
            }
            for (StoredClaim claim : partition.claims()) {
                if (partition.deadline(claim) <= now) {
                    lapsed.add(claim);
                }
            }
        }
        lapsed.sort(Comparator.comparingLong(partition::deadline)
                .thenComparing(claim -> claim.position().text()));
        return lapsed.subList(0, Math.min(limit, lapsed.size()));
    }
}
