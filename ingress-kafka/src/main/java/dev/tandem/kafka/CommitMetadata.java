package dev.tandem.kafka;

import org.jspecify.annotations.Nullable;

/**
 * The text that Tandem commits beside an offset: the id of the topic, since an offset means nothing in another topic of
 * the same name; the {@link LeaderEpochs} of later records; and a mark if nothing is known to be settled before that
 * offset. Text written by others is ignored.
 */
final class CommitMetadata {

    private static final String PREFIX = "tandem:";
    private static final String EPOCHS_MARK = ":epochs=";
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

    /** @param epochs as of {@link LeaderEpochs#textFrom} */
    static String of(String topicId, String epochs, boolean start) {
        return PREFIX + topicId + (epochs.isEmpty() ? "" : EPOCHS_MARK + epochs) + (start ? START_MARK : "");
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
        int epochs = metadata.indexOf(EPOCHS_MARK);
        int end = epochs >= 0 ? epochs : withoutStartMark(metadata);
        return metadata.substring(PREFIX.length(), Math.max(end, PREFIX.length()));
    }

    /** Returns the epochs; empty if there are none, or the text is not Tandem's. */
    static String epochs(String metadata) {
        int epochs = metadata.startsWith(PREFIX) ? metadata.indexOf(EPOCHS_MARK) : -1;
        return epochs < 0 ? "" : metadata.substring(epochs + EPOCHS_MARK.length(), withoutStartMark(metadata));
    }

    private static int withoutStartMark(String metadata) {
        return metadata.endsWith(START_MARK) ? metadata.length() - START_MARK.length() : metadata.length();
    }
}
