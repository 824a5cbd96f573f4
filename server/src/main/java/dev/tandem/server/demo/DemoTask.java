package dev.tandem.server.demo;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One task of the demonstration, and what is to become of it.
 *
 * @param id unique in the whole workload
 * @param queue where it is published
 * @param key null for one without order
 * @param step its place among the tasks of its key, from 0
 * @param delay from publishing to its earliest start; zero for none
 * @param workMillis how long a run takes
 * @param failures how many runs fail before one succeeds
 * @param dead it can never succeed
 */
record DemoTask(
        String id,
        String queue,
        @Nullable String key,
        int step,
        Duration delay,
        int workMillis,
        int failures,
        boolean dead) {

    /** What its handler reads: the fate, as {@code work failures dead}. */
    String payload() {
        return "{\"work\":" + workMillis + ",\"failures\":" + failures + ",\"dead\":" + dead + ",\"step\":" + step
                + "}";
    }

    boolean delayed() {
        return !delay.isZero();
    }
}
