package dev.tandem.demo;

import dev.tandem.demo.DemoCheck.Kill;
import dev.tandem.demo.DemoCheck.Published;
import dev.tandem.demo.DemoTask.PlannedEnd;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/** Counts from the event logs how many tasks of the queue with a limit ran at the same time, in all executors. */
final class PermitCheck {

    private PermitCheck() {}

    /** Returns the most that ran at once. @param logs by executor, each in the sequence in which it was written */
    static int mostAtOnce(Map<String, List<DemoEvent>> logs, @Nullable Kill kill) {
        Map<String, Published> limited = new HashMap<>();
        logs.values().stream()
                .flatMap(Collection::stream)
                .map(DemoEvent::id)
                .filter(Firings::isFiring)
                .forEach(id -> limited.put(id, new Published(task(id), 0)));
        List<HandlerRun> runs = HandlerRuns.read(limited, logs, kill).stream()
                .sorted(HandlerRun.BY_START)
                .toList();
        int most = 0;
        PriorityQueue<Long> ends = new PriorityQueue<>();
        for (HandlerRun run : runs) {
            while (!ends.isEmpty() && ends.element() <= run.start()) {
                ends.remove();
            }
            ends.add(run.end());
            most = Math.max(most, ends.size());
        }
        return most;
    }

    private static DemoTask task(String id) {
        return new DemoTask(id, DemoWorkload.REPORTS, null, 0, Duration.ZERO, 0, 0, PlannedEnd.SUCCEEDS);
    }
}
