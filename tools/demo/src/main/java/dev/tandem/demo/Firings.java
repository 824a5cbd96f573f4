package dev.tandem.demo;

import dev.tandem.demo.DemoCheck.Published;
import dev.tandem.demo.DemoTask.PlannedEnd;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Knows the tasks that the schedules of the demonstration submit. Each instant of a schedule is a multiple of the same
 * interval, and the id of its task has the instant.
 */
final class Firings {

    /** The ids of the schedules. */
    static final List<String> SCHEDULES = List.of("sales-report", "stock-report", "tax-report");

    /** The time between two instants. */
    static final int SECONDS = 5;

    /** The limit of their queue: one task fewer than the schedules submit at a time. */
    static final int MAX_RUNNING = 2;

    private static final int WORK_MILLIS = 1_600;

    /** The payload of their tasks. */
    static final String PAYLOAD = task("", 0).payload();

    private Firings() {}

    /** Returns whether the task with this id is that of an instant. */
    static boolean isFiring(String id) {
        int at = id.indexOf('@');
        return at > 0 && SCHEDULES.contains(id.substring(0, at));
    }

    /**
     * Returns the tasks of the instants that must have fired: for each schedule all from the first one that has run to
     * the last one that was due. If none of a schedule has run, the last one is missing.
     *
     * @param ran the ids of the tasks that have run
     * @param from the time in epoch microseconds before which instants do not count: earlier runs may have left some
     * @param until the time in epoch microseconds of the last instant that counts
     */
    static List<Published> expected(Collection<String> ran, long from, long until) {
        long interval = Duration.ofSeconds(SECONDS).toMillis() * 1_000;
        long last = until / interval * interval;
        Map<String, Long> first = new HashMap<>();
        for (String id : ran) {
            if (isFiring(id) && micros(id) >= from) {
                first.merge(schedule(id), micros(id), Math::min);
            }
        }
        List<Published> expected = new ArrayList<>();
        for (String schedule : SCHEDULES) {
            for (long at = first.getOrDefault(schedule, last); at <= last; at += interval) {
                expected.add(new Published(task(schedule, at), at));
            }
        }
        return expected;
    }

    private static String schedule(String id) {
        return id.substring(0, id.indexOf('@'));
    }

    /** Returns the instant of a task; 0 if an operator had its schedule fire, whose time is none. */
    private static long micros(String id) {
        try {
            long millis = Instant.parse(id.substring(id.indexOf('@') + 1)).toEpochMilli();
            return millis % (SECONDS * 1_000) == 0 ? millis * 1_000 : 0;
        } catch (DateTimeException e) {
            return 0;
        }
    }

    private static DemoTask task(String schedule, long micros) {
        String id = schedule + "@" + Instant.ofEpochMilli(micros / 1_000);
        return new DemoTask(id, DemoWorkload.REPORTS, null, 0, Duration.ZERO, WORK_MILLIS, 0, PlannedEnd.SUCCEEDS);
    }
}
