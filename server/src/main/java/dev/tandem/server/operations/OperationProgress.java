package dev.tandem.server.operations;

import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;

/**
 * The progress of an operation.
 *
 * @param looked tasks that were looked at
 * @param matched tasks that were chosen: they were changed, or refused
 * @param refused tasks that had changed meanwhile, or that the change may not take
 * @param partition where it is; null before the first one and at the end
 * @param partitionsDone partitions that it is done with
 * @param problem why it failed; null if it did not
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record OperationProgress(
        State state,
        long looked,
        long matched,
        long changed,
        long refused,
        @Nullable String partition,
        int partitionsDone,
        int partitions,
        @Nullable String problem) {

    /** The states of an operation. */
    public enum State {
        WAITING,
        RUNNING,
        STOPPING,
        STOPPED,
        DONE,
        FAILED
    }

    public static final OperationProgress NONE = new OperationProgress(State.WAITING, 0, 0, 0, 0, null, 0, 0, null);

    public OperationProgress in(State newState) {
        return new OperationProgress(
                newState, looked, matched, changed, refused, partition, partitionsDone, partitions, problem);
    }

    /** Returns this progress in an operation of so many partitions. */
    public OperationProgress of(int all) {
        return new OperationProgress(state, looked, matched, changed, refused, partition, partitionsDone, all, problem);
    }

    /** Returns this progress at another place. @param name the partition; null between partitions */
    public OperationProgress at(@Nullable String name, int done) {
        return new OperationProgress(state, looked, matched, changed, refused, name, done, partitions, problem);
    }

    /** Returns this progress after more tasks. */
    public OperationProgress plus(long moreLooked, long moreMatched, long moreChanged, long moreRefused) {
        return new OperationProgress(
                state,
                looked + moreLooked,
                matched + moreMatched,
                changed + moreChanged,
                refused + moreRefused,
                partition,
                partitionsDone,
                partitions,
                problem);
    }

    /** Returns how an operation with this progress failed. */
    public OperationProgress failed(String why) {
        return new OperationProgress(
                State.FAILED, looked, matched, changed, refused, null, partitionsDone, partitions, why);
    }
}
