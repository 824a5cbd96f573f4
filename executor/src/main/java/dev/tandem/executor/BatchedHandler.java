package dev.tandem.executor;

import dev.tandem.api.BatchFailedException;
import dev.tandem.api.BatchHandler;
import dev.tandem.api.BatchOptions;
import dev.tandem.api.Handler;
import dev.tandem.api.Result;
import dev.tandem.api.TaskContext;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A batch handler as a handler of a queue. The executor collects first attempts and calls {@link #call} with several of them;
 * as any other handler it runs a batch of one task. Thread-safe if its code is.
 */
public final class BatchedHandler implements Handler {

    private final BatchHandler code;
    private final BatchOptions options;

    /** Makes a handler of the code, which is called with as many tasks as the options say. */
    public BatchedHandler(BatchHandler code, BatchOptions options) {
        this.code = code;
        this.options = options;
    }

    BatchOptions options() {
        return options;
    }

    @Override
    public Result handle(TaskContext task) throws Exception {
        return resultOf(call(List.of(task)).get(0));
    }

    /** Returns the handler's result, or throws what it threw. */
    static Result resultOf(AttemptEnd end) throws Exception {
        if (end instanceof AttemptEnd.Returned returned) {
            return returned.result();
        }
        Throwable failure = ((AttemptEnd.Threw) end).failure();
        if (failure instanceof Error error) {
            throw error;
        }
        throw failure instanceof Exception exception ? exception : new IllegalStateException(failure);
    }

    /** Calls the code. @return the end of each task's attempt, in the same order: Returned or Threw */
    List<AttemptEnd> call(List<TaskContext> tasks) {
        int size = tasks.size();
        try {
            List<AttemptEnd> ends = new ArrayList<>(size);
            checked(code.handle(tasks), size).forEach(result -> ends.add(new AttemptEnd.Returned(result)));
            return ends;
        } catch (BatchFailedException e) {
            return ends(e, size);
        } catch (Throwable failure) {
            return Collections.nCopies(size, new AttemptEnd.Threw(failure));
        }
    }

    /** Returns the results that a handler returned. @throws IllegalStateException if it is not one for each task */
    static List<Result> checked(@Nullable List<Result> results, int size) {
        if (results == null || results.size() != size || results.stream().anyMatch(Objects::isNull)) {
            String returned = results == null || results.size() == size ? "null" : results.size() + " results";
            throw new IllegalStateException("The batch handler returned " + returned + " for " + size
                    + (size == 1 ? " task" : " tasks") + ": it must return one Result for each task");
        }
        return results;
    }

    /** @throws IllegalStateException if a failure belongs to no task of the call */
    static void checkIndexes(BatchFailedException failed, int size) {
        for (int index : failed.failures().keySet()) {
            if (index < 0 || index >= size) {
                throw new IllegalStateException(
                        "The batch handler says that task " + index + " failed, of tasks 0 to " + (size - 1), failed);
            }
        }
    }

    private static List<AttemptEnd> ends(BatchFailedException failed, int size) {
        try {
            checkIndexes(failed, size);
        } catch (IllegalStateException e) {
            return Collections.nCopies(size, new AttemptEnd.Threw(e));
        }
        Map<Integer, Exception> failures = failed.failures();
        List<AttemptEnd> ends = new ArrayList<>(size);
        for (int index = 0; index < size; index++) {
            Exception failure = failures.get(index);
            ends.add(failure == null ? new AttemptEnd.Returned(Result.done()) : new AttemptEnd.Threw(failure));
        }
        return ends;
    }
}
