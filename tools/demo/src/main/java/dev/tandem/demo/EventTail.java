package dev.tandem.demo;

import dev.tandem.demo.DemoEvent.Kind;
import dev.tandem.kit.JsonLinesTail;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Follows the event logs of some executors as they grow. Not thread-safe. */
final class EventTail {

    private static final class Follower {
        final JsonLinesTail<DemoEvent> log;
        final List<DemoEvent> events = new ArrayList<>();
        final Set<String> running = new HashSet<>();

        Follower(Path file) {
            log = new JsonLinesTail<>(file, DemoEvent.class);
        }
    }

    private final Map<String, Follower> followers = new LinkedHashMap<>();
    private final Set<String> finished = new HashSet<>();
    private final Set<String> finishedFirings = new HashSet<>();
    private int failures;

    void follow(String executor, Path file) {
        followers.put(executor, new Follower(file));
    }

    /** Reads the new events. @return how many there were of published tasks: schedules go on for ever */
    int read() {
        int count = 0;
        for (Follower follower : followers.values()) {
            for (DemoEvent event : follower.log.next()) {
                follower.events.add(event);
                if (event.kind().ends()) {
                    follower.running.remove(event.id());
                } else {
                    follower.running.add(event.id());
                }
                count += count(event);
            }
        }
        return count;
    }

    private int count(DemoEvent event) {
        boolean firing = Firings.isFiring(event.id());
        failures += event.kind() == Kind.FAILURE ? 1 : 0;
        if (event.kind() == Kind.SUCCESS || event.kind() == Kind.DEAD) {
            (firing ? finishedFirings : finished).add(event.id());
        }
        return firing ? 0 : 1;
    }

    /** The ids of the published tasks that succeeded or died. */
    Set<String> finished() {
        return finished;
    }

    /** The ids of the tasks of schedules that have ended. */
    Set<String> finishedFirings() {
        return finishedFirings;
    }

    /** Returns the ids of all tasks that have started. */
    Set<String> started() {
        Set<String> ids = new HashSet<>();
        followers.values().forEach(follower -> follower.events.forEach(event -> ids.add(event.id())));
        return ids;
    }

    int failures() {
        return failures;
    }

    /** Returns the ids of the tasks whose runs on an executor have started and not ended. */
    Set<String> runningOn(String executor) {
        Follower follower = followers.get(executor);
        return follower == null ? Set.of() : follower.running;
    }

    Map<String, List<DemoEvent>> events() {
        Map<String, List<DemoEvent>> events = new LinkedHashMap<>();
        followers.forEach((executor, follower) -> events.put(executor, follower.events));
        return events;
    }
}
