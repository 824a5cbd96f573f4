package dev.tandem.task.store;

import dev.tandem.task.ErrorFingerprint;
import org.jspecify.annotations.Nullable;

/**
 * Dead tasks of one type and one error.
 *
 * @param fingerprint what tells the group, see {@link ErrorFingerprint}; {@link #OTHER} for those beyond the most groups of a
 *     partition, whose types and errors differ
 * @param type null if its tasks name none
 * @param error the first line of the last error
 * @param count how many tasks it has
 * @param halting how many of them halt their keys
 * @param firstDied when the first task died since the group exists, in epoch milliseconds
 * @param lastDied when the last one died
 */
public record DeadGroup(
        String fingerprint,
        @Nullable String type,
        String error,
        long count,
        long halting,
        long firstDied,
        long lastDied) {

    /** The fingerprint of the group of tasks beyond the most groups. */
    public static final String OTHER = "other";

    /** Returns this group and the same one of another partition. The error is that of the later death. */
    public DeadGroup and(DeadGroup same) {
        return new DeadGroup(
                fingerprint,
                type,
                lastDied >= same.lastDied ? error : same.error,
                count + same.count,
                halting + same.halting,
                Math.min(firstDied, same.firstDied),
                Math.max(lastDied, same.lastDied));
    }
}
