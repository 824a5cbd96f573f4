package dev.tandem.server.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.tandem.api.Overlap;
import dev.tandem.runtime.schedules.Schedule;
import dev.tandem.runtime.schedules.ScheduleJson;
import dev.tandem.runtime.schedules.Timing;
import dev.tandem.runtime.schedules.TimingWords;
import dev.tandem.server.inspect.ScheduleAdministration;
import dev.tandem.task.schedule.ScheduleBook;
import dev.tandem.task.schedule.ScheduleBook.Change;
import dev.tandem.task.schedule.ScheduleBook.Entry;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** Shows the schedules of all programs; pauses and resumes them, and fires them now. */
@RestController
@RequestMapping("/api/v1/schedules")
final class SchedulesController {

    private static final int MOST_SHOWN = 100;

    /** Schedules. @param now the time by the clock that schedules follow */
    record Schedules(Instant now, List<View> schedules) {}

    /**
     * A schedule. Its payload is not shown.
     *
     * @param state {@code active}, {@code paused}, {@code gone} if no program has it, or {@code unreadable} if a program of a
     *     later version wrote it
     * @param when when it fires, in words
     * @param seen when a program last said that it has it
     * @param fired the last instant that fired or was passed over
     * @param next the next instants, without jitter; none unless it is active
     * @param now the time by the clock that schedules follow; null in a list, which says it once
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record View(
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
            @Nullable Instant now) {}

    private final ScheduleAdministration schedules;

    SchedulesController(ScheduleAdministration schedules) {
        this.schedules = schedules;
    }

    @GetMapping
    Schedules all(@RequestParam(defaultValue = "5") int next) {
        long now = schedules.now();
        return new Schedules(
                Instant.ofEpochMilli(now),
                schedules.all().stream()
                        .map(each -> view(each, now, next, false))
                        .toList());
    }

    @GetMapping("/{schedule}")
    View one(@PathVariable String schedule, @RequestParam(defaultValue = "5") int next) {
        return schedules.all().stream()
                .filter(each -> each.id().equals(schedule))
                .findFirst()
                .map(each -> view(each, schedules.now(), next, true))
                .orElseThrow(() -> notFound(schedule));
    }

    @PostMapping("/{schedule}/pause")
    @ResponseStatus(HttpStatus.ACCEPTED)
    Views.Changed pause(@PathVariable String schedule) {
        return change(schedule, Change.PAUSE);
    }

    @PostMapping("/{schedule}/resume")
    @ResponseStatus(HttpStatus.ACCEPTED)
    Views.Changed resume(@PathVariable String schedule) {
        return change(schedule, Change.RESUME);
    }

    @PostMapping("/{schedule}/fire")
    @ResponseStatus(HttpStatus.ACCEPTED)
    Views.Changed fire(@PathVariable String schedule) {
        return change(schedule, Change.FIRE);
    }

    @DeleteMapping("/{schedule}")
    @ResponseStatus(HttpStatus.ACCEPTED)
    Views.Changed forget(@PathVariable String schedule) {
        return change(schedule, Change.FORGET);
    }

    private Views.Changed change(String id, Change change) {
        return switch (schedules.change(id, change)) {
            case DONE -> new Views.Changed(1);
            case NOT_FOUND -> throw notFound(id);
            case CURRENT ->
                throw ApiException.conflict(
                        "A program has the schedule '" + id + "', and would announce it again",
                        "Remove it from the settings or the code of all programs first, or set its enabled to false");
            case STALE ->
                throw ApiException.conflict(
                        "No running program has the schedule '" + id + "', so that nobody would fire it",
                        "Start a program that has it");
        };
    }

    private static ApiException notFound(String id) {
        return ApiException.notFound(
                "There is no schedule '" + id + "'",
                "./tandem schedules list shows those that programs have announced");
    }

    private static View view(Entry entry, long now, int count, boolean single) {
        if (count < 0 || count > MOST_SHOWN) {
            throw ApiException.badRequest("next is " + count, "Give 0 to " + MOST_SHOWN);
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
                timing == null ? null : TimingWords.of(timing),
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
