package dev.tandem.server.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.tandem.api.Overlap;
import dev.tandem.runtime.schedules.Schedule;
import dev.tandem.runtime.schedules.ScheduleJson;
import dev.tandem.runtime.schedules.Timing;
import dev.tandem.runtime.schedules.TimingWords;
import dev.tandem.server.words.Sentence;
import dev.tandem.task.schedule.ScheduleBook;
import dev.tandem.task.schedule.ScheduleBook.Entry;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Schedules, as the API shows them. */
public final class ScheduleViews {

    private static final int MOST_SHOWN = 100;

    private ScheduleViews() {}

    /** Schedules. @param now the time by the clock that schedules follow */
    public record Schedules(Instant now, List<View> schedules) {}

    /**
     * A schedule. Its payload is not shown.
     *
     * @param state {@code active}, {@code paused}, {@code gone} if no program has it, or {@code unreadable} if a program of a
     *     later version wrote it
     * @param when when it fires, in words
     * @param seen when a program last said that it has it
     * @param fired the last instant that fired or was passed over
     * @param next the next instants, without jitter; none unless it is active
     * @param created true if somebody created it in the store, so that it belongs to no program; null if not
     * @param now the time by the clock that schedules follow; null in a list, which says it once
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record View(
            String id,
            String state,
            @Nullable String queue,
            @Nullable String type,
            @Nullable String key,
            @Nullable String cron,
            @Nullable String zone,
            @Nullable String every,
            @Nullable String when,
            @Nullable String misfire,
            @Nullable String overlap,
            @Nullable String jitter,
            @Nullable Instant seen,
            @Nullable Instant fired,
            @Nullable Instant paused,
            @Nullable Instant asked,
            @Nullable Instant open,
            long firings,
            long missed,
            long skipped,
            List<Instant> next,
            @Nullable Boolean created,
            @Nullable Instant now) {}

    /**
     * Returns the view of a schedule.
     *
     * @param now the time by the clock that schedules follow, in epoch milliseconds
     * @param count how many next instants, 0 to 100
     * @param single whether no list says the time
     */
    public static View view(Entry entry, long now, int count, boolean single) {
        if (count < 0 || count > MOST_SHOWN) {
            throw ApiException.parameter(
                    "next", Sentence.of("problem.next", count), Sentence.of("remedy.zero-to", MOST_SHOWN));
        }
        Optional<Schedule> read = ScheduleJson.read(entry.definition());
        Schedule schedule = read.orElse(null);
        Timing timing = schedule == null ? null : schedule.timing();
        String state = state(entry, schedule != null, now);
        return new View(
                entry.id(),
                state,
                schedule == null ? null : schedule.queue(),
                schedule == null ? null : schedule.type(),
                schedule == null ? null : schedule.taskKey(),
                timing instanceof Timing.Cron cron ? cron.expression().toString() : null,
                timing instanceof Timing.Cron cron ? cron.zone().getId() : null,
                timing instanceof Timing.Every every ? every.interval().toString() : null,
                timing == null ? null : TimingWords.ENGLISH.of(timing),
                schedule == null ? null : Views.lower(schedule.misfire()),
                schedule == null ? null : Views.lower(schedule.overlap()),
                schedule == null ? null : schedule.jitter().toString(),
                time(entry.seen()),
                time(entry.fired()),
                time(entry.paused()),
                time(entry.asked()),
                schedule != null && (schedule.overlap() == Overlap.SKIP || schedule.overlap() == Overlap.CANCEL)
                        ? time(entry.open())
                        : null,
                entry.firings(),
                entry.missed(),
                entry.skipped(),
                timing == null || !state.equals("active")
                        ? List.of()
                        : timing.next(Instant.ofEpochMilli(Math.max(now, entry.fired())), count),
                entry.created() ? true : null,
                single ? time(now) : null);
    }

    private static String state(Entry entry, boolean readable, long now) {
        if (now - entry.seen() >= ScheduleBook.STALE_MILLIS) {
            return "gone";
        }
        if (!readable) {
            return "unreadable";
        }
        return entry.paused() == ScheduleBook.NONE ? "active" : "paused";
    }

    private static @Nullable Instant time(long millis) {
        return millis == ScheduleBook.NONE ? null : Instant.ofEpochMilli(millis);
    }
}
