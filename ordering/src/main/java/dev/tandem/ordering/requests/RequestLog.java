package dev.tandem.ordering.requests;

import dev.tandem.ordering.lanes.TaskEntry;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.store.RequestHeader;
import dev.tandem.task.store.StoreRequest;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Log of one partition's numbered requests to the store: those without an answer, answered writes that are not durable yet,
 * and writes that must be sent again after the connection broke.
 */
public final class RequestLog {

    /**
     * A request without an answer, and what its answer is about.
     *
     * @param slots reserved for claims that the request asks for
     * @param lastArrival the order of the last task that had come in when the request was sent
     */
    public record Sent(
            StoreRequest.OwnerRequest request,
            List<PendingOutcome> outcomes,
            List<TaskEntry> claims,
            List<PendingHandOver> handOvers,
            int slots,
            long sentAt,
            long lastArrival) {

        public static Sent plain(StoreRequest.OwnerRequest request, int slots, long sentAt, long lastArrival) {
            return new Sent(request, List.of(), List.of(), List.of(), slots, sentAt, lastArrival);
        }

        public long number() {
            return request.header().number();
        }

        /** The outcomes of runs that never began. */
        public List<PendingOutcome> returned() {
            return outcomes.stream().filter(PendingOutcome::isReturned).toList();
        }
    }

    private record NotDurable(PendingWrite write, long number) {}

    private final Partition partition;
    private final String writer;
    private final ArrayDeque<Sent> unanswered = new ArrayDeque<>();
    private final ArrayDeque<NotDurable> notDurable = new ArrayDeque<>();
    private final LinkedHashMap<Position, PendingWrite> resend = new LinkedHashMap<>();
    private long number;
    private long epoch;
    private int settleAndClaimsInFlight;

    /** @param writer random, the same until the process ends */
    public RequestLog(Partition partition, String writer) {
        this.partition = partition;
        this.writer = writer;
    }

    public String writer() {
        return writer;
    }

    // ---- numbers and epochs ----

    /** Returns the header of the next request. */
    public RequestHeader next() {
        return new RequestHeader(partition, writer, ++number, epoch);
    }

    /** Returns the header of an acquire. {@code continues}: nobody else can have owned the partition since the last one. */
    public RequestHeader nextAcquire(boolean continues) {
        return new RequestHeader(partition, writer, ++number, continues ? epoch : 0);
    }

    public long lastNumber() {
        return number;
    }

    public long epoch() {
        return epoch;
    }

    /** Begins a new ownership. Only answers under its epoch count from now on. */
    public void begin(long newEpoch) {
        epoch = newEpoch;
    }

    public boolean isCurrent(RequestHeader header) {
        return header.epoch() == epoch;
    }

    // ---- sent and answered ----

    public void sent(Sent sent) {
        unanswered.addLast(sent);
        if (sent.request() instanceof StoreRequest.SettleAndClaim) {
            settleAndClaimsInFlight++;
        }
    }

    /** Returns the request that this answer is for. Null if it is not awaited any more. Answers come in order. */
    public @Nullable Sent answered(StoreRequest request) {
        Sent first = unanswered.peekFirst();
        if (first == null || first.request() != request) {
            return null;
        }
        unanswered.removeFirst();
        if (request instanceof StoreRequest.SettleAndClaim) {
            settleAndClaimsInFlight--;
        }
        return first;
    }

    /** The requests without an answer, the oldest first. */
    public Collection<Sent> unanswered() {
        return Collections.unmodifiableCollection(unanswered);
    }

    /** When the oldest request without an answer was sent; {@link Long#MAX_VALUE} if all are answered. */
    public long oldestSentAt() {
        Sent first = unanswered.peekFirst();
        return first == null ? Long.MAX_VALUE : first.sentAt();
    }

    /** How many requests to settle and claim have no answer. */
    public int settleAndClaimsInFlight() {
        return settleAndClaimsInFlight;
    }

    public int othersInFlight() {
        return unanswered.size() - settleAndClaimsInFlight;
    }

    /** Keeps an answered write until it is {@linkplain #durable durable}. */
    public void keepUntilDurable(PendingWrite write, long atNumber) {
        notDurable.addLast(new NotDurable(write, atNumber));
    }

    /** Lets go of all writes up to {@code upTo}, which are durable, and returns them. */
    public List<PendingWrite> durable(long upTo) {
        List<PendingWrite> durable = new ArrayList<>();
        while (!notDurable.isEmpty() && notDurable.getFirst().number() <= upTo) {
            durable.add(notDurable.removeFirst().write());
        }
        return durable;
    }

    // ---- after a break ----

    /**
     * Plans to send again all that may not have been applied or may have been forgotten, in order. Of several writes of one
     * position only the last is sent, which implies the others.
     *
     * @param queued outcomes that were not sent yet, newer than all else. One that replaces a planned write is rewritten
     * @return entries whose last write is a park, or cancels them: they go back to their lane, to their place among those that
     *     came before and after them, unless the store says that they are settled
     */
    public Collection<TaskEntry> planResend(List<PendingOutcome> queued) {
        ResendPlan plan = new ResendPlan();
        notDurable.forEach(each -> plan.add(each.write()));
        for (Sent sent : unanswered) {
            sent.outcomes().forEach(plan::add);
            sent.handOvers().forEach(plan::add);
        }
        resend.values().forEach(plan::add);
        queued.replaceAll(outcome -> {
            PendingWrite older = outcome.isReturned() ? null : plan.takeOut(outcome.position());
            return older == null ? outcome : (PendingOutcome) outcome.replacing(older);
        });
        notDurable.clear();
        unanswered.clear();
        settleAndClaimsInFlight = 0;
        resend.clear();
        resend.putAll(plan.writes);
        return plan.parks.values().stream().map(PendingWrite::entry).toList();
    }

    /**
     * The last write of each position. Parks are apart: a park does not say how the store got the task. So are those that cancel
     * tasks: of a message queue, the store could not tell that it has seen them.
     */
    private static final class ResendPlan {
        private final LinkedHashMap<Position, PendingWrite> writes = new LinkedHashMap<>();
        private final LinkedHashMap<Position, PendingWrite> parks = new LinkedHashMap<>();

        void add(PendingWrite write) {
            if (write instanceof PendingOutcome outcome && outcome.isReturned()) {
                return;
            }
            if (write instanceof PendingHandOver handOver && handOver.blocksOnly()) {
                // It moves no custody, and is asked for again if it is still needed.
                return;
            }
            if (write instanceof PendingHandOver handOver && (handOver.parks() || handOver.cancels())) {
                parks.put(write.position(), write);
                return;
            }
            PendingWrite older = takeOut(write.position());
            writes.put(write.position(), older == null ? write : write.replacing(older));
        }

        @Nullable
        PendingWrite takeOut(Position position) {
            PendingWrite park = parks.remove(position);
            PendingWrite older = writes.remove(position);
            return older == null ? park : older;
        }
    }

    /** Whether nothing is planned to be sent again. */
    public boolean hasNothingToResend() {
        return resend.isEmpty();
    }

    /** Returns the write of a position that is planned to be sent again, or null. */
    public @Nullable PendingWrite planned(Position position) {
        return resend.get(position);
    }

    /** The writes that are planned to be sent again, in order. */
    public Collection<PendingWrite> planned() {
        return Collections.unmodifiableCollection(resend.values());
    }

    /** Plans a write, in the place of an earlier one of its position. */
    public void plan(PendingWrite write) {
        resend.put(write.position(), write);
    }

    public void cancel(Position position) {
        resend.remove(position);
    }

    /** Takes the next writes to send again: all outcomes or all hand-overs, in the order of the plan. */
    public List<PendingWrite> takeResend(int limit) {
        List<PendingWrite> taken = new ArrayList<>();
        Iterator<PendingWrite> writes = resend.values().iterator();
        while (writes.hasNext() && taken.size() < limit) {
            PendingWrite write = writes.next();
            if (!taken.isEmpty() && taken.get(0).getClass() != write.getClass()) {
                break;
            }
            taken.add(write);
            writes.remove();
        }
        return taken;
    }

    /** Drops everything, since the ownership ended. Returns the outcomes that had no answer. */
    public List<PendingOutcome> drop() {
        List<PendingOutcome> withoutAnswer = new ArrayList<>();
        unanswered.forEach(sent -> withoutAnswer.addAll(sent.outcomes()));
        for (PendingWrite write : resend.values()) {
            if (write instanceof PendingOutcome outcome) {
                withoutAnswer.add(outcome);
            }
        }
        unanswered.clear();
        notDurable.clear();
        resend.clear();
        settleAndClaimsInFlight = 0;
        return withoutAnswer;
    }
}
