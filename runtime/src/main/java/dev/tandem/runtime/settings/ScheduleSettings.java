package dev.tandem.runtime.settings;

import dev.tandem.api.Misfire;
import dev.tandem.api.Overlap;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The settings of one schedule, under {@code tandem.schedules.<id>.}. Either {@code cron} or {@code every} is required.
 *
 * @param enabled whether this process has the schedule
 * @param queue the queue of its tasks; required
 * @param type the type of its tasks; default: the queue's {@code handler}
 * @param key the ordering key of its tasks; default: none, or the schedule's id with {@code overlap: queue}
 * @param payload the payload of its tasks
 * @param cron second minute hour day-of-month month day-of-week
 * @param zone the time zone of {@code cron}, such as Europe/Berlin
 * @param every the interval between two firings, in whole seconds
 * @param misfire what becomes of firings that no process could make in time
 * @param misfireAfter how late a firing may be and still be in time
 * @param misfireMax with {@code misfire: all}, the most missed firings that are made
 * @param overlap what becomes of a firing while the task of an earlier one has not ended
 * @param jitter the longest time by which a firing is put off
 */
public record ScheduleSettings(
        @DefaultValue("true") boolean enabled,
        @Nullable String queue,
        @Nullable String type,
        @Nullable String key,
        @DefaultValue("") String payload,
        @Nullable String cron,
        @DefaultValue("UTC") String zone,
        @Nullable Duration every,
        @DefaultValue("one") Misfire misfire,
        @DefaultValue("1m") Duration misfireAfter,
        @DefaultValue("100") int misfireMax,
        @DefaultValue("allow") Overlap overlap,
        @DefaultValue("0s") Duration jitter) {

    /** Returns what is wrong with this schedule in a process with these settings, as sentences. Empty if it may fire there. */
    public List<String> problems(String id, TandemSettings settings) {
        return ScheduleSettingsCheck.problems(settings, id, this).stream()
                .map(SettingProblem::toString)
                .toList();
    }

    /** Leaves out the payload, which may be secret. */
    @Override
    public String toString() {
        return "ScheduleSettings[enabled=" + enabled + ", queue=" + queue + ", type=" + type + ", key=" + key
                + ", cron="
                + cron + ", zone=" + zone + ", every=" + every + ", misfire=" + misfire + ", misfireAfter="
                + misfireAfter + ", misfireMax=" + misfireMax + ", overlap=" + overlap + ", jitter=" + jitter + "]";
    }
}
