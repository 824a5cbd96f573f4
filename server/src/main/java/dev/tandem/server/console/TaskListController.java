package dev.tandem.server.console;

import static dev.tandem.server.console.Parameters.given;

import dev.tandem.server.access.Needs;
import dev.tandem.server.access.Permission;
import dev.tandem.server.api.QueueReader;
import dev.tandem.server.api.TaskReader;
import dev.tandem.server.api.TaskReader.Choice;
import dev.tandem.server.api.Views;
import dev.tandem.server.inspect.Inspection;
import dev.tandem.server.inspect.TaskCounts;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;

/** Shows the tasks of a queue by state. */
@Controller
@Needs(Permission.VIEW)
final class TaskListController {

    private static final int LIMIT = 50;

    /**
     * The content of the page.
     *
     * @param cursor null on the first page
     * @param counts null if nobody could tell
     */
    record Content(
            String queue,
            Choice choice,
            @Nullable String cursor,
            Views.Tasks page,
            @Nullable TaskCounts counts) {

        private static final List<String> STATES =
                List.of("active", "scheduled", "retry", "parked", "dead", "succeeded", "expired", "cancelled");

        List<String> states() {
            return STATES;
        }

        boolean isCurrent(@Nullable String state) {
            return state == null ? choice.state() == null : state.equals(choice.state());
        }

        /** Returns how many tasks are in a state; null if that is not counted. All that succeeded are counted, but few are kept. */
        @Nullable
        Long count(String state) {
            if (counts == null) {
                return null;
            }
            return switch (state) {
                case "active" -> counts.active();
                case "scheduled" -> counts.scheduled();
                case "retry" -> counts.retry();
                case "parked" -> counts.parked();
                case "dead" -> counts.dead();
                default -> null;
            };
        }

        /** Returns the same choice of tasks in another state. */
        String inState(@Nullable String state) {
            return Links.tasks(
                    queue,
                    new Choice(
                            state,
                            choice.partition(),
                            choice.key(),
                            choice.type(),
                            choice.id(),
                            choice.fingerprint(),
                            "dead".equals(state) ? choice.diedAfter() : null),
                    null);
        }

        /** Returns when a task died; null if it is not dead. */
        @Nullable
        String died(Views.Task task) {
            return task.at() == null || !"dead".equals(task.state())
                    ? null
                    : task.at().toString();
        }

        /** Returns the next page. */
        String older() {
            return Links.tasks(queue, choice, page.next());
        }

        /** Returns what may be done to all of these tasks. */
        List<Act> acts() {
            return Act.on(choice.state());
        }

        /** Returns what may be done to all tasks that match, on all pages. */
        List<Act> actsOnAll() {
            return choice.state() == null ? List.of() : acts();
        }

        String operation(String action) {
            return Links.operation(queue, action, choice);
        }
    }

    private final QueueReader queues;
    private final TaskReader tasks;

    TaskListController(QueueReader queues, TaskReader tasks) {
        this.queues = queues;
        this.tasks = tasks;
    }

    @GetMapping("/queues/{queue}/tasks")
    Page tasks(
            @PathVariable String queue,
            @RequestParam(required = false) @Nullable String state,
            @RequestParam(required = false) @Nullable String partition,
            @RequestParam(required = false) @Nullable String key,
            @RequestParam(required = false) @Nullable String type,
            @RequestParam(required = false) @Nullable String id,
            @RequestParam(required = false) @Nullable String fingerprint,
            @RequestParam(name = "died-after", required = false) @Nullable String diedAfter,
            @RequestParam(required = false) @Nullable String cursor) {
        String lower = state == null || state.isEmpty() ? null : state.toLowerCase(Locale.ROOT);
        Choice choice = new Choice(
                lower, given(partition), given(key), given(type), given(id), given(fingerprint), given(diedAfter));
        // A search looks at many tasks, and a list from a time on asks all partitions if few have died since: it is
        // made when
        // somebody asks for it, and not every two seconds.
        boolean live = !choice.isSearch() && choice.diedAfter() == null;
        return new Page("tasks", "tasks.title", false, () -> content(queue, choice, given(cursor)), live);
    }

    private Content content(String queue, Choice choice, @Nullable String cursor) {
        Views.Tasks page = tasks.list(queue, choice, cursor, LIMIT, Inspection.LOOKED_AT_BY_PAGES);
        return new Content(queue, choice, cursor, page, queues.one(queue).counts());
    }
}
