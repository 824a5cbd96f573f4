package dev.tandem.executor;

import dev.tandem.ordering.Run;
import dev.tandem.task.RetriedByOperator;
import dev.tandem.task.fanout.FanOutAnswer.Code;
import dev.tandem.task.fanout.FanOutRequest;
import dev.tandem.task.fanout.Subtask;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Interrupts subtasks that run here when somebody cancels their fan-outs. It asks about those that were there at the look before,
 * so that short ones cost nothing. Thread-safe.
 */
final class FanOutCancels implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(FanOutCancels.class);

    /** The time between two looks. A run is asked about at the second one, so that a cancellation reaches it within a second. */
    static final long LOOK_MILLIS = 400;

    private final FanOuts fanOuts;
    /** The subtasks of each queue that ran at the last look. */
    private final Map<RunningHandlers, Set<Run>> queues = new ConcurrentHashMap<>();

    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(action -> {
        Thread made = new Thread(action, "tandem-fan-out-cancels");
        made.setDaemon(true);
        return made;
    });

    FanOutCancels(FanOuts fanOuts) {
        this.fanOuts = fanOuts;
    }

    void start() {
        var unused = thread.scheduleWithFixedDelay(this::lookSafely, LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
    }

    void add(RunningHandlers handlers) {
        queues.putIfAbsent(handlers, Set.of());
    }

    void remove(RunningHandlers handlers) {
        queues.remove(handlers);
    }

    private void lookSafely() {
        try {
            look();
        } catch (RuntimeException e) {
            log.error("Subtasks of cancelled fan-outs may not have been interrupted because of a bug", e);
        }
    }

    void look() {
        for (Map.Entry<RunningHandlers, Set<Run>> queue : queues.entrySet()) {
            Set<Run> running = new HashSet<>();
            for (Run run : queue.getKey().running()) {
                Subtask subtask = Subtask.of(run.task());
                if (subtask != null) {
                    running.add(run);
                    if (queue.getValue().contains(run)) {
                        look(queue.getKey(), run, subtask);
                    }
                }
            }
            queues.replace(queue.getKey(), running);
        }
    }

    private void look(RunningHandlers handlers, Run run, Subtask subtask) {
        fanOuts.ask(new FanOutRequest.Ask(subtask.fanOut(), subtask.number()), answer -> {
            // One that has failed before runs because an operator has it retried.
            boolean isRetried = RetriedByOperator.isMarked(run.task());
            if (answer != null && answer.cancelled() && answer.code() != Code.HAS_FAILED && !isRetried) {
                handlers.cancel(Set.of(run));
            }
        });
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
