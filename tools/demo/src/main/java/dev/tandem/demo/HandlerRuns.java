package dev.tandem.demo;

import dev.tandem.demo.DemoCheck.Kill;
import dev.tandem.demo.DemoCheck.Published;
import dev.tandem.demo.DemoEvent.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Pairs the events of the event logs: a start and an end with the same task and token are one run. */
final class HandlerRuns {

    private HandlerRuns() {}

    /**
     * Returns all runs of the published tasks.
     *
     * @param published by id of the task; events of other tasks are left out
     * @param logs by executor, each in the sequence in which it was written
     */
    static List<HandlerRun> read(
            Map<String, Published> published, Map<String, List<DemoEvent>> logs, @Nullable Kill kill) {
        List<HandlerRun> runs = new ArrayList<>();
        logs.forEach((executor, events) -> {
            boolean killed = kill != null && kill.executor().equals(executor);
            readLog(published, executor, events, killed ? kill.micros() : Long.MAX_VALUE, runs);
        });
        return runs;
    }

    private static void readLog(
            Map<String, Published> published,
            String executor,
            List<DemoEvent> events,
            long unfinishedEnd,
            List<HandlerRun> runs) {
        Map<String, DemoEvent> open = new HashMap<>();
        for (DemoEvent event : events) {
            Published known = published.get(event.id());
            if (known == null) {
                continue; // published by someone else
            }
            String run = event.id() + ' ' + event.token();
            if (event.kind() == Kind.START) {
                open.put(run, event);
                continue;
            }
            DemoEvent start = open.remove(run);
            if (start != null) {
                runs.add(new HandlerRun(
                        known.task(), executor, start.micros(), event.micros(), event.kind(), event.token()));
            }
        }
        for (DemoEvent start : open.values()) {
            Published known = published.get(start.id());
            if (known != null) {
                runs.add(new HandlerRun(known.task(), executor, start.micros(), unfinishedEnd, null, start.token()));
            }
        }
    }
}
