package dev.tandem.task.store;

import dev.tandem.task.Position;
import dev.tandem.task.store.StoreAnswer.BlockReason;
import dev.tandem.task.store.StoreAnswer.LateSettled;
import dev.tandem.task.store.StoreAnswer.SettleResult;
import dev.tandem.task.store.StoreModel.Flaw;
import dev.tandem.task.store.StoreRequest.Claim;
import dev.tandem.task.store.StoreRequest.Settle;
import dev.tandem.task.store.StoreRequest.SettleLate;
import dev.tandem.task.store.StoreRequest.Verdict.Returned;
import dev.tandem.task.store.StoreRequest.Verdict.Success;
import java.util.List;
import java.util.Set;

/** Applies {@link SettleLate}: a former owner's outcome, and the relay that may come with it. */
final class ModelLateSettling {

    private final ModelPartition partition;
    private final ModelSettling settling;
    private final long now;

    ModelLateSettling(ModelPartition partition, Set<Flaw> flaws, long now) {
        this.partition = partition;
        this.settling = new ModelSettling(partition, flaws, now);
        this.now = now;
    }

    LateSettled apply(SettleLate request) {
        Settle settle = request.settle();
        boolean ofQueue = request.incarnation() == Incarnation.NO_OFFSETS;
        StoredClaim claim = partition.claim(settle.position());
        boolean head = partition.isHead(settle.key(), settle.position());
        boolean relays = settle.then() != null && claim != null && claim.token() == settle.token();
        if (relays && ofQueue && !claim.isOf(partition.executor)) {
            return new LateSettled(false);
        }
        if (relays && head && settle.verdict() instanceof Success && canRelayTo(settle.then())) {
            relayHead(settle, claim);
        }
        SettleResult result = settling.settle(ofQueue ? awaitingRedelivery(settle) : settle, request.incarnation(), 0);
        if (result instanceof SettleResult.Refused) {
            return new LateSettled(false);
        }
        partition.keepSuccesses(List.of(settle), List.of(result));
        if (relays && !head && result instanceof SettleResult.Ok) {
            settling.relay(settle.then(), claim.executor(), claim.lease());
        }
        boolean passedOn = settle.verdict() instanceof Returned || !partition.isHead(settle.key(), settle.position());
        if (head && passedOn && result instanceof SettleResult.Ok) {
            partition.opened.add(settle.key());
        }
        return new LateSettled(true);
    }

    /** Whether the next task is claimed under the relayed token already, or can be claimed where it is. */
    private boolean canRelayTo(Claim then) {
        StoredClaim standing = partition.claim(then.position());
        return standing != null ? standing.token() == then.token() : !partition.tasks.isDead(then.position());
    }

    /** Makes the next task, which runs already, the head of its key; takes it out of the place where it waits. */
    private void relayHead(Settle settle, StoredClaim claim) {
        Position next = settle.then().position();
        partition.block(settle.key(), BlockReason.OTHER_OWNER, next);
        if (!partition.tasks.isClaimed(next)) {
            partition.claim(next, settle.then().token(), settle.key(), claim.executor(), claim.lease());
        }
    }

    /** A former owner has no channel to ack on, so the broker will redeliver the message. */
    private static Settle awaitingRedelivery(Settle settle) {
        return new Settle(
                settle.position(),
                settle.token(),
                settle.key(),
                SettledMark.AWAITS_REDELIVERY,
                settle.verdict(),
                settle.nextToken(),
                settle.then());
    }
}
