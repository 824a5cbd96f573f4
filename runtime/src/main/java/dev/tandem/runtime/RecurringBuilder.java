package dev.tandem.runtime;

import dev.tandem.api.Misfire;
import dev.tandem.api.Overlap;
import java.time.Duration;
import java.time.ZoneId;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * Describes a schedule: a task that is submitted again and again. Every process with the schedule may submit the task of an
 * instant, and one of them does. A wrong value is refused when the program starts. Not thread-safe.
 */
public final class RecurringBuilder {

    private final String id;
    private final Map<String, String> settings = new LinkedHashMap<>();
    private @Nullable Object payload;

    RecurringBuilder(String id) {
        this.id = id;
    }

    /** Sets the queue of the tasks, which the settings must have. This process need not run its tasks. */
    public RecurringBuilder queue(String name) {
        return setting("queue", name);
    }

    /** Sets the type of the tasks. Default: the queue's default type. */
    public RecurringBuilder type(String name) {
        return setting("type", name);
    }

    /** Sets the ordering key of the tasks. Default: none. */
    public RecurringBuilder key(String value) {
        return setting("key", value);
    }

    /** Sets the payload of the tasks: text as it is, any other object as JSON. Default: an empty one. */
    public RecurringBuilder payload(Object value) {
        payload = value;
        return this;
    }

    /** Sets the times: second, minute, hour, day of the month, month, day of the week; such as {@code 0 30 2 * * *}. */
    public RecurringBuilder cron(String expression) {
        return setting("cron", expression);
    }

    /** Sets the time zone of {@link #cron}, such as {@code Europe/Berlin}. Default: UTC. */
    public RecurringBuilder zone(String name) {
        return setting("zone", name);
    }

    /** Sets the time zone of {@link #cron}. Default: UTC. */
    public RecurringBuilder zone(ZoneId zone) {
        return zone(zone.getId());
    }

    /** Sets the interval, in place of {@link #cron}. The instants are its multiples since 1970. */
    public RecurringBuilder every(Duration interval) {
        return setting("every", interval.toMillis() + "ms");
    }

    /** Sets what becomes of firings that no process could make in time. Default: {@link Misfire#ONE}. */
    public RecurringBuilder misfire(Misfire policy) {
        return setting("misfire", policy.name().toLowerCase(Locale.ROOT));
    }

    /** Sets how late a firing may be and still be in time. Default: a minute. */
    public RecurringBuilder misfireAfter(Duration late) {
        return setting("misfire-after", late.toMillis() + "ms");
    }

    /** Sets what becomes of a firing while the task of an earlier one has not ended. Default: {@link Overlap#ALLOW}. */
    public RecurringBuilder overlap(Overlap policy) {
        return setting("overlap", policy.name().toLowerCase(Locale.ROOT));
    }

    /** Sets the longest time by which a firing is put off, so that not all fire in the same second. Default: 0. */
    public RecurringBuilder jitter(Duration longest) {
        return setting("jitter", longest.toMillis() + "ms");
    }

    /**
     * Sets any setting of this schedule. It counts more than the same one in a file.
     *
     * @param name the name below the schedule, such as {@code misfire-max}
     * @param value as it would be written in a file
     */
    public RecurringBuilder setting(String name, String value) {
        settings.put(name, value);
        return this;
    }

    void addTo(ProgramSettings program, JsonMapper json) {
        if (payload != null) {
            setting("payload", payload instanceof String text ? text : json.writeValueAsString(payload));
        }
        settings.forEach((name, value) -> program.setSchedule(id, name, value));
    }
}
