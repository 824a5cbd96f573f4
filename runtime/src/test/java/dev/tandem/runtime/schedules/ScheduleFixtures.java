package dev.tandem.runtime.schedules;

import dev.tandem.api.Misfire;
import dev.tandem.api.Overlap;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;

/** Schedules for tests. */
final class ScheduleFixtures {

    private ScheduleFixtures() {}

    static Schedule every(String id, Duration interval) {
        return of(id, new Timing.Every(interval), Misfire.ONE, Overlap.ALLOW);
    }

    static Schedule cron(String id, String expression, String zone) {
        return of(id, new Timing.Cron(CronExpression.parse(expression), ZoneId.of(zone)), Misfire.ONE, Overlap.ALLOW);
    }

    static Schedule of(String id, Timing timing, Misfire misfire, Overlap overlap) {
        return new Schedule(
                id, "reports", "nightly", null, "", timing, misfire, Duration.ofMinutes(1), 5, overlap, Duration.ZERO);
    }

    static Schedule with(Schedule schedule, Misfire misfire) {
        return of(schedule.id(), schedule.timing(), misfire, schedule.overlap());
    }

    static Schedule with(Schedule schedule, Overlap overlap) {
        return of(schedule.id(), schedule.timing(), schedule.misfire(), overlap);
    }

    static Schedule withJitter(Schedule schedule, Duration jitter) {
        return new Schedule(
                schedule.id(),
                schedule.queue(),
                schedule.type(),
                schedule.key(),
                schedule.payload(),
                schedule.timing(),
                schedule.misfire(),
                schedule.misfireAfter(),
                schedule.misfireMax(),
                schedule.overlap(),
                jitter);
    }

    static long at(String instant) {
        return Instant.parse(instant).toEpochMilli();
    }
}
