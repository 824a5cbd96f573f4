package dev.tandem.server.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.tandem.server.access.Needs;
import dev.tandem.server.access.Permission;
import dev.tandem.server.inspect.FanOutAdministration;
import dev.tandem.server.inspect.Page;
import dev.tandem.task.fanout.FanOutAnswer;
import dev.tandem.task.fanout.FanOutAnswer.Stop;
import dev.tandem.task.fanout.FanOutPlan;
import dev.tandem.task.fanout.FanOutRecord;
import dev.tandem.task.fanout.FanOutRecord.Phase;
import dev.tandem.task.fanout.Subtask;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** Shows the fan-outs of all programs, cancels them, and ends those that wait in vain. */
@RestController
@Needs(Permission.VIEW)
@RequestMapping("/api/v1/fan-outs")
final class FanOutsController {

    private static final int MOST_LISTED = 200;
    private static final int MOST_MISSING = 1_000;

    /** A page of fan-outs. @param next where the next page begins; left out if this is the last */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record FanOuts(List<View> fanOuts, @Nullable String next) {}

    /** The master of a fan-out. @param ref where it is: its partition and position */
    record Master(String queue, String type, String id, String ref) {}

    /**
     * A fan-out.
     *
     * @param state {@code publishing} while its master streams subtasks, {@code running} until they have ended; then {@code
     *     completed}, {@code failed}, {@code cancelled} or {@code abandoned}
     * @param stopped why subtasks that have not begun do not run; left out if they do
     * @param parent the subtask that its master is; left out if it is none
     * @param subtasks how many there are; left out while the master streams
     * @param published how many are surely published
     * @param finalQueue the queue of the final task; left out if there is none
     * @param finalTask the id of the final task that has begun; left out if none has
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record View(
            String id,
            String state,
            @Nullable String stopped,
            @Nullable String why,
            Master master,
            @Nullable String parent,
            String rule,
            @Nullable Double mayFail,
            @Nullable Long subtasks,
            long published,
            long ended,
            long succeeded,
            long failed,
            long cancelled,
            Instant since,
            @Nullable Instant endedAt,
            @Nullable String finalQueue,
            @Nullable String finalTask,
            List<FanOutRecord.Failure> errors) {}

    /** The state of a fan-out as its bits prove it. @param missing the numbers of the first subtasks that have not ended */
    record Recount(View fanOut, List<Long> missing) {}

    private final FanOutAdministration fanOuts;

    FanOutsController(FanOutAdministration fanOuts) {
        this.fanOuts = fanOuts;
    }

    @GetMapping
    FanOuts all(
            @RequestParam(defaultValue = "false") boolean ended,
            @RequestParam(defaultValue = "50") int limit,
            @RequestParam(defaultValue = "") String cursor) {
        if (limit < 1 || limit > MOST_LISTED) {
            throw ApiException.parameter("limit", "limit is " + limit, "Give 1 to " + MOST_LISTED);
        }
        try {
            Page<FanOutRecord> page = fanOuts.list(ended, limit, cursor);
            return new FanOuts(
                    page.items().stream().map(FanOutsController::view).toList(), page.next());
        } catch (IllegalArgumentException e) {
            throw ProblemType.INVALID_CURSOR.refusal(
                    String.valueOf(e.getMessage()), "Take the cursor from 'next' of a page");
        }
    }

    @GetMapping("/{fanOut}")
    View one(@PathVariable String fanOut) {
        return view(find(fanOut));
    }

    @GetMapping("/{fanOut}/recount")
    Recount recount(@PathVariable String fanOut) {
        FanOutRecord record = find(fanOut);
        return new Recount(view(record), fanOuts.missing(fanOut, MOST_MISSING));
    }

    @Needs(Permission.OPERATE)
    @PostMapping("/{fanOut}/cancel")
    @ResponseStatus(HttpStatus.ACCEPTED)
    Views.Changed cancel(@PathVariable String fanOut) {
        requireId(fanOut);
        return changed(fanOut, fanOuts.cancel(fanOut, "cancelled by an operator"), "cancelled");
    }

    @Needs(Permission.OPERATE)
    @PostMapping("/{fanOut}/end")
    @ResponseStatus(HttpStatus.ACCEPTED)
    Views.Changed end(@PathVariable String fanOut) {
        FanOutRecord record = find(fanOut);
        if (record.phase() != Phase.COMPLETE && record.stop() == Stop.NO) {
            throw ProblemType.SUBTASKS_MAY_RUN.refusal(
                    "The subtasks of fan-out " + fanOut + " may still run",
                    "Cancel it first. End it if it still waits for subtasks when all that could run have ended");
        }
        return changed(fanOut, fanOuts.end(fanOut, "ended by an operator"), "given up");
    }

    private static Views.Changed changed(String id, FanOutAnswer.Code code, String what) {
        return switch (code) {
            case UNKNOWN -> throw notFound(id);
            case CLOSED ->
                throw ProblemType.ALREADY_ENDED.refusal(
                        "All subtasks of fan-out " + id + " have ended", "Nothing is left to be " + what);
            default -> new Views.Changed(1);
        };
    }

    private FanOutRecord find(String id) {
        requireId(id);
        return fanOuts.find(id).orElseThrow(() -> notFound(id));
    }

    private static void requireId(String id) {
        if (!Subtask.isId(id)) {
            throw ApiException.parameter(
                    "fanOut",
                    "This is no id of a fan-out",
                    "Give the 20 hexadecimal digits that the list of fan-outs shows");
        }
    }

    private static ApiException notFound(String id) {
        return ProblemType.UNKNOWN_FAN_OUT.refusal(
                "There is no fan-out " + id,
                "Look at the list of fan-outs; ended ones are kept for tandem.fan-outs.keep");
    }

    private static View view(FanOutRecord record) {
        FanOutPlan plan = record.plan();
        boolean complete = record.phase() == Phase.COMPLETE;
        String stop = record.stop() == Stop.NO ? null : Views.lower(record.stop());
        return new View(
                record.id(),
                state(record),
                complete ? null : stop,
                blankToNull(record.why()),
                new Master(plan.queue(), plan.type(), plan.masterId(), "@" + plan.master()),
                blankToNull(plan.parent()),
                Views.lower(plan.rule()),
                plan.rule() == FanOutPlan.Rule.PARTIAL ? plan.mayFail() : null,
                record.total() < 0 ? null : record.total(),
                record.cursor(),
                record.ended(),
                record.succeeded(),
                record.failed(),
                complete ? record.total() - record.succeeded() - record.failed() : record.cancelled(),
                Instant.ofEpochMilli(record.since()),
                complete ? Instant.ofEpochMilli(record.endedAt()) : null,
                blankToNull(plan.finalQueue()),
                blankToNull(record.begunBy()),
                record.errors());
    }

    private static String state(FanOutRecord record) {
        return switch (record.phase()) {
            case OPEN -> "publishing";
            case SEALED -> "running";
            case COMPLETE -> record.stop() == Stop.NO ? "completed" : Views.lower(record.stop());
        };
    }

    private static @Nullable String blankToNull(String text) {
        return text.isEmpty() ? null : text;
    }
}
