package dev.tandem.server.console;

import dev.tandem.server.access.Caller;
import dev.tandem.server.access.Needs;
import dev.tandem.server.access.Permission;
import dev.tandem.server.api.Callers;
import dev.tandem.server.api.DeadGroupReader;
import dev.tandem.server.api.DeadGroupViews.Groups;
import dev.tandem.server.api.SharedDeadGroups;
import dev.tandem.server.api.Views;
import dev.tandem.server.console.QueueSnapshots.Snapshot;
import dev.tandem.task.store.DeadGroups;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;

/** Shows the dead tasks by type and error: those of a queue, and those of all queues that the caller may see. */
@Controller
@Needs(Permission.VIEW)
final class DeadPageController {

    /** The most groups that a page shows. */
    static final int LIMIT = 100;

    /** The content of the page of a queue. */
    record Content(String queue, Groups groups) {

        List<DeadRow> rows() {
            return groups.groups().stream()
                    .map(group -> new DeadRow(queue, group))
                    .toList();
        }
    }

    /**
     * The content of the page of all queues.
     *
     * @param dead how many tasks of all these queues are dead, as far as that is known
     * @param ungrouped how many of them are in no group
     * @param partial whether groups are left out of queues that were read
     * @param others queues with dead tasks that were not read
     * @param unknown queues of which nobody could tell
     */
    record AllContent(
            long dead, long ungrouped, boolean partial, List<DeadRow> rows, List<Other> others, List<String> unknown) {}

    /** A queue of which only the number of dead tasks is shown. */
    record Other(String queue, long dead) {}

    private final DeadGroupReader reader;
    private final QueueSnapshots snapshots;
    private final SharedDeadGroups shared;

    DeadPageController(DeadGroupReader reader, QueueSnapshots snapshots, SharedDeadGroups shared) {
        this.reader = reader;
        this.snapshots = snapshots;
        this.shared = shared;
    }

    @GetMapping("/queues/{queue}/dead")
    Page dead(@PathVariable String queue) {
        return Page.live("dead", "dead.title", () -> new Content(queue, reader.read(queue, LIMIT)));
    }

    @Needs({})
    @GetMapping("/dead")
    Page all(HttpServletRequest request) {
        Caller caller = Callers.of(request);
        Supplier<Snapshot> following = snapshots.following();
        Function<Collection<Views.Queue>, Map<String, DeadGroups>> dead = shared.following();
        return Page.live("alldead", "dead.title", () -> content(following.get(), dead, caller));
    }

    private AllContent content(
            Snapshot snapshot,
            Function<Collection<Views.Queue>, Map<String, DeadGroups>> dead,
            @Nullable Caller caller) {
        snapshot.knownExecutors();
        List<Views.Queue> mine = snapshot.queuesOf(caller);
        Map<String, Groups> read = new LinkedHashMap<>();
        dead.apply(mine).forEach((queue, groups) -> read.put(queue, reader.view(queue, groups, LIMIT)));
        List<DeadRow> rows = read.entrySet().stream()
                .flatMap(queue -> queue.getValue().groups().stream().map(group -> new DeadRow(queue.getKey(), group)))
                .sorted(Comparator.comparingLong((DeadRow row) -> row.group().count())
                        .reversed())
                .toList();
        return new AllContent(
                mine.stream().mapToLong(SharedDeadGroups::dead).sum(),
                read.values().stream().mapToLong(Groups::ungrouped).sum(),
                rows.size() > LIMIT || read.values().stream().anyMatch(groups -> Boolean.TRUE.equals(groups.partial())),
                rows.subList(0, Math.min(LIMIT, rows.size())),
                mine.stream()
                        .filter(queue -> SharedDeadGroups.dead(queue) > 0 && !read.containsKey(queue.name()))
                        .map(queue -> new Other(queue.name(), SharedDeadGroups.dead(queue)))
                        .toList(),
                mine.stream()
                        .filter(queue -> queue.counts() == null)
                        .map(Views.Queue::name)
                        .toList());
    }
}
