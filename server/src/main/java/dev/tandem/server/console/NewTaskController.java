package dev.tandem.server.console;

import dev.tandem.server.access.Caller;
import dev.tandem.server.access.Needs;
import dev.tandem.server.access.Permission;
import dev.tandem.server.api.Callers;
import dev.tandem.server.api.QueueReader;
import dev.tandem.server.inspect.ExecutorInfo;
import dev.tandem.server.inspect.UnavailableException;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;

/** Shows a form for one task of a queue. Its button calls the route of the API that publishes tasks. */
@Controller
@Needs(Permission.SUBMIT)
final class NewTaskController {

    /** Stands for all types where an executor lists its own. */
    private static final String ANY = "*";

    /** The most types that the form suggests. */
    private static final int MAX_TYPES = 200;

    /**
     * The content of the page.
     *
     * @param types those for which an executor of the queue has a handler, as far as executors announce theirs
     * @param anyType whether an executor takes any type, or none announces its types
     */
    record Content(String queue, List<String> types, boolean anyType) {}

    private final QueueReader queues;
    private final QueueSnapshots snapshots;

    NewTaskController(QueueReader queues, QueueSnapshots snapshots) {
        this.queues = queues;
        this.snapshots = snapshots;
    }

    @GetMapping("/queues/{queue}/new")
    Page form(@PathVariable String queue, HttpServletRequest request) {
        queues.require(queue);
        Caller caller = Callers.of(request);
        boolean maySee = caller != null && caller.may(Permission.VIEW, queue);
        return Page.still("newtask", "submit.title", () -> content(queue, maySee));
    }

    /** @param maySee whether the caller may know the handlers of executors */
    private Content content(String queue, boolean maySee) {
        List<ExecutorInfo> executors = maySee ? executors() : null;
        return executors == null ? new Content(queue, List.of(), true) : of(queue, executors);
    }

    private @Nullable List<ExecutorInfo> executors() {
        try {
            return snapshots.following().get().executors();
        } catch (UnavailableException e) {
            return null;
        }
    }

    static Content of(String queue, List<ExecutorInfo> executors) {
        List<String> all = executors.stream()
                .flatMap(executor -> executor.queues().stream())
                .filter(share -> share.queue().equals(queue))
                .map(ExecutorInfo.Share::types)
                .filter(Objects::nonNull)
                .flatMap(List::stream)
                .distinct()
                .sorted()
                .toList();
        List<String> types =
                all.stream().filter(type -> !type.equals(ANY)).limit(MAX_TYPES).toList();
        return new Content(queue, types, all.isEmpty() || all.contains(ANY) || all.size() > MAX_TYPES);
    }
}
