package dev.tandem.kafka;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * The leader epochs of a partition's records: from which offset on, a leader of which epoch wrote them. Kafka never
 * gives two records the same offset and epoch, so another epoch at an offset that is known says that the log was cut.
 * Used by the polling thread only.
 */
final class LeaderEpochs {

    /** Stands for an epoch that is not known. */
    static final int UNKNOWN = -1;

    /** More changes of the leader than that before a commit are not remembered. */
    private static final int MAX_TEXT_ENTRIES = 16;

    private static final Pattern ENTRY = Pattern.compile("([0-9]{1,9})@([0-9]{1,18})");

    private final TreeMap<Long, Integer> starts = new TreeMap<>();
    private long unconfirmedFrom = Long.MAX_VALUE;

    /**
     * Begins with what was committed.
     *
     * @param epoch of the record before the committed offset
     * @param later the later epochs, as {@link #textFrom} gave them
     */
    void committed(long offset, Optional<Integer> epoch, String later) {
        starts.clear();
        unconfirmedFrom = Long.MAX_VALUE;
        if (offset > 0 && epoch.isPresent()) {
            starts.put(offset - 1, epoch.get());
        }
        Matcher entries = ENTRY.matcher(later);
        while (entries.find()) {
            starts.put(Long.parseLong(entries.group(2)), Integer.parseInt(entries.group(1)));
        }
    }

    /** Whether no epoch is known at all. */
    boolean isEmpty() {
        return starts.isEmpty();
    }

    /**
     * Returns from where on other records are at the offsets of those that were read earlier; {@link
     * PartitionAssignment#NO_OFFSET} if nothing says so. Only a newer leader says so: without one, less was committed than
     * had been read.
     *
     * @param former the epochs as they were known then
     */
    long replacedFrom(LeaderEpochs former) {
        int newest = starts.isEmpty() ? UNKNOWN : starts.lastEntry().getValue();
        TreeSet<Long> offsets = new TreeSet<>(starts.keySet());
        offsets.addAll(former.starts.keySet());
        for (long offset : offsets) {
            int was = former.at(offset);
            int is = at(offset);
            if (was != UNKNOWN && is != UNKNOWN && is != was && newest > was) {
                return offset;
            }
        }
        return PartitionAssignment.NO_OFFSET;
    }

    /** Adds what was read earlier, of newer leaders than are known here. */
    void addNewerOf(LeaderEpochs former) {
        long end = starts.isEmpty() ? PartitionAssignment.NO_OFFSET : starts.lastKey();
        int newest = starts.isEmpty() ? UNKNOWN : starts.lastEntry().getValue();
        former.starts.tailMap(end, false).forEach((offset, epoch) -> {
            if (epoch > newest) {
                starts.put(offset, epoch);
            }
        });
    }

    /** Returns the epoch of the record at this offset, if there is one there. */
    int at(long offset) {
        Map.Entry<Long, Integer> start = starts.floorEntry(offset);
        return start == null ? UNKNOWN : start.getValue();
    }

    /** Returns the epoch of the record before this offset, which Kafka wants beside the offset. */
    Optional<Integer> before(long offset) {
        int epoch = at(offset - 1);
        return epoch == UNKNOWN ? Optional.empty() : Optional.of(epoch);
    }

    /** Whether both records, and all between them, have the epoch that is known at their offsets. */
    boolean knows(ConsumerRecord<?, ?> first, ConsumerRecord<?, ?> last) {
        int epoch = of(first);
        return epoch == of(last) && epoch == at(first.offset()) && epoch == at(last.offset());
    }

    static int of(ConsumerRecord<?, ?> message) {
        return message.leaderEpoch().orElse(UNKNOWN);
    }

    /** An epoch begins. What was known of later offsets is void. */
    void begins(long offset, int epoch) {
        starts.tailMap(offset, true).clear();
        starts.put(offset, epoch);
    }

    /** The log was cut: nothing is known from this offset on. Not told to others before {@link #confirm}. */
    void cut(long offset) {
        starts.tailMap(offset, true).clear();
        unconfirmedFrom = Math.min(unconfirmedFrom, offset);
    }

    /** The store durably knows of the cut. Returns whether there was one. */
    boolean confirm() {
        boolean unconfirmed = unconfirmedFrom != Long.MAX_VALUE;
        unconfirmedFrom = Long.MAX_VALUE;
        return unconfirmed;
    }

    /** Returns the epochs that begin at or above a committed offset, to be committed beside it. */
    String textFrom(long committed) {
        starts.headMap(Math.max(0, committed - 1), false)
                .keySet()
                .removeIf(offset -> !offset.equals(starts.floorKey(committed - 1)));
        StringBuilder text = new StringBuilder();
        int count = 0;
        for (Map.Entry<Long, Integer> start : starts.tailMap(committed, true).entrySet()) {
            if (start.getKey() < unconfirmedFrom && count++ < MAX_TEXT_ENTRIES) {
                text.append(count == 1 ? "" : ",")
                        .append(start.getValue())
                        .append('@')
                        .append(start.getKey());
            }
        }
        return text.toString();
    }
}
