package dev.tandem.server.api;

import dev.tandem.runtime.settings.QueueSettings;
import dev.tandem.server.inspect.Inspection;
import dev.tandem.task.store.DeadGroups;
import java.util.List;

/** Reads the dead tasks of a queue by type and error, for the API and the console. Thread-safe. */
public final class DeadGroupReader {

    private final ConfiguredQueues queues;
    private final Inspection inspection;
    private final SharedDeadGroups shared;

    DeadGroupReader(ConfiguredQueues queues, Inspection inspection) {
        this.queues = queues;
        this.inspection = inspection;
        this.shared = new SharedDeadGroups(inspection::deadGroups, System::nanoTime);
    }

    /** Returns the groups of all queues, which all who look at them share. */
    public SharedDeadGroups shared() {
        return shared;
    }

    /**
     * Returns the groups with the most tasks. Of many partitions with many groups, some are not read.
     *
     * @param limit how many at most
     * @throws ApiException if there is no such queue, or the limit is wrong
     */
    public DeadGroupViews.Groups read(String queue, int limit) {
        QueueSettings settings = queues.get(queue);
        int most = TaskReader.bounded(limit);
        DeadGroups groups = shared.of(queue, inspection.partitions(queue));
        return DeadGroupViews.of(settings, DeadGroups.sum(List.of(groups), most));
    }

    /**
     * Returns those groups of a queue for people that have the most tasks.
     *
     * @param queue one of this server's settings
     * @param limit how many at most
     */
    public DeadGroupViews.Groups view(String queue, DeadGroups groups, int limit) {
        return DeadGroupViews.of(queues.get(queue), DeadGroups.sum(List.of(groups), limit));
    }
}
