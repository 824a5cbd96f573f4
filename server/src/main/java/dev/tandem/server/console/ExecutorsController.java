package dev.tandem.server.console;

import dev.tandem.server.access.Needs;
import dev.tandem.server.access.Permission;
import dev.tandem.server.console.QueueSnapshots.Snapshot;
import dev.tandem.server.inspect.ExecutorInfo;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** Shows the live executors, their queues and handlers. */
@Controller
@Needs(Permission.VIEW)
final class ExecutorsController {

    /** The most rows of a page, one for each queue of an executor. Executors are shown by their ids. */
    static final int MAX_ROWS = 300;

    /** The most types of a queue that are named. */
    private static final int MAX_TYPES = 8;

    /**
     * The content of the page.
     *
     * @param all how many executors there are
     * @param after the id behind which it begins; empty on the first page
     * @param more how many further ones there are behind these
     */
    record Content(List<ExecutorInfo> executors, int all, String after, int more) {

        String next() {
            return "/executors?after="
                    + Links.part(executors.get(executors.size() - 1).id());
        }
    }

    private final QueueSnapshots snapshots;

    ExecutorsController(QueueSnapshots snapshots) {
        this.snapshots = snapshots;
    }

    @GetMapping("/executors")
    Page executors(@RequestParam(defaultValue = "") String after) {
        Supplier<Snapshot> following = snapshots.following();
        return Page.live(
                "executors", "nav.executors", () -> content(following.get().knownExecutors(), after));
    }

    private static Content content(List<ExecutorInfo> all, String after) {
        List<ExecutorInfo> behind = all.stream()
                .filter(executor -> executor.id().compareTo(after) > 0)
                .sorted(Comparator.comparing(ExecutorInfo::id))
                .toList();
        List<ExecutorInfo> shown = new ArrayList<>();
        int rows = 0;
        for (ExecutorInfo executor : behind) {
            rows += Math.max(1, executor.queues().size());
            if (rows > MAX_ROWS && !shown.isEmpty()) {
                break;
            }
            shown.add(executor);
        }
        return new Content(shown, all.size(), after, behind.size() - shown.size());
    }

    /** Returns the first ones of some types. */
    static String types(@Nullable List<String> types, String none) {
        if (types == null) {
            return none;
        }
        String first = String.join(", ", types.subList(0, Math.min(MAX_TYPES, types.size())));
        return types.size() > MAX_TYPES ? first + ", … (" + types.size() + ")" : first;
    }
}
