package dev.tandem.kafka;

import org.jspecify.annotations.Nullable;

/**
 * The text that Tandem commits beside an offset: the id of the topic, since an offset means nothing in another topic of
 * the same name, and a mark if nothing is known to be settled before that offset. Text written by others is ignored.
 */
final class CommitMetadata {

    private static final String PREFIX = "tandem:";
    private static final String START_MARK = ":start";

    private CommitMetadata() {}

    /** Returns the text for an offset below which all is settled. */
    static String settled(String topicId) {
        return PREFIX + topicId;
    }

    /** Returns the text for the offset where reading starts while nothing is settled. */
    static String start(String topicId) {
        return PREFIX + topicId + START_MARK;
    }

    /** Whether Tandem committed the offset only as a start. */
    static boolean isStart(String metadata) {
        return topicId(metadata) != null && metadata.endsWith(START_MARK);
    }

    /** Whether an offset with this metadata may be used for the topic. False only if Tandem named another topic. */
    static boolean belongsToTopic(String metadata, String topicId) {
        String named = topicId(metadata);
        return named == null || named.equals(topicId);
    }

    /** Returns the topic's id; null if the text is not Tandem's. */
    static @Nullable String topicId(String metadata) {
        if (!metadata.startsWith(PREFIX)) {
            return null;
        }
        int end = metadata.endsWith(START_MARK) ? metadata.length() - START_MARK.length() : metadata.length();
        return metadata.substring(PREFIX.length(), Math.max(end, PREFIX.length()));
    }
}
