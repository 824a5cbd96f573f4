package dev.tandem.task;

import java.util.List;

/**
 * A log as its broker described it at one moment.
 *
 * @param sourceId tells logs of one name apart, as {@link Source.Facts#sourceId} does
 * @param partitions the count of its partitions
 * @param ends the offset behind the last record of each partition, {@link Source.Facts#NO_OFFSET} where it could not be told;
 *     empty if nobody asked for them
 */
public record LogEnds(String sourceId, int partitions, List<Long> ends) {

    public LogEnds {
        ends = List.copyOf(ends);
    }
}
