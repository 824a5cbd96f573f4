package dev.tandem.server.api;

import dev.tandem.runtime.masking.Echoes;
import dev.tandem.runtime.settings.QueueSettings;
import dev.tandem.task.store.DeadGroup;
import dev.tandem.task.store.DeadGroups;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** How the API shows the dead tasks of a queue by type and error. */
public final class DeadGroupViews {

    private DeadGroupViews() {}

    /**
     * The groups.
     *
     * @param dead how many tasks of the queue are dead
     * @param ungrouped how many of them are in no group, since they died under an earlier version
     * @param partial whether groups may be left out, or those that are shown may have more tasks; null if not
     * @param groups those with the most tasks first
     */
    public record Groups(
            long dead, long ungrouped, @Nullable Boolean partial, List<Group> groups) {}

    /**
     * Dead tasks with the same type and, as far as that can be told, the same error.
     *
     * @param fingerprint tells the group; {@code other} for the tasks beyond the most groups of a partition
     * @param type the type as it is shown; null for {@code other}, and if the tasks have none
     * @param error the first line of the last error; null for {@code other}, and if the tasks have none
     * @param count how many tasks it has
     * @param halting how many of them halt their keys
     * @param firstDied when the first one died since the group exists
     * @param lastDied when the last one died
     */
    public record Group(
            String fingerprint,
            @Nullable String type,
            @Nullable String error,
            long count,
            long halting,
            Instant firstDied,
            Instant lastDied) {

        static Group of(QueueSettings settings, DeadGroup group) {
            boolean other = group.fingerprint().equals(DeadGroup.OTHER);
            return new Group(
                    group.fingerprint(),
                    other || group.type() != null ? group.type() : settings.handler(),
                    // The payload is not known here, so that all of the error is hidden where payloads are masked.
                    group.error().isEmpty()
                            ? null
                            : Echoes.of(settings.mask(), () -> null).hide(group.error()),
                    group.count(),
                    group.halting(),
                    Instant.ofEpochMilli(group.firstDied()),
                    Instant.ofEpochMilli(group.lastDied()));
        }

        /** Returns whether its tasks are those beyond the most groups, which no change can choose. */
        public boolean hasAllOthers() {
            return fingerprint.equals(DeadGroup.OTHER);
        }
    }

    /**
     * The groups of all queues.
     *
     * @param dead how many tasks of them are dead, as far as that is known
     * @param ungrouped how many of them are in no group, since they died under an earlier version
     * @param partial whether groups are left out or not known, or those that are shown may have more tasks; null if not
     * @param groups those with the most tasks first
     * @param unread queues with dead tasks whose groups were not read, with how many are dead; null if there are none
     * @param unknown queues of which Redis does not tell how many tasks are dead; null if there are none
     */
    public record AllGroups(
            long dead,
            long ungrouped,
            @Nullable Boolean partial,
            List<GroupOfQueue> groups,
            @Nullable Map<String, Long> unread,
            @Nullable List<String> unknown) {}

    /** The same as {@link Group}, with the queue. */
    public record GroupOfQueue(
            String queue,
            String fingerprint,
            @Nullable String type,
            @Nullable String error,
            long count,
            long halting,
            Instant firstDied,
            Instant lastDied) {

        /** Returns the group without its queue. */
        public Group group() {
            return new Group(fingerprint, type, error, count, halting, firstDied, lastDied);
        }

        static GroupOfQueue of(String queue, Group group) {
            return new GroupOfQueue(
                    queue,
                    group.fingerprint(),
                    group.type(),
                    group.error(),
                    group.count(),
                    group.halting(),
                    group.firstDied(),
                    group.lastDied());
        }
    }

    static Groups of(QueueSettings settings, DeadGroups groups) {
        return new Groups(
                groups.dead(),
                groups.ungrouped(),
                groups.partial() ? true : null,
                groups.groups().stream().map(group -> Group.of(settings, group)).toList());
    }
}
