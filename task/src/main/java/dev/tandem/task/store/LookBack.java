package dev.tandem.task.store;

import java.util.List;

/**
 * A question about tasks of an earlier partition: whether those of certain keys that lie below an offset have ended.
 *
 * @param sourceId the log to which the offsets belong
 * @param asks the keys and offsets that are asked about
 * @param listBelow lists unsettled keys below this offset; -1 for none
 */
public record LookBack(String sourceId, List<Ask> asks, long listBelow) {

    /** The most asks of one question. */
    public static final int MAX_ASKS = 100;

    /** The most keys that are listed. */
    public static final int MAX_LISTED = 100;

    /**
     * @param key an ordering key
     * @param end the offset below which its tasks count
     */
    public record Ask(String key, long end) {}

    /** What is known of a key below an offset. */
    public enum State {
        /** Not all records below the offset are settled, so that some may be of the key. */
        UNREAD,
        /** A task of the key runs, or waits for an attempt, for an operator, or behind another one. */
        UNSETTLED,
        /** No task of the key below the offset is left, but delayed ones that are not due. */
        CLEAR
    }

    /**
     * What is known.
     *
     * @param storedCommit the offset below which all is settled; -1 if that is not known
     * @param states of the asks, in their order
     * @param listed keys with unsettled tasks below {@link LookBack#listBelow}
     * @param all whether there are no others
     */
    public record Answer(long storedCommit, List<State> states, List<String> listed, boolean all) {}
}
