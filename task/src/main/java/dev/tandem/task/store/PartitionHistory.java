package dev.tandem.task.store;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.stream.Collectors;

/**
 * The counts of partitions that the log of a queue had, as long as keys may have tasks in the partitions of an earlier count.
 * A store keeps it for each queue. Immutable.
 *
 * @param sourceId the log, by an id that changes if it is made anew
 * @param partitions the count now
 * @param growths the changes to more partitions that are under way, the oldest first
 */
public record PartitionHistory(String sourceId, int partitions, List<Growth> growths) {

    /** The most growths that are kept. */
    public static final int MAX_GROWTHS = 8;

    private static final String VERSION = "1";

    /**
     * A change to more partitions.
     *
     * @param from the count before
     * @param since when it was noticed, in epoch milliseconds by the clock of the store; 0 if it begins with this history
     * @param openUntil until when publishers may still use the count before, by the same clock; if it begins with this history,
     *     the time for which they may
     * @param ends the ends of the partitions before, taken after that time: the offsets behind their last records. Empty while
     *     it is open
     */
    public record Growth(int from, long since, long openUntil, List<Long> ends) {

        public Growth {
            if (from < 1 || !ends.isEmpty() && ends.size() != from) {
                throw new IllegalArgumentException(
                        "A growth from " + from + " partitions has " + ends.size() + " ends");
            }
            ends = List.copyOf(ends);
        }

        /** Returns whether the ends are not known yet. */
        public boolean isOpen() {
            return ends.isEmpty();
        }
    }

    /**
     * An earlier partition of a key. Tasks of the key in it run first, if they lie below the growth's end.
     *
     * @param growth the change that moved the key away from there
     * @param partition the number of the earlier partition
     */
    public record Earlier(Growth growth, int partition) {}

    public PartitionHistory {
        growths = List.copyOf(growths);
    }

    /** Returns the history of a log of which nothing was known. */
    public static PartitionHistory first(String sourceId, int partitions) {
        return new PartitionHistory(sourceId, partitions, List.of());
    }

    /** Returns this history with a change to more partitions that begins when it is stored. @param windowMillis how long it is open */
    public PartitionHistory growing(int to, long windowMillis) {
        return grown(to, 0, windowMillis);
    }

    /** Returns whether a change begins when this history is stored, so that its times are not known yet. */
    public boolean begins() {
        return growths.stream().anyMatch(each -> each.since() == 0);
    }

    /** Returns this history with the times of changes that begin now. */
    public PartitionHistory begun(long now) {
        return new PartitionHistory(
                sourceId,
                partitions,
                growths.stream()
                        .map(each -> each.since() == 0
                                ? new Growth(each.from(), now, now + each.openUntil(), each.ends())
                                : each)
                        .toList());
    }

    /** Returns this history with a change to more partitions. Of too many changes, the oldest is forgotten. */
    public PartitionHistory grown(int to, long since, long openUntil) {
        List<Growth> next = new ArrayList<>(growths);
        if (next.size() >= MAX_GROWTHS) {
            next.remove(0);
        }
        next.add(new Growth(partitions, since, openUntil, List.of()));
        return new PartitionHistory(sourceId, to, next);
    }

    /** Returns this history with the ends of a growth. @param all the ends of all partitions, in their order */
    public PartitionHistory closed(Growth growth, List<Long> all) {
        Growth closed = new Growth(growth.from(), growth.since(), growth.openUntil(), all.subList(0, growth.from()));
        return new PartitionHistory(
                sourceId,
                partitions,
                growths.stream()
                        .map(each -> each.equals(growth) ? closed : each)
                        .toList());
    }

    /** Returns this history without a growth whose partitions are settled up to their ends. */
    public PartitionHistory without(Growth growth) {
        return new PartitionHistory(
                sourceId,
                partitions,
                growths.stream().filter(each -> !each.equals(growth)).toList());
    }

    /**
     * Returns whether a key is in one partition by some counts and in another by others.
     *
     * @param placement returns the partition of the key for a count
     */
    public boolean moves(IntUnaryOperator placement) {
        int now = placement.applyAsInt(partitions);
        return growths.stream().anyMatch(each -> placement.applyAsInt(each.from()) != now);
    }

    /** Returns whether a publisher that knows one of these counts puts a task there. */
    public boolean knowsPlace(IntUnaryOperator placement, int partition, long offset) {
        return countOf(placement, partition, offset) < growths.size() || placement.applyAsInt(partitions) == partition;
    }

    /**
     * Returns the partitions in which earlier tasks of a key may lie, for a task of the key.
     *
     * @param placement returns the partition of the key for a count
     * @param partition the number of the task's partition
     * @param offset the task's offset in it
     */
    public List<Earlier> earlier(IntUnaryOperator placement, int partition, long offset) {
        if (!knowsPlace(placement, partition, offset)) {
            return List.of(); // Its publisher chooses partitions in another way.
        }
        int count = countOf(placement, partition, offset);
        List<Earlier> earlier = new ArrayList<>(2);
        for (Growth growth : growths.subList(0, count)) {
            int before = placement.applyAsInt(growth.from());
            if (before != partition) {
                earlier.add(new Earlier(growth, before));
            }
        }
        return earlier;
    }

    /** Returns under which count a task was published: the number of the growth that ended it, or of growths for the last. */
    private int countOf(IntUnaryOperator placement, int partition, long offset) {
        for (int i = 0; i < growths.size(); i++) {
            Growth growth = growths.get(i);
            if (placement.applyAsInt(growth.from()) == partition
                    && (growth.isOpen() || offset < growth.ends().get(partition))) {
                return i;
            }
        }
        return growths.size();
    }

    /** Returns the form in which a store keeps it. */
    public String encode() {
        StringBuilder text = new StringBuilder();
        text.append(VERSION).append(' ').append(partitions).append(' ').append(sourceId);
        for (Growth each : growths) {
            text.append('\n')
                    .append(each.from())
                    .append(' ')
                    .append(each.since())
                    .append(' ')
                    .append(each.openUntil())
                    .append(' ')
                    .append(each.ends().stream().map(String::valueOf).collect(Collectors.joining(",")));
        }
        return text.toString();
    }

    /** @throws IllegalArgumentException if a store holds something else */
    public static PartitionHistory decode(String text) {
        try {
            String[] lines = text.split("\n", -1);
            String[] first = lines[0].split(" ", 3);
            if (!first[0].equals(VERSION)) {
                throw new IllegalArgumentException("version " + first[0]);
            }
            List<Growth> growths = new ArrayList<>();
            for (int i = 1; i < lines.length; i++) {
                String[] parts = lines[i].split(" ", 4);
                List<Long> ends = new ArrayList<>();
                for (String end : parts[3].isEmpty() ? new String[0] : parts[3].split(",", -1)) {
                    ends.add(Long.valueOf(end));
                }
                growths.add(new Growth(
                        Integer.parseInt(parts[0]), Long.parseLong(parts[1]), Long.parseLong(parts[2]), ends));
            }
            return new PartitionHistory(first[2], Integer.parseInt(first[1]), growths);
        } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "The history of a queue's partitions cannot be read, perhaps since a later version wrote it: upgrade"
                            + " this program",
                    e);
        }
    }
}
