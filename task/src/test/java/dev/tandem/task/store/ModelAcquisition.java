package dev.tandem.task.store;

import dev.tandem.task.Position;
import dev.tandem.task.store.StoreAnswer.Acquired;
import dev.tandem.task.store.StoreAnswer.BlockReason;
import dev.tandem.task.store.StoreAnswer.BlockedKey;
import dev.tandem.task.store.StoreAnswer.OtherClaim;
import dev.tandem.task.store.StoreAnswer.Refused;
import dev.tandem.task.store.StoreRequest.Acquire;
import dev.tandem.task.store.StoreRequest.PresentedClaim;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Applies one {@link Acquire}: begins an epoch and makes the claims match what the new owner presents. */
final class ModelAcquisition {

    private final ModelPartition partition;
    private final Acquire request;
    private final String runId;
    private final long now;

    /** The tokens of the presented claims that hold: written, or to be brought by a relay. */
    private final Set<Long> holding = new LinkedHashSet<>();

    private final List<PresentedClaim> written = new ArrayList<>();

    ModelAcquisition(ModelPartition partition, Acquire request, String runId, long now) {
        this.partition = partition;
        this.request = request;
        this.runId = runId;
        this.now = now;
    }

    /** Returns the refusal if another owner's lease, or a later generation's, keeps this one out; else null. */
    static @Nullable Refused refusal(ModelPartition partition, Acquire request, long now) {
        if (partition.executor == null || partition.leaseDeadline <= now) {
            return null;
        }
        boolean ownedByAnother = !request.executor().equals(partition.executor) && !partition.released;
        boolean otherSource = ownedByAnother && isOtherSource(partition, request);
        if ((ownedByAnother && request.generation() == -1)
                || otherSource
                || partition.generation > request.generation()) {
            return new Refused(
                    String.valueOf(partition.executor),
                    partition.leaseDeadline - now,
                    otherSource ? partition.sourceId : "");
        }
        return null;
    }

    private static boolean isOtherSource(ModelPartition partition, Acquire request) {
        return !request.sourceId().isEmpty()
                && !partition.sourceId.isEmpty()
                && !request.sourceId().equals(partition.sourceId);
    }

    Acquired apply() {
        for (PresentedClaim presented : request.presented()) {
            partition.token = Math.max(partition.token, presented.token());
        }
        boolean restarted = partition.executor != null && !runId.equals(partition.runId);
        if (restarted && request.header().epoch() != partition.epoch) {
            partition.quietUntil = now + request.leaseMillis();
        }
        updateIncarnation();
        partition.uncoverClaims();
        beginEpoch(restarted);
        long lastApplied = lastAppliedBefore();
        partition.writers.clear();
        partition.opened.clear();
        judgePresented(lastApplied);
        for (PresentedClaim presented : written) {
            if (presented.key() != null && partition.blocked.containsKey(presented.key())) {
                partition.block(presented.key(), BlockReason.HEAD, presented.position());
            }
        }
        takeBackTheRest();
        List<OtherClaim> otherClaims = blockKeysOfOtherClaims();
        return new Acquired(
                partition.epoch,
                runId,
                partition.incarnation,
                partition.highWater,
                partition.settled.storedCommit(),
                otherClaims,
                partition.settled.chunks(),
                blockedKeysToKnow(),
                partition.blocked.size(),
                partition.nextDueMillis(now),
                partition.nextLapseMillis(now),
                Math.max(0, partition.quietUntil - now),
                List.copyOf(holding),
                partition.history(),
                partition.tasks.hasLines());
    }

    /** Returns the keys that wait for a redelivery, and those of which there is a claim or one was presented. */
    private List<BlockedKey> blockedKeysToKnow() {
        Set<String> claimed = new HashSet<>();
        request.presented().forEach(presented -> claimed.add(presented.key()));
        partition.claims().forEach(claim -> claimed.add(claim.key()));
        return partition.blocked.values().stream()
                .filter(each -> each.reason() == BlockReason.REDELIVERY || claimed.contains(each.key()))
                .toList();
    }

    private void updateIncarnation() {
        boolean recreated = isOtherSource(partition, request);
        long stored = partition.settled.storedCommit();
        long next = Math.max(partition.incarnation, request.cutOf()) + 1;
        boolean setBack = request.committed() >= 0 && stored >= 0 && request.committed() < stored;
        if (recreated || setBack) {
            partition.incarnation = next;
            partition.settled.restartAt(request.committed());
            partition.highWater = presentedHighWater(next);
        } else if (isVoidFromCut()) {
            partition.incarnation = next;
            partition.settled.cutAt(request.cut());
            partition.settled.raiseCommit(request.committed());
            partition.highWater = Math.max(request.cut(), presentedHighWater(next));
        } else {
            partition.settled.raiseCommit(request.committed());
            partition.highWater = Math.max(partition.highWater, presentedHighWater());
        }
        if (!request.sourceId().isEmpty()) {
            partition.sourceId = request.sourceId();
        }
    }

    /** Whether the log was cut, and the incarnation knows records that are gone, or may have known them. */
    private boolean isVoidFromCut() {
        if (request.cut() == Acquire.NO_CUT || request.cutOf() != Acquire.ANY_INCARNATION) {
            return request.cut() != Acquire.NO_CUT && partition.incarnation <= request.cutOf();
        }
        return request.cut() < Math.max(partition.highWater, presentedHighWater());
    }

    /** The high-water mark by the presented claims of an incarnation that begins again, since the store forgot it. */
    private long presentedHighWater(long incarnation) {
        String prefix = incarnation + ":";
        return highWater(request.presented().stream()
                .filter(each -> each.position().text().startsWith(prefix)));
    }

    private long presentedHighWater() {
        return highWater(request.presented().stream());
    }

    private static long highWater(Stream<PresentedClaim> presented) {
        return presented
                .mapToLong(each -> each.mark() instanceof SettledMark.Offset at ? at.offset() + 1 : 0)
                .max()
                .orElse(0);
    }

    private void beginEpoch(boolean restarted) {
        long micros = now * 1_000;
        partition.epoch = Math.max(partition.token + 1, micros + partition.tokenLead(now))
                + (restarted ? request.leaseMillis() * 1_000 : 0);
        partition.epochLead = partition.epoch - micros;
        partition.token = partition.epoch;
        partition.executor = request.executor();
        partition.generation = request.generation();
        partition.runId = runId;
        partition.leaseDeadline = now + request.leaseMillis();
        partition.coveredUntil = partition.leaseDeadline;
        partition.released = false;
    }

    /**
     * Returns the number of this writer's request that was applied last, apart from acquires in a row before this one.
     */
    private long lastAppliedBefore() {
        long stored = partition.writers.getOrDefault(request.header().writer(), 0L);
        if (stored != partition.lastAcquire) {
            partition.lastBeforeAcquires = stored;
        }
        partition.lastAcquire = request.header().number();
        return partition.lastBeforeAcquires;
    }

    // Presented claims

    private void judgePresented(long lastApplied) {
        Map<String, Long> newestOfOthers = newestTokensOfOthers();
        Set<Long> refused = new HashSet<>();
        for (PresentedClaim presented : request.presented()) {
            boolean outcomeApplied = presented.outcomeNumber() > 0 && presented.outcomeNumber() <= lastApplied;
            if (outcomeApplied || hasEnded(presented)) {
                continue;
            }
            long newest = presented.key() == null ? 0 : newestOfOthers.getOrDefault(presented.key(), 0L);
            if (refused.contains(presented.relayedFrom()) || isSuperseded(presented) || newest > presented.token()) {
                refused.add(presented.token());
                continue;
            }
            holding.add(presented.token());
            boolean known =
                    partition.tasks.isClaimed(presented.position()) || partition.tasks.holds(presented.position());
            if (known || !holding.contains(presented.relayedFrom())) {
                partition.claim(
                        presented.position(),
                        presented.token(),
                        presented.key(),
                        request.executor(),
                        StoredClaim.COVERED);
                written.add(presented);
            }
        }
    }

    private Map<String, Long> newestTokensOfOthers() {
        Map<String, Long> newest = new HashMap<>();
        for (StoredClaim claim : partition.claims()) {
            if (claim.key() != null && !claim.isOf(request.executor())) {
                newest.merge(claim.key(), claim.token(), Math::max);
            }
        }
        return newest;
    }

    private boolean hasEnded(PresentedClaim presented) {
        Position position = presented.position();
        boolean settled = partition.settled.contains(presented.mark())
                || partition.tasks.isDead(position)
                || partition.redeliveries.isAwaited(position);
        return settled && !partition.tasks.holds(position) && !partition.tasks.isClaimed(position);
    }

    /** Whether a claim with a higher token stands, or an outcome under this or a higher token is stored. */
    private boolean isSuperseded(PresentedClaim presented) {
        StoredClaim claim = partition.tasks.claim(presented.position());
        StoredEnvelope envelope = partition.tasks.envelope(presented.position());
        return envelope != null && envelope.token() >= presented.token()
                || claim != null && claim.token() > presented.token();
    }

    // All other claims

    /**
     * Takes back claims of this executor that it did not present: it missed their answer and never started them. And
     * claims of others whose key was claimed again since: they have ended, and the store forgot that.
     */
    private void takeBackTheRest() {
        Map<String, Long> latest = new HashMap<>();
        Set<Position> standing = new HashSet<>();
        for (PresentedClaim presented : written) {
            standing.add(presented.position());
            if (presented.key() != null) {
                latest.merge(presented.key(), presented.token(), Math::max);
            }
        }
        for (StoredClaim claim : List.copyOf(partition.claims())) {
            boolean ended = claim.key() != null && latest.getOrDefault(claim.key(), 0L) > claim.token();
            if (!standing.contains(claim.position()) && (claim.isOf(request.executor()) || ended)) {
                partition.takeBack(claim.position(), claim.key(), now);
            }
        }
    }

    private List<OtherClaim> blockKeysOfOtherClaims() {
        List<OtherClaim> otherClaims = new ArrayList<>();
        for (StoredClaim claim : partition.claims()) {
            if (!claim.isOf(request.executor())) {
                otherClaims.add(new OtherClaim(
                        claim.position(),
                        claim.token(),
                        claim.key(),
                        partition.tasks.holds(claim.position()),
                        claim.lease() - now));
            }
        }
        otherClaims.sort(Comparator.comparingLong(OtherClaim::token).reversed());
        for (OtherClaim claim : otherClaims) {
            if (claim.key() != null && !partition.blocked.containsKey(claim.key())) {
                partition.block(claim.key(), BlockReason.OTHER_OWNER, claim.position());
            }
        }
        return otherClaims;
    }
}
