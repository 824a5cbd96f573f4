package dev.tandem.server.api;

import dev.tandem.server.access.Needs;
import dev.tandem.server.access.Permission;
import dev.tandem.server.inspect.FanOutAdministration;
import dev.tandem.server.words.Sentence;
import dev.tandem.task.fanout.FanOutAnswer;
import dev.tandem.task.fanout.FanOutAnswer.Stop;
import dev.tandem.task.fanout.FanOutRecord;
import dev.tandem.task.fanout.FanOutRecord.Phase;
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

    private final FanOutAdministration fanOuts;
    private final FanOutReader reader;

    FanOutsController(FanOutAdministration fanOuts, FanOutReader reader) {
        this.fanOuts = fanOuts;
        this.reader = reader;
    }

    @GetMapping
    FanOutReader.FanOuts all(
            @RequestParam(defaultValue = "false") boolean ended,
            @RequestParam(defaultValue = "50") int limit,
            @RequestParam(defaultValue = "") String cursor) {
        return reader.page(ended, limit, cursor);
    }

    @GetMapping("/{fanOut}")
    FanOutReader.View one(@PathVariable String fanOut) {
        return FanOutReader.view(reader.find(fanOut));
    }

    @GetMapping("/{fanOut}/recount")
    FanOutReader.Recount recount(@PathVariable String fanOut) {
        return reader.recount(fanOut);
    }

    @Needs(Permission.OPERATE)
    @PostMapping("/{fanOut}/cancel")
    @ResponseStatus(HttpStatus.ACCEPTED)
    Views.Changed cancel(@PathVariable String fanOut) {
        FanOutReader.requireId(fanOut);
        return changed(fanOut, fanOuts.cancel(fanOut, "cancelled by an operator"), "remedy.nothing-to-cancel");
    }

    @Needs(Permission.OPERATE)
    @PostMapping("/{fanOut}/end")
    @ResponseStatus(HttpStatus.ACCEPTED)
    Views.Changed end(@PathVariable String fanOut) {
        FanOutRecord record = reader.find(fanOut);
        if (record.phase() != Phase.COMPLETE && record.stop() == Stop.NO) {
            throw ProblemType.SUBTASKS_MAY_RUN.refusal(
                    Sentence.of("problem.subtasks-may-run", fanOut), Sentence.of("remedy.subtasks-may-run"));
        }
        return changed(fanOut, fanOuts.end(fanOut, "ended by an operator"), "remedy.nothing-to-end");
    }

    private static Views.Changed changed(String id, FanOutAnswer.Code code, String nothingLeft) {
        return switch (code) {
            case UNKNOWN -> throw FanOutReader.notFound(id);
            case CLOSED ->
                throw ProblemType.ALREADY_ENDED.refusal(
                        Sentence.of("problem.fan-out-ended", id), Sentence.of(nothingLeft));
            default -> new Views.Changed(1);
        };
    }
}
