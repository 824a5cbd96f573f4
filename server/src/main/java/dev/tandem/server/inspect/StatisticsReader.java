package dev.tandem.server.inspect;

import dev.tandem.task.statistics.QueueStatistics;
import dev.tandem.task.statistics.StatisticsStep;
import java.util.Collection;
import java.util.Map;
import java.util.stream.Collectors;

/** Port: reads the statistics of queues. Thread-safe. */
public interface StatisticsReader {

    /**
     * Returns the latest points of a queue; none if nothing is known of it.
     *
     * @param kept the length of the points that are read
     * @param stepMinutes the length of the points that are returned, a multiple of those
     * @param count how many are returned at most
     * @throws UnavailableException if they cannot be read now
     */
    QueueStatistics read(String queue, StatisticsStep kept, int stepMinutes, int count);

    /**
     * Returns the latest minutes of several queues, by queue.
     *
     * @throws UnavailableException if they cannot be read now
     */
    default Map<String, QueueStatistics> minutes(Collection<String> queues, int count) {
        return queues.stream()
                .distinct()
                .collect(Collectors.toMap(
                        queue -> queue,
                        queue -> read(queue, StatisticsStep.MINUTE, StatisticsStep.MINUTE.minutes(), count)));
    }
}
