package dev.tandem.server.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.tandem.server.operations.Operation;
import dev.tandem.server.operations.OperationInfo;
import dev.tandem.server.operations.OperationProgress;
import dev.tandem.server.operations.TaskSelection;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How the API shows operations on many tasks. */
public final class OperationViews {

    private OperationViews() {}

    public record Operations(List<View> operations) {}

    /**
     * An operation.
     *
     * @param state {@code waiting}, {@code running}, {@code stopping}, {@code stopped}, {@code done} or {@code failed}
     * @param action null if a server of a later version wrote the operation
     * @param askedBy the name of the caller who asked for the operation, if it is known
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record View(
            String queue,
            String operation,
            String state,
            @Nullable String action,
            @Nullable Boolean dryRun,
            @Nullable Selection selection,
            @Nullable String at,
            @Nullable String askedBy,
            Instant began,
            @Nullable Instant ended,
            long looked,
            long matched,
            long changed,
            long refused,
            @Nullable String partition,
            int partitionsDone,
            int partitions,
            @Nullable String problem) {

        /** Whether it is a dry run. */
        public boolean onlyCounts() {
            return Boolean.TRUE.equals(dryRun);
        }
    }

    /** The tasks that an operation takes, as they were asked for. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Selection(
            List<String> states,
            @Nullable String partition,
            @Nullable String key,
            @Nullable String type,
            @Nullable String id,
            @Nullable String error,
            @Nullable String dueAfter,
            @Nullable String dueBefore,
            @Nullable String diedAfter,
            @Nullable String diedBefore,
            @Nullable String publishedAfter,
            @Nullable String publishedBefore,
            @Nullable Boolean halting,
            @Nullable String fingerprint) {

        static Selection of(TaskSelection from) {
            return new Selection(
                    from.states().stream().map(Views::lower).toList(),
                    from.partition(),
                    from.key(),
                    from.type(),
                    from.id(),
                    from.error(),
                    from.dueAfter(),
                    from.dueBefore(),
                    from.diedAfter(),
                    from.diedBefore(),
                    from.publishedAfter(),
                    from.publishedBefore(),
                    from.halting() ? true : null,
                    from.fingerprint());
        }
    }

    /** Returns the view of an operation. */
    public static View view(OperationInfo info) {
        Operation operation = info.operation();
        OperationProgress progress = info.progress();
        return new View(
                info.queue(),
                info.id(),
                Views.lower(progress.state()),
                operation == null ? null : operation.action().word(),
                operation != null && operation.dryRun() ? true : null,
                operation == null ? null : Selection.of(operation.selection()),
                operation == null ? null : operation.at(),
                operation == null ? null : operation.askedBy(),
                info.began(),
                info.ended(),
                progress.looked(),
                progress.matched(),
                progress.changed(),
                progress.refused(),
                progress.partition(),
                progress.partitionsDone(),
                progress.partitions(),
                progress.problem());
    }
}
