package dev.tandem.server.api;

import dev.tandem.runtime.settings.QueueSettings;
import dev.tandem.server.inspect.Inspection;
import dev.tandem.task.store.DeadGroups;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

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
     * Returns those groups of all queues that have the most tasks. Of very many queues or partitions, not all are read.
     *
     * @param all the queues with their partitions
     * @param limit how many at most
     * @throws ApiException if the limit is wrong
     */
    DeadGroupViews.AllGroups readAll(List<Views.Queue> all, int limit) {
        return readAll(all, shared.following(), TaskReader.bounded(limit));
    }

    /**
     * Returns the same for a page that follows them.
     *
     * @param reader reads the groups of queues, as {@link SharedDeadGroups#following()}
     */
    public DeadGroupViews.AllGroups readAll(
            List<Views.Queue> all, Function<Collection<Views.Queue>, Map<String, DeadGroups>> reader, int most) {
        Map<String, DeadGroupViews.Groups> read = new LinkedHashMap<>();
        reader.apply(all).forEach((queue, groups) -> read.put(queue, view(queue, groups, most)));
        List<DeadGroupViews.GroupOfQueue> groups = read.entrySet().stream()
                .flatMap(queue -> queue.getValue().groups().stream()
                        .map(group -> DeadGroupViews.GroupOfQueue.of(queue.getKey(), group)))
                .sorted(Comparator.comparingLong(DeadGroupViews.GroupOfQueue::count)
                        .reversed())
                .toList();
        Map<String, Long> unread = new LinkedHashMap<>();
        List<String> unknown = new ArrayList<>();
        for (Views.Queue queue : all) {
            if (queue.counts() == null) {
                unknown.add(queue.name());
            } else if (SharedDeadGroups.dead(queue) > 0 && !read.containsKey(queue.name())) {
                unread.put(queue.name(), SharedDeadGroups.dead(queue));
            }
        }
        boolean partial = groups.size() > most
                || !unread.isEmpty()
                || !unknown.isEmpty()
                || read.values().stream().anyMatch(each -> Boolean.TRUE.equals(each.partial()));
        return new DeadGroupViews.AllGroups(
                all.stream().mapToLong(SharedDeadGroups::dead).sum(),
                read.values().stream()
                        .mapToLong(DeadGroupViews.Groups::ungrouped)
                        .sum(),
                partial ? true : null,
                groups.subList(0, Math.min(most, groups.size())),
                unread.isEmpty() ? null : unread,
                unknown.isEmpty() ? null : unknown);
    }

    private DeadGroupViews.Groups view(String queue, DeadGroups groups, int limit) {
        return DeadGroupViews.of(queues.get(queue), DeadGroups.sum(List.of(groups), limit));
    }
}
