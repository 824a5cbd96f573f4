package dev.tandem.kafka;

import java.util.List;

/**
 * The tasks of a key in a part of a log, and the bounds of that part.
 *
 * @param first the first offset that the broker still has
 * @param end the offset behind the last record
 * @param from the first offset that was looked at; as {@code to} if none was
 * @param to the offset behind the last one that was looked at
 * @param records how many records the part has, those of other keys included
 * @param bytes the bytes of their keys, values and headers
 * @param oldest when its first record was published, in epoch milliseconds; 0 if it has none
 * @param stop why it begins where it does
 * @param tasks those of the key, the latest first
 */
public record LogPart(
        long first,
        long end,
        long from,
        long to,
        long records,
        long bytes,
        long oldest,
        Stop stop,
        List<LoggedTask> tasks) {

    /** The reason why a part of a log begins where it does. */
    public enum Stop {
        /** The broker has no earlier records. */
        BEGINNING,
        /** Enough tasks: as many of the key were found as were asked for. */
        FOUND,
        RECORDS,
        BYTES,
        TIME
    }
}
