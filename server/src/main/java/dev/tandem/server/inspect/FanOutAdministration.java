package dev.tandem.server.inspect;

import dev.tandem.task.fanout.FanOutAnswer;
import dev.tandem.task.fanout.FanOutRecord;
import java.util.List;
import java.util.Optional;

/** Port: shows, cancels and ends the fan-outs of all programs. Thread-safe. All methods may throw {@link UnavailableException}. */
public interface FanOutAdministration {

    /**
     * Returns a page of fan-outs, those that began or ended last first.
     *
     * @param ended those that have ended, or those that have not
     * @param after the last one of the page before; "" for the first page
     */
    Page<FanOutRecord> list(boolean ended, int limit, String after);

    /** Returns what is known of a fan-out. */
    Optional<FanOutRecord> find(String id);

    /**
     * Returns whether a fan-out of a master is kept, whatever its name.
     *
     * @param masterHash identifies the master: the id of its fan-out without a name
     */
    boolean hasFanOutOf(String masterHash);

    /** Keeps subtasks from running that have not begun, also those of the fan-outs that subtasks have begun. */
    FanOutAnswer.Code cancel(String id, String why);

    /** Gives up all subtasks that have not ended: nobody waits for them any more. */
    FanOutAnswer.Code end(String id, String why);

    /** Returns the numbers of the first subtasks that have not ended, by their bits. */
    List<Long> missing(String id, int limit);
}
