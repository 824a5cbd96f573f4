package dev.tandem.server.inspect;

import dev.tandem.task.BusinessId;
import dev.tandem.task.TaskDependencies;
import java.util.List;

/** Port: reads which tasks wait for which others. Thread-safe. All methods may throw {@link UnavailableException}. */
public interface Dependencies {

    /** Returns what is known of the tasks that a task of a queue waits for, in their order. */
    List<DependencyInfo> of(String queue, TaskRef ref, TaskDependencies its);

    /** Returns some of the tasks that wait for the one with an id, in no order. */
    List<DependentInfo> dependentsOf(BusinessId id);
}
