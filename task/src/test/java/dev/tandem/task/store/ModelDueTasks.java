package dev.tandem.task.store;

import dev.tandem.task.Position;
import dev.tandem.task.store.StoreAnswer.BlockReason;
import dev.tandem.task.store.StoreAnswer.DueTask;
import dev.tandem.task.store.StoreAnswer.DueTasks;
import dev.tandem.task.store.StoreRequest.ClaimDue;
import dev.tandem.task.store.StoreRequest.DeclineOffers;
import dev.tandem.task.store.StoreRequest.Declined;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Applies {@link ClaimDue}: claims or offers the tasks that are due; and {@link DeclineOffers}. */
final class ModelDueTasks {

    private ModelDueTasks() {}

    static DueTasks claim(ModelPartition partition, ClaimDue request, long now) {
        ModelTasks tasks = partition.tasks;
        List<DueTask> claimed = new ArrayList<>();
        List<DueTask> offered = new ArrayList<>();
        boolean more = false;
        int ahead = 0;
        // Keys of which the owner has something in memory, or of which this request met an earlier task.
        Set<String> busy = request.busyKeys() == null ? null : new HashSet<>(request.busyKeys());
        long deadline = now + request.leaseMillis();
        partition.coveredUntil = deadline;
        for (DueSet.Entry due : tasks.dueAt(now)) {
            Position position = due.position();
            StoredEnvelope envelope = tasks.envelope(position);
            if (envelope == null) {
                tasks.dropDueTime(position);
                continue;
            }
            String key = request.ordered() ? envelope.key() : null;
            boolean head = key != null && partition.isHead(key, position);
            boolean first = key != null && busy != null && busy.add(key);
            boolean claimable = key == null || head || first && partition.blocked(key) == null;
            if (claimable && claimed.size() < request.maxClaims()) {
                long token = request.firstToken() + claimed.size();
                partition.claim(position, token, key, partition.executor, StoredClaim.COVERED);
                if (head) {
                    partition.block(key, BlockReason.HEAD, position);
                }
                claimed.add(new DueTask(position, token, partition.lapses(position), envelope.bytes(), head));
            } else if (head || offered.size() == request.maxOffers() || key == null && ahead == request.maxAhead()) {
                more = true;
            } else {
                ahead += key == null ? 1 : 0;
                tasks.postpone(
                        position,
                        key == null ? now + Math.max(1, request.leaseMillis() / ClaimDue.AHEAD_SHARE) : deadline);
                offered.add(new DueTask(position, 0, partition.lapses(position), envelope.bytes(), false));
            }
        }
        return new DueTasks(claimed, offered, more ? 0 : partition.nextDueMillis(now), more);
    }

    static void decline(ModelPartition partition, DeclineOffers request, long now) {
        for (Declined offer : request.offers()) {
            Position position = offer.position();
            if (partition.tasks.dueTime(position) > now && !partition.isHead(offer.key(), position)) {
                partition.tasks.postpone(position, now + offer.delayMillis());
            }
        }
    }
}
