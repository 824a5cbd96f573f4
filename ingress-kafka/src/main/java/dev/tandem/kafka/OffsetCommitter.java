package dev.tandem.kafka;

import static dev.tandem.kafka.PartitionAssignment.NO_OFFSET;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;

/**
 * Commits offsets, one request at a time. A request carries all that is to be committed by then, so a slow broker gets
 * fewer and larger requests, and no request overtakes another. Each request carries the group's generation, by which
 * the broker fences a member that is no longer in the group. Used by the polling thread only.
 */
final class OffsetCommitter {

    private static final long RETRY_MILLIS = 250;
    private static final long NO_REQUEST = 0;

    /**
     * One partition's part of a request.
     *
     * @param requested the offset that the queue's loop asked to commit; {@link PartitionAssignment#NO_OFFSET} if none
     * @param start whether the request commits the start
     * @param confirm whether the request confirms the assignment
     */
    private record Part(PartitionAssignment assignment, long offset, long requested, boolean start, boolean confirm) {}

    private record Request(
            long number, List<Part> parts, long generation, Map<TopicPartition, OffsetAndMetadata> offsets) {}

    private final LoopEvents events;
    private final Set<PartitionAssignment> waiting = new LinkedHashSet<>();
    private long requests;

    /** The number of the request that is not answered yet. */
    private long inFlight = NO_REQUEST;

    OffsetCommitter(LoopEvents events) {
        this.events = events;
    }

    /** Commits an offset for the queue's loop, which is told the outcome. */
    void commit(PartitionAssignment assignment, long upTo) {
        assignment.requestedCommit = Math.max(assignment.requestedCommit, upTo);
        waiting.add(assignment);
    }

    /** Commits the last offset again, to record the start or to confirm the assignment. */
    void commitUnchanged(PartitionAssignment assignment) {
        waiting.add(assignment);
    }

    /** Sends what is waiting, unless the last request is still unanswered. */
    void flush(Consumer<?, ?> consumer, MonotonicClock clock) {
        if (inFlight != NO_REQUEST || waiting.isEmpty()) {
            return;
        }
        Request request = takeRequest(consumer, waiting, clock.now());
        if (request.parts().isEmpty()) {
            return;
        }
        inFlight = request.number();
        try {
            consumer.commitAsync(request.offsets(), (offsets, problem) -> answered(request, problem, clock.now()));
        } catch (KafkaException e) {
            answered(request, e, clock.now());
        }
    }

    /** Commits what is waiting for partitions that are about to leave, and waits for the answer. */
    void commitNow(Consumer<?, ?> consumer, Collection<PartitionAssignment> leaving, Duration timeout) {
        Set<PartitionAssignment> waitingAndLeaving = new LinkedHashSet<>(waiting);
        waitingAndLeaving.retainAll(leaving);
        Request request = takeRequest(consumer, waitingAndLeaving, Long.MAX_VALUE);
        waiting.removeAll(leaving);
        if (request.parts().isEmpty()) {
            return;
        }
        long deadline = System.nanoTime() + timeout.toNanos();
        while (true) {
            long left = Math.max(1, deadline - System.nanoTime());
            try {
                consumer.commitSync(request.offsets(), Duration.ofNanos(left));
                applyAnswer(request, null, 0);
                return;
            } catch (WakeupException e) {
                // The wake-up was meant for a poll. Repeating a commit that was sent already is harmless.
                if (deadline - System.nanoTime() <= 0) {
                    applyAnswer(request, e, 0);
                    return;
                }
            } catch (KafkaException e) {
                applyAnswer(request, e, 0);
                return;
            }
        }
    }

    /** Forgets what is waiting or unanswered, since the consumer is gone. */
    void forget() {
        waiting.clear();
        inFlight = NO_REQUEST;
    }

    /** Returns when the next retry is due; {@link Long#MAX_VALUE} if none is. */
    long nextAt() {
        long next = Long.MAX_VALUE;
        if (inFlight == NO_REQUEST) {
            for (PartitionAssignment each : waiting) {
                next = Math.min(next, each.retryCommitAt);
            }
        }
        return next;
    }

    private Request takeRequest(Consumer<?, ?> consumer, Set<PartitionAssignment> from, long now) {
        List<Part> parts = new ArrayList<>();
        Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
        for (Iterator<PartitionAssignment> all = from.iterator(); all.hasNext(); ) {
            PartitionAssignment each = all.next();
            boolean requested = each.requestedCommit != NO_OFFSET;
            boolean confirm = each.confirmRequested && each.confirmReady;
            if (each.isGone() || (!requested && !each.mustCommitStart && !confirm)) {
                all.remove();
            } else if (requested || each.retryCommitAt <= now) {
                all.remove();
                Part part = takePart(each, confirm);
                parts.add(part);
                offsets.put(
                        each.topicPartition,
                        new OffsetAndMetadata(
                                part.offset(), each.epochs.before(part.offset()), metadata(each, part.offset())));
            }
        }
        long generation = parts.isEmpty() ? -1 : consumer.groupMetadata().generationId();
        return new Request(++requests, parts, generation, offsets);
    }

    private static Part takePart(PartitionAssignment assignment, boolean confirm) {
        long offset = Math.max(assignment.highestSent, assignment.requestedCommit);
        Part part = new Part(assignment, offset, assignment.requestedCommit, assignment.mustCommitStart, confirm);
        assignment.highestSent = offset;
        assignment.requestedCommit = NO_OFFSET;
        assignment.mustCommitStart = false;
        assignment.confirmReady &= !confirm;
        return part;
    }

    private static String metadata(PartitionAssignment assignment, long offset) {
        return CommitMetadata.of(assignment.topicId, assignment.epochs.textFrom(offset), assignment.isStart(offset));
    }

    private void answered(Request request, @Nullable Exception problem, long now) {
        if (inFlight == request.number()) {
            inFlight = NO_REQUEST;
            applyAnswer(request, problem, now);
        }
    }

    private void applyAnswer(Request request, @Nullable Exception problem, long now) {
        for (Part part : request.parts()) {
            // An answer to an earlier assignment of the partition says nothing about the present one.
            if (part.assignment().isGone()) {
                continue;
            }
            if (problem == null) {
                succeeded(part, request.generation());
            } else {
                failed(part, problem, now);
            }
        }
    }

    private void succeeded(Part part, long generation) {
        PartitionAssignment assignment = part.assignment();
        if (!assignment.isStart(part.offset())) {
            assignment.committed = Math.max(assignment.committed, part.offset());
        }
        if (part.requested() != NO_OFFSET) {
            events.emit(loop -> loop.committed(assignment.partition, part.requested()));
        }
        if (part.confirm() && assignment.confirmRequested) {
            assignment.confirmRequested = false;
            events.emit(loop -> loop.confirmed(assignment.partition, assignment.facts(generation)));
        }
    }

    private void failed(Part part, Exception problem, long now) {
        PartitionAssignment assignment = part.assignment();
        if (part.start() || part.confirm()) {
            // Retried until it succeeds, or until the consumer reports that the partition is lost.
            assignment.mustCommitStart |= part.start();
            assignment.confirmReady |= part.confirm();
            assignment.retryCommitAt = now + RETRY_MILLIS;
            waiting.add(assignment);
        }
        if (part.requested() != NO_OFFSET) {
            String why = KafkaErrors.explain(problem);
            events.emit(loop -> loop.commitFailed(assignment.partition, why));
        }
    }
}
