package dev.tandem.server.console;

import dev.tandem.server.access.Needs;
import dev.tandem.server.access.Permission;
import dev.tandem.server.api.FanOutReader;
import dev.tandem.server.api.FanOutReader.View;
import dev.tandem.task.fanout.FanOutRecord;
import java.util.List;
import java.util.function.Supplier;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;

/** Shows fan-outs: how far they are, their first errors, and which subtasks have not ended. */
@Controller
@Needs(Permission.VIEW)
final class FanOutsPageController {

    private static final int PAGE = 50;

    /** The errors of a fan-out that the list has. */
    private static final int FIRST_ERRORS = 3;

    /** A page of the list. @param ended whether it has those that have ended @param first whether it is the first page */
    record Content(boolean ended, boolean first, List<Row> fanOuts, String next) {}

    /** A fan-out. */
    record Row(View fanOut) {

        /** Returns the class of the style that goes with the state. */
        String mood() {
            return switch (fanOut.state()) {
                case "completed" -> "good";
                case "failed", "abandoned" -> "bad";
                case "cancelled" -> "held";
                default -> fanOut.stopped() == null ? "plain" : "held";
            };
        }

        /** Returns how many subtasks there are so far. */
        long known() {
            Long subtasks = fanOut.subtasks();
            return subtasks == null ? fanOut.published() : subtasks;
        }

        /** Returns how many subtasks have not ended. */
        long waiting() {
            return Math.max(0, known() - fanOut.succeeded() - fanOut.failed() - fanOut.cancelled());
        }

        boolean hasEnded() {
            return fanOut.endedAt() != null;
        }

        List<FanOutRecord.Failure> firstErrors() {
            return fanOut.errors().stream().limit(FIRST_ERRORS).toList();
        }
    }

    /** One fan-out as its bits prove it. @param missing the numbers of the first subtasks that have not ended */
    record Recounted(Row row, List<Long> missing) {}

    private final FanOutReader fanOuts;

    FanOutsPageController(FanOutReader fanOuts) {
        this.fanOuts = fanOuts;
    }

    @GetMapping("/fan-outs")
    Page fanOuts(@RequestParam(defaultValue = "") String ended, @RequestParam(defaultValue = "") String cursor) {
        boolean over = ended.equals("true");
        Supplier<Content> content = () -> content(over, cursor);
        return cursor.isEmpty()
                ? Page.live("fanouts", "nav.fan-outs", content)
                : Page.still("fanouts", "nav.fan-outs", content);
    }

    private Content content(boolean ended, String cursor) {
        FanOutReader.FanOuts page = fanOuts.page(ended, PAGE, cursor);
        String next = page.next();
        return new Content(
                ended, cursor.isEmpty(), page.fanOuts().stream().map(Row::new).toList(), next == null ? "" : next);
    }

    /** Shows a fan-out, and does not follow it: a count reads a bit of each subtask. */
    @GetMapping("/fan-outs/{fanOut}")
    Page fanOut(@PathVariable String fanOut) {
        return Page.stillOf("fanout", fanOut, () -> {
            FanOutReader.Recount counted = fanOuts.recount(fanOut);
            return new Recounted(new Row(counted.fanOut()), counted.missing());
        });
    }
}
