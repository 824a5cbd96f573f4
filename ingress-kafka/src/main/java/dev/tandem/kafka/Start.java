package dev.tandem.kafka;

import org.jspecify.annotations.Nullable;

/**
 * Where reading of a partition starts, decided from what the broker says. Nothing is skipped silently: where offsets
 * are gone, the log's start is taken and a warning says how many.
 *
 * @param offset the first offset to read
 * @param committed the committed offset as the platform is to see it; {@code offset} where there is none of this log
 * @param pin whether {@code offset} must be committed, so that the decision outlives this process
 * @param warning null, or what people must know
 */
record Start(
        long offset, long committed, boolean pin, @Nullable String warning) {

    private static final String METADATA = "tandem:";

    /**
     * @param truncated the broker refused to read at the committed offset although the log starts before it: the log
     *     was cut, and what is in it now may be new
     */
    static Start of(String partition, Found found, boolean truncated) {
        long logStart = found.logStart();
        if (found.committed() < 0) {
            return new Start(logStart, logStart, true, null);
        }
        String other = ofOtherTopic(found);
        if (other != null) {
            return new Start(
                    logStart,
                    logStart,
                    true,
                    "partition " + partition + ": the committed offset " + found.committed() + " belongs to a former"
                            + " topic of this name (id " + other + ", now " + found.topicId()
                            + "): starting at the log's start " + logStart);
        }
        if (truncated) {
            return new Start(
                    logStart,
                    logStart,
                    true,
                    "partition " + partition + ": the log ends before the committed offset " + found.committed()
                            + ", it was cut: starting at the log's start " + logStart
                            + ", tasks that ended before may run again");
        }
        if (found.committed() < logStart) {
            return new Start(
                    logStart,
                    found.committed(),
                    false,
                    "partition " + partition + ": offsets " + found.committed() + " to " + (logStart - 1) + " ("
                            + (logStart - found.committed())
                            + ") were deleted before they were read: starting at the log's start " + logStart
                            + "; raise the topic's retention");
        }
        return new Start(found.committed(), found.committed(), false, null);
    }

    /** What is committed beside an offset: the topic's id, since an offset means nothing to another topic. */
    static String metadata(String topicId) {
        return METADATA + topicId;
    }

    private static @Nullable String ofOtherTopic(Found found) {
        String text = found.metadata();
        if (!text.startsWith(METADATA) || text.equals(metadata(found.topicId()))) {
            return null;
        }
        return text.substring(METADATA.length());
    }

    /**
     * What the broker says of a partition.
     *
     * @param committed -1: none
     * @param metadata what stands beside the committed offset; not to be trusted
     */
    record Found(String topicId, long committed, String metadata, long logStart) {}
}
