package dev.tandem.executor;

import dev.tandem.api.Handler;
import dev.tandem.api.Interceptor;
import dev.tandem.api.Result;
import dev.tandem.api.TaskContext;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One call of a batch handler, inside of the interceptors of each of its tasks: those of the first task are the outermost. A
 * task whose interceptors do not go on to the handler is not in the call. Used by one thread, once.
 */
final class BatchCall {

    /** The end of a task whose call was given up on the way to it, as when the stack is too small. */
    private static final AttemptEnd NOT_CALLED =
            new AttemptEnd.Threw(new IllegalStateException("The interceptors of other tasks of the batch failed"));

    private final BatchedHandler handler;
    private final List<Interceptor> interceptors;
    private final List<TaskContext> tasks;

    /** The tasks that got through their interceptors, as these passed them on; and their places in {@code tasks}. */
    private final List<TaskContext> called = new ArrayList<>();

    private final List<Integer> places = new ArrayList<>();
    /** How each attempt ended; set from the innermost task outwards. */
    private final @Nullable AttemptEnd[] ends;
    /** Which tasks got through their interceptors. */
    private final boolean[] passed;

    BatchCall(BatchedHandler handler, List<Interceptor> interceptors, List<? extends TaskContext> tasks) {
        this.handler = handler;
        this.interceptors = interceptors;
        this.tasks = List.copyOf(tasks);
        this.ends = new AttemptEnd[tasks.size()];
        this.passed = new boolean[tasks.size()];
    }

    /** Returns the end of each task's attempt, in the same order. Does not throw. */
    List<AttemptEnd> run() {
        enter(0);
        List<AttemptEnd> all = new ArrayList<>(ends.length);
        for (AttemptEnd end : ends) {
            all.add(end == null ? NOT_CALLED : end);
        }
        return all;
    }

    private void enter(int place) {
        if (place == tasks.size()) {
            callHandler();
        } else if (interceptors.isEmpty()) {
            pass(place, tasks.get(place));
        } else {
            intercept(place);
        }
    }

    private void pass(int place, TaskContext task) {
        passed[place] = true;
        called.add(task);
        places.add(place);
        enter(place + 1);
    }

    private void callHandler() {
        if (called.isEmpty()) {
            return;
        }
        List<AttemptEnd> ended = handler.call(List.copyOf(called));
        for (int i = 0; i < ended.size(); i++) {
            ends[places.get(i)] = ended.get(i);
        }
    }

    private void intercept(int place) {
        Handler rest = HandlerRegistry.wrap(task -> passed(place, task), interceptors);
        try {
            Result result = rest.handle(tasks.get(place));
            end(
                    place,
                    result == null
                            ? new AttemptEnd.Threw(new IllegalStateException("An interceptor returned null"))
                            : new AttemptEnd.Returned(result));
        } catch (Throwable failure) {
            end(place, new AttemptEnd.Threw(failure));
        }
    }

    /** Goes on with the tasks behind this one, and returns how this one ended. */
    private Result passed(int place, TaskContext task) throws Exception {
        if (!passed[place]) {
            pass(place, task);
        }
        AttemptEnd end = ends[place];
        return BatchedHandler.resultOf(end == null ? NOT_CALLED : end);
    }

    private void end(int place, AttemptEnd end) {
        ends[place] = end;
        if (!passed[place]) {
            // Its interceptors have decided without the handler. The others go on.
            enter(place + 1);
        }
    }
}
