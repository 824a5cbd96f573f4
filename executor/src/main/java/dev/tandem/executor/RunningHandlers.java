package dev.tandem.executor;

import dev.tandem.ordering.Run;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The handlers of a queue that run in this process. Thread-safe. */
interface RunningHandlers {

    /** Returns the runs whose handlers run now. */
    Set<Run> running();

    /**
     * A run that has begun.
     *
     * @param startedMillis by the monotonic clock
     * @param worker the pull worker that has it; null if a thread of this process runs it
     */
    record Started(Run run, long startedMillis, @Nullable Worker worker) {}

    /** A pull worker. @param name may be empty @param untilMillis when its lease runs out, by the monotonic clock */
    record Worker(String name, long untilMillis) {}

    /** Returns the runs whose handlers run now, with when they began. */
    List<Started> started();

    /** Interrupts the handlers of these runs, whose tasks go back. A batch with one of them goes back as a whole. */
    void interrupt(Set<Run> runs);

    /** Interrupts all running handlers because the process ends. */
    void interruptAll();

    /**
     * Cancels the tasks with this id that handlers run.
     *
     * @param id the id that their handlers see, or their place: partition, slash, position
     * @return the places of those that were cancelled
     */
    List<String> cancel(String id);

    /** Cancels the tasks of these runs, and interrupts their handlers. */
    void cancel(Set<Run> runs);
}
