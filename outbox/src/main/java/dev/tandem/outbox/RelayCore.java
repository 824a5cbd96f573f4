package dev.tandem.outbox;

import dev.tandem.outbox.OutboxRow.Lane;
import dev.tandem.outbox.OutboxRow.Version;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Decides which rows a relay publishes next. No I/O and no clock; times are milliseconds of a monotonic clock. Used by one
 * thread.
 *
 * <p>A row is published only when the one before it in its lane was acknowledged, since a broker may take a later task and
 * refuse an earlier one. A failure blocks its lane. While nearly everything of a queue fails, one row at a time is tried.
 */
final class RelayCore {

    /** The most rows of a queue that are published and not acknowledged. */
    static final int WINDOW = 500;

    /** The most rows of a lane in memory, so that one key cannot fill it. */
    static final int LANE_ROWS = 100;

    /** The most rows of a queue in memory, so that a queue whose broker hangs cannot fill it. Exceeded by one read. */
    static final int QUEUE_ROWS = 1_000;

    private static final int ALL_ROWS = 10_000;
    private static final long ALL_BYTES = 64L << 20;
    private static final long FIRST_BACKOFF = 1_000;
    private static final long LANE_BACKOFF = 30_000;
    private static final long QUEUE_BACKOFF = 5_000;

    /** How long a lane that failed is remembered after it may be tried again. */
    private static final long FORGET = 60_000;

    private final boolean haltWhenRefused;
    private final long grace;
    private final Map<Lane, LaneState> lanes = new LinkedHashMap<>();
    private final Map<String, QueueState> queues = new HashMap<>();
    private final Map<Version, OutboxRow> inFlight = new HashMap<>();
    private int heldRows;
    private long heldBytes;
    private Settled settled = Settled.none();

    private static final class LaneState {
        final Deque<OutboxRow> rows = new ArrayDeque<>();
        boolean inFlight;
        boolean ready;
        int failures;
        long blockedUntil = Long.MIN_VALUE;
    }

    private static final class QueueState {
        final Deque<Lane> ready = new ArrayDeque<>();
        int rows;
        int inFlight;
        boolean sending;
        // Until the first success nobody knows whether the broker can be reached.
        boolean probing = true;
        int failures;
        long pausedUntil = Long.MIN_VALUE;
    }

    /**
     * Changes to record in the table.
     *
     * @param published rows whose tasks were acknowledged
     * @param refused rows that can never be published, and why
     * @param failed rows that are tried again, and why they failed
     * @param unfit rows that the client of this relay cannot publish, and why; they are tried again, here or by another relay
     */
    record Settled(
            List<Version> published,
            Map<Version, String> refused,
            Map<Version, String> failed,
            Map<Version, String> unfit) {

        static Settled none() {
            return new Settled(new ArrayList<>(), new LinkedHashMap<>(), new LinkedHashMap<>(), new LinkedHashMap<>());
        }

        int size() {
            return published.size() + refused.size() + failed.size() + unfit.size();
        }
    }

    /** The queues, keys and rows that the next read leaves out, because they are in memory or must wait. */
    record Exclusions(List<String> queues, List<Lane> keys, List<Long> ids) {}

    /** @param grace for how many milliseconds clients may be unable to publish a row before it is refused */
    RelayCore(boolean haltWhenRefused, long grace) {
        this.haltWhenRefused = haltWhenRefused;
        this.grace = grace;
    }

    /** Takes rows that were read with the latest {@link #exclusions}, in the order of their ids. */
    void add(List<OutboxRow> rows) {
        for (OutboxRow row : rows) {
            Lane lane = row.lane();
            LaneState state = lanes.computeIfAbsent(lane, any -> new LaneState());
            if (state.rows.size() < LANE_ROWS) {
                state.rows.add(row);
                queue(lane).rows++;
                heldRows++;
                heldBytes += row.bytes();
                makeReady(lane, state);
            }
        }
    }

    private void makeReady(Lane lane, LaneState state) {
        if (!state.ready && !state.inFlight && !state.rows.isEmpty()) {
            state.ready = true;
            queue(lane).ready.add(lane);
        }
    }

    /**
     * Returns the rows to publish now, for each queue. Each queue gets no more before {@link #returned} is called for it, and
     * each row ends in {@link #accepted}, {@link #unfit}, {@link #failed} or {@link #unsent}.
     */
    Map<String, List<OutboxRow>> next() {
        Map<String, List<OutboxRow>> batches = new LinkedHashMap<>();
        queues.forEach((name, queue) -> {
            List<OutboxRow> batch = queue.sending ? List.of() : batch(queue);
            if (!batch.isEmpty()) {
                queue.sending = true;
                batches.put(name, batch);
            }
        });
        return batches;
    }

    private List<OutboxRow> batch(QueueState queue) {
        List<OutboxRow> batch = new ArrayList<>();
        int window = queue.probing ? 1 : WINDOW;
        while (queue.inFlight < window && !queue.ready.isEmpty()) {
            Lane lane = queue.ready.remove();
            LaneState state = lanes.get(lane);
            if (state == null || !state.ready) {
                continue; // its rows were dropped
            }
            state.ready = false;
            OutboxRow row = state.rows.remove();
            state.inFlight = true;
            queue.inFlight++;
            inFlight.put(row.version(), row);
            if (row.problem() != null) {
                refused(row.version(), row.problem());
            } else {
                batch.add(row);
            }
        }
        return batch;
    }

    /** Notes that the call has returned that submitted a queue's last batch. */
    void returned(String queue) {
        queues.computeIfAbsent(queue, any -> new QueueState()).sending = false;
    }

    /** Notes that the broker has a row's task. */
    void accepted(Version id) {
        OutboxRow row = end(id);
        if (row != null) {
            settled.published.add(id);
            QueueState queue = queue(row.lane());
            queue.probing = false;
            queue.failures = 0;
            goOn(row.lane());
        }
    }

    /** Notes that a row can never be published. Its key goes on without it, or waits until somebody decides. */
    void refused(Version id, String reason) {
        OutboxRow row = end(id);
        if (row != null) {
            settled.refused.put(id, reason);
            if (haltWhenRefused && row.task().key() != null) {
                dropRows(state(row.lane()));
            }
            goOn(row.lane());
        }
    }

    private void goOn(Lane lane) {
        LaneState state = state(lane);
        state.failures = 0;
        makeReady(lane, state);
        forgetIfEmpty(lane, state);
    }

    /**
     * Notes that the client cannot publish a row as it is. Clients differ while a new version of an application is rolled out, so
     * the row is refused only after a grace.
     *
     * @return the row's bucket, if another relay is to try; -1 if not
     */
    int unfit(Version id, String reason, long now) {
        OutboxRow row = inFlight.get(id);
        if (row == null) {
            return -1;
        }
        if (row.unfitFor() >= grace) {
            refused(id, reason);
            return -1;
        }
        end(id);
        settled.unfit.put(id, reason);
        block(row.lane(), now);
        return row.bucket();
    }

    private void block(Lane lane, long now) {
        LaneState state = state(lane);
        dropRows(state);
        state.failures++;
        state.blockedUntil = now + backoff(state.failures, LANE_BACKOFF);
    }

    /** Notes that publishing a row failed. It is read again when its lane is not blocked any more. */
    void failed(Version id, String reason, long now) {
        OutboxRow row = end(id);
        if (row == null) {
            return;
        }
        settled.failed.put(id, reason);
        block(row.lane(), now);
        QueueState queue = queue(row.lane());
        if (!queue.probing) {
            queue.probing = true;
        } else if (queue.pausedUntil <= now) {
            queue.failures++;
            queue.pausedUntil = now + backoff(queue.failures, QUEUE_BACKOFF);
            dropUnsent(each -> each.task().queue().equals(row.task().queue()));
        }
    }

    /** Notes that a row was not handed to the client. It is read again. */
    void unsent(Version id) {
        OutboxRow row = end(id);
        if (row != null) {
            dropRows(state(row.lane()));
            forgetIfEmpty(row.lane(), state(row.lane()));
        }
    }

    private @Nullable OutboxRow end(Version id) {
        OutboxRow row = inFlight.remove(id);
        if (row != null) {
            state(row.lane()).inFlight = false;
            queue(row.lane()).inFlight--;
            forgotten(row);
        }
        return row;
    }

    private void forgotten(OutboxRow row) {
        queue(row.lane()).rows--;
        heldRows--;
        heldBytes -= row.bytes();
    }

    /** Forgets the rows of other buckets that are not in flight. */
    void keepBuckets(Set<Integer> buckets) {
        dropUnsent(row -> !buckets.contains(row.bucket()));
    }

    /** Forgets the rows of a bucket that are not in flight. */
    void dropBucket(int bucket) {
        dropUnsent(row -> row.bucket() == bucket);
    }

    /** Forgets all rows that are not in flight. */
    void dropUnsent() {
        dropUnsent(row -> true);
    }

    private void dropUnsent(Predicate<OutboxRow> which) {
        Iterator<Map.Entry<Lane, LaneState>> all = lanes.entrySet().iterator();
        while (all.hasNext()) {
            Map.Entry<Lane, LaneState> each = all.next();
            LaneState state = each.getValue();
            OutboxRow first = state.rows.peek();
            // Rows of one lane have one bucket and one queue.
            if (first != null && which.test(first)) {
                dropRows(state);
                if (!state.inFlight && state.failures == 0) {
                    all.remove();
                }
            }
        }
    }

    private void dropRows(LaneState state) {
        state.rows.forEach(this::forgotten);
        state.rows.clear();
        state.ready = false;
    }

    private void forgetIfEmpty(Lane lane, LaneState state) {
        if (state.rows.isEmpty() && !state.inFlight && state.failures == 0) {
            lanes.remove(lane);
        }
    }

    private static long backoff(int failures, long most) {
        return Math.min(FIRST_BACKOFF << Math.min(failures - 1, 20), most);
    }

    /** Returns what is to be recorded, and forgets it. To be recorded before the next read. */
    Settled takeSettled() {
        Settled taken = settled;
        settled = Settled.none();
        return taken;
    }

    int settledRows() {
        return settled.size();
    }

    /** Returns what the next read must leave out. */
    Exclusions exclusions(long now) {
        lanes.values().removeIf(each -> !each.inFlight && each.rows.isEmpty() && each.blockedUntil + FORGET < now);
        Set<String> waiting = new HashSet<>();
        queues.forEach((name, queue) -> {
            if (queue.pausedUntil > now || queue.rows >= QUEUE_ROWS) {
                waiting.add(name);
            }
        });
        List<Lane> keys = new ArrayList<>();
        List<Long> ids = new ArrayList<>();
        lanes.forEach((lane, state) -> {
            boolean out = state.inFlight || !state.rows.isEmpty() || state.blockedUntil > now;
            if (out && !waiting.contains(lane.queue())) {
                if (lane.key() != null) {
                    keys.add(lane);
                } else {
                    ids.add(lane.id());
                }
            }
        });
        return new Exclusions(List.copyOf(waiting), keys, ids);
    }

    /** Returns whether memory has room for another read. */
    boolean hasRoom() {
        return heldRows < ALL_ROWS && heldBytes < ALL_BYTES;
    }

    /** Returns how many rows are in memory. */
    int held() {
        return heldRows;
    }

    /** Returns the buckets of which rows are published and not acknowledged. */
    Set<Integer> busyBuckets() {
        Set<Integer> busy = new HashSet<>();
        inFlight.values().forEach(row -> busy.add(row.bucket()));
        return busy;
    }

    private QueueState queue(Lane lane) {
        return queues.computeIfAbsent(lane.queue(), any -> new QueueState());
    }

    private LaneState state(Lane lane) {
        return lanes.computeIfAbsent(lane, any -> new LaneState());
    }
}
