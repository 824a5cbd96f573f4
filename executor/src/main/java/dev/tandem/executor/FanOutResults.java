package dev.tandem.executor;

import dev.tandem.api.FanOutResult;
import dev.tandem.api.FanOutResult.State;
import dev.tandem.task.fanout.FanOutRecord;

/** Makes the result of a fan-out that has ended. */
final class FanOutResults {

    private FanOutResults() {}

    static FanOutResult of(FanOutRecord record) {
        State state = switch (record.stop()) {
            case NO -> State.COMPLETED;
            case FAILED -> State.FAILED;
            case CANCELLED -> State.CANCELLED;
            case ABANDONED -> State.ABANDONED;
        };
        return new FanOutResult(
                record.id(),
                state,
                record.why(),
                record.total(),
                record.succeeded(),
                record.failed(),
                // With those that were given up.
                record.total() - record.succeeded() - record.failed(),
                record.errors().stream()
                        .map(each -> new FanOutResult.Failure(each.number(), each.error()))
                        .toList());
    }

    /** Says how a fan-out ended, for people. */
    static String text(FanOutResult result) {
        String first = result.errors().isEmpty()
                ? ""
                : "; subtask " + result.errors().get(0).number() + ": "
                        + result.errors().get(0).error();
        return "of " + result.subtasks() + " subtasks " + result.succeeded() + " succeeded, " + result.failed()
                + " failed and " + result.cancelled() + " were cancelled"
                + (result.why().isEmpty() ? "" : " (" + result.why() + ")") + first;
    }
}
