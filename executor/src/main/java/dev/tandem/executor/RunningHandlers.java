package dev.tandem.executor;

import dev.tandem.ordering.Run;
import java.util.Set;

/** The handlers of a queue that run in this process. Thread-safe. */
interface RunningHandlers {

    /** Returns the runs whose handlers run now. */
    Set<Run> running();

    /** Interrupts the handlers of these runs, whose tasks go back. A batch with one of them goes back as a whole. */
    void interrupt(Set<Run> runs);

    /** Cancels the tasks of these runs, and interrupts their handlers. */
    void cancel(Set<Run> runs);
}
