package dev.tandem.server.archive;

import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Port: searches the ends of tasks, and tells how the archive is. Thread-safe. */
public interface Archive {

    /**
     * Which outcomes are searched for. Null means any.
     *
     * @param queues in which they are; at least one
     * @param kinds their kinds, as events call them; at least one
     * @param from the earliest time
     * @param until the time before which they are
     */
    record Search(
            List<String> queues,
            Set<String> kinds,
            @Nullable String id,
            @Nullable String key,
            @Nullable String type,
            Instant from,
            Instant until) {}

    /** @param next the place of the next page; null if this is the last one */
    record Found(List<ArchivedOutcome> outcomes, @Nullable String next) {}

    /**
     * How the archive is, as this server sees it.
     *
     * @param problem why events are not stored now; null if they are, or there are none
     * @param lagSeconds how old the oldest event is that is read and not stored; 0 if none is. Before there are tables: for how long events
     *     have waited
     * @param waiting events that wait in the brokers to be read by this server, as it last saw
     * @param stored outcomes that this server has stored
     * @param repeated events that came again
     * @param refused events that cannot be stored: they are no events of Tandem, or are too old
     * @param lost events that a broker removed before they were read
     */
    record Status(
            @Nullable String problem,
            double lagSeconds,
            long waiting,
            long stored,
            long repeated,
            long refused,
            long lost) {}

    /** Returns whether the settings have an archive. Without one, nothing else may be called but {@link #status}. */
    boolean enabled();

    /**
     * Returns a page of outcomes, the latest first.
     *
     * @param after the {@link Found#next} of the page before; null for the first page
     * @throws IllegalArgumentException if no page has it
     * @throws dev.tandem.server.inspect.UnavailableException if PostgreSQL cannot be reached
     * @throws SlowSearchException if it took too long
     * @throws BusySearchException if too many others search
     */
    Found search(Search search, @Nullable String after, int max);

    /**
     * Returns the outcomes of the runs of all tasks with an id, or of one task by its place, the earliest first.
     *
     * @param max the most that are returned: the latest
     */
    List<ArchivedOutcome> ofTask(String queue, String idOrRef, int max);

    Status status();

    /** Thrown when a search took longer than its timeout. */
    final class SlowSearchException extends RuntimeException {
        public SlowSearchException(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /** Thrown when a search did not begin, because too many others run. */
    final class BusySearchException extends RuntimeException {
        public BusySearchException(String message) {
            super(message);
        }
    }
}
