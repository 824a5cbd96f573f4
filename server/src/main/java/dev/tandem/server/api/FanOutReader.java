package dev.tandem.server.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.tandem.server.inspect.FanOutAdministration;
import dev.tandem.server.inspect.Page;
import dev.tandem.server.words.Sentence;
import dev.tandem.task.fanout.FanOutAnswer.Stop;
import dev.tandem.task.fanout.FanOutPlan;
import dev.tandem.task.fanout.FanOutRecord;
import dev.tandem.task.fanout.FanOutRecord.Phase;
import dev.tandem.task.fanout.Subtask;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads the fan-outs of all programs, for the API and the console. Thread-safe. */
public final class FanOutReader {

    private static final int MOST_LISTED = 200;
    private static final int MOST_MISSING = 1_000;

    /** A page of fan-outs. @param next where the next page begins; left out if this is the last */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record FanOuts(List<View> fanOuts, @Nullable String next) {}

    /** The master of a fan-out. @param ref where it is: its partition and position */
    public record Master(String queue, String type, String id, String ref) {}

    /**
     * A fan-out.
     *
     * @param state {@code publishing} while its master streams subtasks, {@code running} until they have ended; then {@code
     *     completed}, {@code failed}, {@code cancelled} or {@code abandoned}
     * @param stopped why subtasks that have not begun do not run; left out if they do
     * @param parent the subtask that its master is; left out if it is none
     * @param awaitsMaster true if all subtasks have ended, and it waits for its master only; else left out
     * @param subtasks how many there are; left out while the master streams
     * @param published how many are surely published
     * @param finalQueue the queue of the final task; left out if there is none
     * @param finalTask the id of the final task that has begun; left out if none has
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record View(
            String id,
            String state,
            @Nullable String stopped,
            @Nullable String why,
            Master master,
            @Nullable String parent,
            @Nullable Boolean awaitsMaster,
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
    public record Recount(View fanOut, List<Long> missing) {}

    private final FanOutAdministration fanOuts;

    FanOutReader(FanOutAdministration fanOuts) {
        this.fanOuts = fanOuts;
    }

    /**
     * Returns a page of fan-outs, those that began or ended last first.
     *
     * @param ended those that have ended, or those that have not
     * @param cursor "" for the first page
     * @throws ApiException if the limit is none, or the cursor is of no such page
     */
    public FanOuts page(boolean ended, int limit, String cursor) {
        if (limit < 1 || limit > MOST_LISTED) {
            throw ApiException.parameter(
                    "limit", Sentence.of("problem.limit-is", limit), Sentence.of("remedy.give-one-to", MOST_LISTED));
        }
        try {
            Cursors cursors = Cursors.of("fan-outs", ended);
            String place = cursors.place(cursor);
            Page<FanOutRecord> page = fanOuts.list(ended, limit, place == null ? "" : place);
            return new FanOuts(page.items().stream().map(FanOutReader::view).toList(), cursors.next(page.next()));
        } catch (IllegalArgumentException e) {
            throw Cursors.refusal(e);
        }
    }

    /** Returns a fan-out with its first subtasks that have not ended. */
    public Recount recount(String id) {
        FanOutRecord record = find(id);
        return new Recount(view(record), fanOuts.missing(id, MOST_MISSING));
    }

    /** Returns a fan-out; empty if it is not kept any more. */
    Optional<View> maybe(String id) {
        return fanOuts.find(id).map(FanOutReader::view);
    }

    /** @throws ApiException if there is none */
    FanOutRecord find(String id) {
        requireId(id);
        return fanOuts.find(id).orElseThrow(() -> notFound(id));
    }

    static void requireId(String id) {
        if (!Subtask.isId(id)) {
            throw ApiException.parameter(
                    "fanOut", Sentence.of("problem.no-fan-out-id"), Sentence.of("remedy.fan-out-id"));
        }
    }

    static ApiException notFound(String id) {
        return ProblemType.UNKNOWN_FAN_OUT.refusal(
                Sentence.of("problem.no-fan-out", id), Sentence.of("remedy.fan-outs-kept"));
    }

    static View view(FanOutRecord record) {
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
                record.awaitsOnlyMaster() ? true : null,
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
