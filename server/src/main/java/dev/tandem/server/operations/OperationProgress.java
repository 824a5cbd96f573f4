package dev.tandem.server.operations;

import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;

/**
 * How far an operation is.
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

    /** Whether an operation goes on. */
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
}
