package dev.tandem.kafka;

import org.jspecify.annotations.Nullable;

/**
 * Where reading of a partition starts, decided from what the broker says. Nothing is skipped silently: where offsets
 * are gone, the log's start is taken and a warning says how many.
 *
 * <p>While nothing is settled the start itself is committed, marked as such. So what is deleted later is noticed, and
 * still it is told from an offset up to which all is settled: a group whose offsets the broker forgot (it does after a
 * week without members) must not look like one that an operator moved back.
 *
 * @param offset the first offset to read
 * @param committed up to where all is settled, by the broker; -1: nothing is known
 * @param pin whether the start must be committed, so that the decision outlives this process
 * @param warning null, or what people must know
 */
record Start(
        long offset, long committed, boolean pin, @Nullable String warning) {

    private static final String METADATA = "tandem:";
    private static final String MARK = ":start";

    /**
     * @param truncated the broker refused to read at the committed offset although the log starts before it: the log
     *     was cut, and what is in it now may be new
     */
    static Start of(String partition, Found found, boolean truncated) {
        long offset = found.offset();
        long logStart = found.logStart();
        if (offset < 0) {
            return new Start(logStart, -1, true, null);
        }
        String topic = topicOf(found.metadata());
        if (!counts(found.metadata(), found.topicId())) {
            return new Start(
                    logStart,
                    -1,
                    true,
                    "partition " + partition + ": the committed offset " + offset + " belongs to a former topic of this"
                            + " name (id " + topic + ", now " + found.topicId() + "): starting at the log's start "
                            + logStart);
        }
        boolean marked = topic != null && found.metadata().endsWith(MARK);
        if (truncated) {
            return new Start(
                    logStart,
                    logStart,
                    true,
                    "partition " + partition + ": the log ends before the committed offset " + offset
                            + ", it was cut: starting at the log's start " + logStart
                            + ", tasks that ended before may run again");
        }
        if (offset < logStart) {
            return new Start(
                    logStart,
                    marked ? -1 : offset,
                    marked,
                    "partition " + partition + ": offsets " + offset + " to " + (logStart - 1) + " ("
                            + (logStart - offset)
                            + ") were deleted before they were read: starting at the log's start " + logStart
                            + "; raise the topic's retention");
        }
        return new Start(offset, marked ? -1 : offset, false, null);
    }

    /** Whether an offset with this beside it is one of the topic with this id: anybody's, but for those of a former topic. */
    static boolean counts(String metadata, String topicId) {
        String topic = topicOf(metadata);
        return topic == null || topic.equals(topicId);
    }

    /** What is committed beside an offset: the topic's id, since an offset means nothing to another topic. */
    static String metadata(String topicId) {
        return METADATA + topicId;
    }

    /** The same beside a start, up to which nothing is known to be settled. */
    static String startMetadata(String topicId) {
        return METADATA + topicId + MARK;
    }

    /** Null if somebody else committed. */
    private static @Nullable String topicOf(String metadata) {
        if (!metadata.startsWith(METADATA)) {
            return null;
        }
        int end = metadata.endsWith(MARK) ? metadata.length() - MARK.length() : metadata.length();
        return metadata.substring(METADATA.length(), Math.max(end, METADATA.length()));
    }

    /**
     * What the broker says of a partition.
     *
     * @param offset the committed one; -1: none
     * @param metadata what stands beside it; not to be trusted
     */
    record Found(String topicId, long offset, String metadata, long logStart) {}
}
