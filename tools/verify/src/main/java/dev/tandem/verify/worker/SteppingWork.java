package dev.tandem.verify.worker;

import dev.tandem.api.TaskContext;
import dev.tandem.kit.JsonLinesLog;
import dev.tandem.verify.load.FeatureTasks;
import dev.tandem.verify.load.HandlerInstruction;
import dev.tandem.verify.load.HandlerInstruction.Outcome;
import dev.tandem.verify.record.Event;
import java.util.concurrent.TimeUnit;

/** The work of a task in steps. It saves a checkpoint behind each, and begins behind the last one that was saved. */
final class SteppingWork {

    private final String process;
    private final JsonLinesLog<Event> log;

    SteppingWork(String process, JsonLinesLog<Event> log) {
        this.process = process;
        this.log = log;
    }

    /** @throws IllegalStateException in the middle of the first attempt, if the payload says so */
    void run(TaskContext task, HandlerInstruction instruction) throws InterruptedException {
        long asked = System.nanoTime();
        int from = task.checkpoint(Integer.class).orElse(0);
        log.write(new Event.CheckpointRead(System.nanoTime(), asked, process, task.id(), task.token(), from));
        for (int step = from + 1; step <= FeatureTasks.STEPS; step++) {
            TimeUnit.MILLISECONDS.sleep(instruction.millis() / FeatureTasks.STEPS);
            task.checkpoint(step);
            log.write(new Event.CheckpointSaved(System.nanoTime(), process, task.id(), task.token(), step));
            if (step == FeatureTasks.STEPS / 2 && task.attempt() == 1 && instruction.outcome() == Outcome.FAIL_ONCE) {
                throw new IllegalStateException("The payload says so");
            }
        }
    }
}
