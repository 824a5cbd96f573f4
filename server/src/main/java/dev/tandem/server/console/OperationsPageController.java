package dev.tandem.server.console;

import dev.tandem.server.access.Needs;
import dev.tandem.server.access.Permission;
import dev.tandem.server.api.OperationReader;
import dev.tandem.server.api.OperationViews;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;

/** Shows the operations on many tasks, the latest first, and one of them. The platform keeps a bounded number of them. */
@Controller
@Needs(Permission.VIEW)
final class OperationsPageController {

    /**
     * The content of the page.
     *
     * @param dryRuns whether dry runs are among the operations
     * @param dryRunCount how many dry runs there are
     */
    record Content(List<Row> operations, boolean dryRuns, long dryRunCount) {

        static Content of(List<OperationViews.View> all, boolean dryRuns) {
            List<Row> shown = all.stream()
                    .filter(each -> dryRuns || !each.onlyCounts())
                    .map(Row::of)
                    .toList();
            return new Content(
                    shown,
                    dryRuns,
                    all.stream().filter(OperationViews.View::onlyCounts).count());
        }
    }

    /** An operation. @param takes which tasks it takes, by the names that the API has for that */
    record Row(OperationViews.View operation, Map<String, String> takes) {

        static Row of(OperationViews.View operation) {
            Map<String, String> takes = new LinkedHashMap<>();
            OperationViews.Selection from = operation.selection();
            if (from != null) {
                takes.put("state", String.join(", ", from.states()));
                put(takes, "partition", from.partition());
                put(takes, "key", from.key());
                put(takes, "type", from.type());
                put(takes, "id", from.id());
                put(takes, "error", from.error());
                put(takes, "fingerprint", from.fingerprint());
                put(takes, "due-after", from.dueAfter());
                put(takes, "due-before", from.dueBefore());
                put(takes, "died-after", from.diedAfter());
                put(takes, "died-before", from.diedBefore());
                put(takes, "published-after", from.publishedAfter());
                put(takes, "published-before", from.publishedBefore());
                put(takes, "halting", from.halting() == null ? null : "true");
            }
            put(takes, "at", operation.at());
            return new Row(operation, takes);
        }

        private static void put(Map<String, String> takes, String name, @Nullable String value) {
            if (value != null) {
                takes.put(name, value);
            }
        }

        OperationLinks links() {
            return new OperationLinks(operation, takes.keySet());
        }

        /** Whether it can be stopped. */
        boolean isOpen() {
            return operation.state().equals("waiting") || operation.state().equals("running");
        }

        /** Returns the class of the style that goes with the state. */
        String mood() {
            return switch (operation.state()) {
                case "done" -> "good";
                case "failed" -> "bad";
                case "stopping", "stopped" -> "held";
                default -> "plain";
            };
        }
    }

    private final OperationReader reader;

    OperationsPageController(OperationReader reader) {
        this.reader = reader;
    }

    /** Shows all, without those that only count: each act on all tasks that match begins with such a one. */
    @GetMapping("/operations")
    Page operations(@RequestParam(name = "dry-runs", defaultValue = "false") boolean dryRuns) {
        return Page.live("operations", "nav.operations", () -> Content.of(reader.all(), dryRuns));
    }

    /** Shows one, also to those who may not see the operations of all queues. */
    @GetMapping("/queues/{queue}/operations/{operation}")
    Page operation(@PathVariable String queue, @PathVariable String operation) {
        return Page.live("operation", "operations.operation", () -> Row.of(reader.one(queue, operation)));
    }
}
