package dev.tandem.kafka;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;

/**
 * Commits offsets: one request at a time, which carries all that partitions want by then; so a slow broker makes fewer
 * and larger requests, and requests never overtake one another. Every request carries the group's generation, by which
 * the broker fences a member that is out.
 */
final class Committer {

    private static final long RETRY_MILLIS = 250;

    private record Sent(Assignment assignment, long offset, long wanted, boolean pin, boolean confirm) {}

    private record Batch(
            long number, List<Sent> parts, long generation, Map<TopicPartition, OffsetAndMetadata> offsets) {}

    private final Reports reports;
    private final Set<Assignment> waiting = new LinkedHashSet<>();
    private long batches;

    /** The number of the unanswered request; 0: none. */
    private long inFlight;

    Committer(Reports reports) {
        this.reports = reports;
    }

    /** For the engine; answered. */
    void commit(Assignment assignment, long upTo) {
        assignment.wanted = Math.max(assignment.wanted, upTo);
        waiting.add(assignment);
    }

    /** For a pin, or to confirm: what is known to be committed, unchanged. */
    void commitUnchanged(Assignment assignment) {
        waiting.add(assignment);
    }

    /** Sends what is wanted, unless the last request is still unanswered. */
    void flush(Consumer<?, ?> consumer, Millis clock) {
        if (inFlight != 0 || waiting.isEmpty()) {
            return;
        }
        Batch batch = batch(consumer, waiting, clock.now());
        if (batch.parts().isEmpty()) {
            return;
        }
        inFlight = batch.number();
        try {
            consumer.commitAsync(batch.offsets(), (offsets, problem) -> answered(batch, problem, clock.now()));
        } catch (KafkaException e) {
            answered(batch, e, clock.now());
        }
    }

    /** Sends what these want, and waits for the answer; before they go. */
    void commitNow(Consumer<?, ?> consumer, Collection<Assignment> leaving, Duration limit) {
        Set<Assignment> theirs = new LinkedHashSet<>(waiting);
        theirs.retainAll(leaving);
        Batch batch = batch(consumer, theirs, Long.MAX_VALUE);
        waiting.removeAll(leaving);
        if (batch.parts().isEmpty()) {
            return;
        }
        long deadline = System.nanoTime() + limit.toNanos();
        while (true) {
            long left = Math.max(1, deadline - System.nanoTime());
            try {
                consumer.commitSync(batch.offsets(), Duration.ofNanos(left));
                settle(batch, null, 0);
                return;
            } catch (WakeupException e) {
                // Meant for a wait in poll; the commit is the same if it was sent already.
                if (deadline - System.nanoTime() <= 0) {
                    settle(batch, e, 0);
                    return;
                }
            } catch (KafkaException e) {
                settle(batch, e, 0);
                return;
            }
        }
    }

    /** When something waits for its time; {@link Long#MAX_VALUE} if nothing does. */
    long nextAt() {
        long next = Long.MAX_VALUE;
        if (inFlight == 0) {
            for (Assignment each : waiting) {
                next = Math.min(next, each.commitAt);
            }
        }
        return next;
    }

    private Batch batch(Consumer<?, ?> consumer, Set<Assignment> from, long now) {
        List<Sent> parts = new ArrayList<>();
        Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
        for (Iterator<Assignment> all = from.iterator(); all.hasNext(); ) {
            Assignment each = all.next();
            boolean confirm = each.confirming && each.factsFresh;
            if (each.gone || (each.wanted < 0 && !each.pin && !confirm)) {
                all.remove();
            } else if (each.wanted >= 0 || each.commitAt <= now) {
                all.remove();
                long offset = Math.max(each.sent, each.wanted);
                parts.add(new Sent(each, offset, each.wanted, each.pin, confirm));
                String metadata =
                        each.isStart(offset) ? Start.startMetadata(each.topicId) : Start.metadata(each.topicId);
                offsets.put(each.topicPartition, new OffsetAndMetadata(offset, Optional.empty(), metadata));
                each.sent = offset;
                each.wanted = -1;
                each.pin = false;
                each.factsFresh &= !confirm;
            }
        }
        long generation = parts.isEmpty() ? -1 : consumer.groupMetadata().generationId();
        return new Batch(++batches, parts, generation, offsets);
    }

    private void answered(Batch batch, @Nullable Exception problem, long now) {
        if (inFlight == batch.number()) {
            inFlight = 0;
            settle(batch, problem, now);
        }
    }

    private void settle(Batch batch, @Nullable Exception problem, long now) {
        for (Sent part : batch.parts()) {
            // An answer to an earlier assignment of the partition says nothing about this one.
            if (part.assignment().gone) {
                continue;
            }
            if (problem == null) {
                succeeded(part, batch.generation());
            } else {
                failed(part, problem, now);
            }
        }
    }

    private void succeeded(Sent part, long generation) {
        Assignment assignment = part.assignment();
        if (!assignment.isStart(part.offset())) {
            assignment.committed = Math.max(assignment.committed, part.offset());
        }
        if (part.wanted() >= 0) {
            reports.tell(events -> events.committed(assignment.partition, part.wanted()));
        }
        if (part.confirm() && assignment.confirming) {
            assignment.confirming = false;
            reports.tell(events -> events.confirmed(assignment.partition, assignment.facts(generation)));
        }
    }

    private void failed(Sent part, Exception problem, long now) {
        Assignment assignment = part.assignment();
        if (part.pin() || part.confirm()) {
            // Repeated until it goes through, or the consumer says that the partition is lost.
            assignment.pin |= part.pin();
            assignment.factsFresh |= part.confirm();
            assignment.commitAt = now + RETRY_MILLIS;
            waiting.add(assignment);
        }
        if (part.wanted() >= 0) {
            String why = Problems.explain(problem);
            reports.tell(events -> events.commitFailed(assignment.partition, why));
        }
    }
}
