package dev.tandem.demo;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One task of the demonstration, with its planned end.
 *
 * @param id unique in the whole workload
 * @param queue the queue to which it is published
 * @param key null if the task needs no order
 * @param step its place among the tasks of its key, from 0
 * @param delay the time from publishing to its earliest start; zero for none
 * @param workMillis how long a run takes
 * @param failures how many attempts fail before one succeeds
 * @param end what is to become of it
 */
record DemoTask(
        String id,
        String queue,
        @Nullable String key,
        int step,
        Duration delay,
        int workMillis,
        int failures,
        PlannedEnd end) {

    /** The planned end of a task. */
    enum PlannedEnd {
        SUCCEEDS,
        DIES,
        /** Waits behind a dead task of its key, and never starts. */
        WAITS
    }

    /** The payload as JSON, read by the handler as a {@link DemoHandler.Script}. */
    String payload() {
        return "{\"work\":" + workMillis + ",\"failures\":" + failures + ",\"dead\":" + dies() + ",\"step\":" + step
                + "}";
    }

    boolean dies() {
        return end == PlannedEnd.DIES;
    }

    boolean waits() {
        return end == PlannedEnd.WAITS;
    }

    boolean delayed() {
        return !delay.isZero();
    }
}
