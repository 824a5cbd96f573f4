package dev.tandem.runtime.settings;

import dev.tandem.api.Overlap;
import dev.tandem.runtime.schedules.CronException;
import dev.tandem.runtime.schedules.CronExpression;
import dev.tandem.runtime.schedules.Timing;
import dev.tandem.task.Partition;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Checks the settings of schedules, each alone and how often all of them fire together. */
final class ScheduleSettingsCheck {

    private static final int MOST = 10_000;

    /** Firings in a second, over all schedules of a process. */
    private static final int FASTEST = 100;

    private static final int LONGEST_ID = 100;
    private static final long DAY_SECONDS = 86_400;

    private final TandemSettings settings;
    private final SettingProblems problems;
    private final UnaryOperator<String> prefixes;

    ScheduleSettingsCheck(TandemSettings settings, SettingProblems problems) {
        this(settings, problems, ScheduleSettingsCheck::prefix);
    }

    /** @param prefixes what the names of a schedule's settings begin with, by its id */
    private ScheduleSettingsCheck(TandemSettings settings, SettingProblems problems, UnaryOperator<String> prefixes) {
        this.settings = settings;
        this.problems = problems;
        this.prefixes = prefixes;
    }

    /** Checks a schedule that is none of these settings, for their queues. The problems name its settings without a prefix. */
    static List<SettingProblem> problems(TandemSettings settings, String id, ScheduleSettings schedule) {
        SettingProblems problems = new SettingProblems();
        new ScheduleSettingsCheck(settings, problems, each -> "").check(id, schedule);
        return problems.all();
    }

    void checkAll() {
        if (settings.schedules().size() > MOST) {
            problems.add(
                    "tandem.schedules",
                    settings.schedules().size() + " schedules",
                    "there may be " + MOST
                            + " in a process: let tasks with a delay submit their next ones, or split the"
                            + " process");
        }
        long inADay = 0;
        String fastest = "";
        long most = 0;
        for (var each : settings.schedules().entrySet()) {
            long firings = each.getValue().enabled() ? check(each.getKey(), each.getValue()) : 0;
            inADay += firings;
            if (firings > most) {
                most = firings;
                fastest = each.getKey();
            }
        }
        if (inADay > FASTEST * DAY_SECONDS) {
            problems.add(
                    "tandem.schedules",
                    inADay / DAY_SECONDS + " firings a second",
                    "all schedules of a process may fire " + FASTEST + " times a second together, and " + fastest
                            + " fires most: make cron or every rarer, or let one task do the work of several");
        }
    }

    /** Returns how often it fires in a day at most; 0 if its timing cannot be read. */
    private long check(String id, ScheduleSettings schedule) {
        String prefix = prefixes.apply(id);
        if (!Partition.isName(id) || id.length() > LONGEST_ID) {
            problems.add(
                    prefix.isEmpty() ? "id" : prefix.substring(0, prefix.length() - 1),
                    id,
                    "the id of a schedule must be 1 to " + LONGEST_ID
                            + " letters, digits, dots, underscores or hyphens");
        }
        checkQueue(prefix, schedule);
        problems.checkRange(
                prefix + "misfire-after", schedule.misfireAfter(), Duration.ofSeconds(1), Duration.ofDays(30));
        problems.checkRange(prefix + "misfire-max", schedule.misfireMax(), 1, 1_000);
        problems.checkRange(prefix + "jitter", schedule.jitter(), Duration.ZERO, Duration.ofDays(1));
        if (schedule.payload().length() > settings.maxPayload().toBytes()) {
            problems.add(
                    prefix + "payload",
                    schedule.payload().length() + " characters",
                    "it must not be longer than tandem.max-payload, which is " + settings.maxPayload());
        }
        Timing timing = checkTiming(prefix, schedule);
        return timing == null ? 0 : timing.firingsInADay();
    }

    private void checkQueue(String prefix, ScheduleSettings schedule) {
        String name = schedule.queue();
        QueueSettings queue = name == null ? null : settings.queues().get(name);
        if (queue == null) {
            problems.add(
                    prefix + "queue",
                    name,
                    "it must be the queue of its tasks, one of "
                            + String.join(", ", settings.queues().keySet())
                            + NearestWord.advice(name, settings.queues().keySet()));
            return;
        }
        if (!queue.ordered() && (schedule.key() != null || schedule.overlap() == Overlap.QUEUE)) {
            problems.add(
                    prefix + (schedule.key() != null ? "key" : "overlap"),
                    schedule.key() != null ? schedule.key() : "queue",
                    "tasks with a key wait for one another only in an ordered queue, and the ordering of " + name
                            + " is none: set " + QueueSettingsCheck.prefix(name) + "ordering to key, or leave it out");
        }
        if (schedule.overlap() == Overlap.SKIP && settings.history().succeededMax() == 0) {
            problems.add(
                    prefix + "overlap",
                    "skip",
                    "whether a task has ended is read from what is kept of successes, and tandem.history.succeeded-max is"
                            + " 0: set that to 1000 or more, or overlap to queue");
        }
        if (schedule.type() == null && queue.handler() == null) {
            problems.add(
                    prefix + "type",
                    null,
                    "it must be the type of a handler, because " + QueueSettingsCheck.prefix(String.valueOf(name))
                            + "handler is not set either");
        }
    }

    /** Returns the timing; null if it cannot be read, which is a problem then. */
    private @Nullable Timing checkTiming(String prefix, ScheduleSettings schedule) {
        String cron = schedule.cron();
        Duration every = schedule.every();
        ZoneId zone = every == null ? checkZone(prefix, schedule.zone()) : null;
        if ((cron == null) == (every == null)) {
            problems.add(
                    prefix + "cron",
                    cron,
                    cron == null
                            ? "set it, such as 0 30 2 * * *, or " + prefix + "every, such as 10m"
                            : prefix + "every is set too: leave one of them out");
            return null;
        }
        if (every != null) {
            if (every.toMillis() % 1_000 != 0
                    || every.compareTo(Duration.ofSeconds(1)) < 0
                    || every.compareTo(Duration.ofDays(3_650)) > 0) {
                problems.add(
                        prefix + "every",
                        DurationText.of(every),
                        "it must be whole seconds, 1s to 3650d (a number without a unit means milliseconds)");
                return null;
            }
            return new Timing.Every(every);
        }
        CronExpression expression = checkCron(prefix, String.valueOf(cron));
        return expression == null || zone == null ? null : new Timing.Cron(expression, zone);
    }

    private @Nullable CronExpression checkCron(String prefix, String cron) {
        try {
            return CronExpression.parse(cron);
        } catch (CronException e) {
            problems.add(prefix + "cron", cron, String.valueOf(e.getMessage()));
            return null;
        }
    }

    private @Nullable ZoneId checkZone(String prefix, String zone) {
        try {
            return ZoneId.of(zone);
        } catch (DateTimeException e) {
            problems.add(
                    prefix + "zone",
                    zone,
                    "it must be a time zone such as Europe/Berlin, America/New_York or UTC"
                            + NearestWord.advice(zone, ZoneId.getAvailableZoneIds()));
            return null;
        }
    }

    private static String prefix(String id) {
        return SettingProblems.section("tandem.schedules", id) + ".";
    }
}
