package dev.tandem.server.console;

import dev.tandem.server.access.Caller;
import dev.tandem.server.access.Needs;
import dev.tandem.server.access.Permission;
import dev.tandem.server.api.Callers;
import dev.tandem.server.api.DeadGroupReader;
import dev.tandem.server.api.DeadGroupViews.AllGroups;
import dev.tandem.server.api.DeadGroupViews.Groups;
import dev.tandem.server.api.SharedDeadGroups;
import dev.tandem.server.api.Views;
import dev.tandem.server.console.QueueSnapshots.Snapshot;
import dev.tandem.task.store.DeadGroups;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Collection;
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

    /** The content of the page of all queues. */
    record AllContent(AllGroups groups) {

        List<DeadRow> rows() {
            return groups.groups().stream()
                    .map(each -> new DeadRow(each.queue(), each.group()))
                    .toList();
        }

        /** Returns the queues of which only the number of dead tasks is shown. */
        Map<String, Long> unread() {
            return groups.unread() == null ? Map.of() : groups.unread();
        }

        /** Returns the queues of which nobody could tell. */
        List<String> unknown() {
            return groups.unknown() == null ? List.of() : groups.unknown();
        }

        boolean isPartial() {
            return Boolean.TRUE.equals(groups.partial());
        }
    }

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
        return new AllContent(reader.readAll(snapshot.queuesOf(caller), dead, LIMIT));
    }
}
