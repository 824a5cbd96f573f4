package dev.tandem.server.api;

import dev.tandem.runtime.schedules.ScheduleJson;
import dev.tandem.runtime.settings.TandemSettings;
import dev.tandem.server.access.Needs;
import dev.tandem.server.access.Permission;
import dev.tandem.server.inspect.ScheduleAdministration;
import dev.tandem.server.words.Sentence;
import dev.tandem.task.schedule.ScheduleBook;
import dev.tandem.task.schedule.ScheduleBook.Change;
import dev.tandem.task.schedule.ScheduleBook.Definition;
import dev.tandem.task.schedule.ScheduleBook.Deleted;
import dev.tandem.task.schedule.ScheduleBook.Entry;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Stream;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** Shows the schedules of all programs; pauses and resumes them, and fires them now; creates and changes others. */
@RestController
@Needs(Permission.VIEW)
@RequestMapping("/api/v1/schedules")
final class SchedulesController {

    /** Firings in a second, of all created schedules together. */
    private static final int FASTEST = 100;

    private static final int SHOWN = 5;

    private final ScheduleAdministration schedules;
    private final TandemSettings settings;

    SchedulesController(ScheduleAdministration schedules, TandemSettings settings) {
        this.schedules = schedules;
        this.settings = settings;
    }

    @GetMapping
    ScheduleViews.Schedules all(@RequestParam(defaultValue = "5") int next) {
        long now = schedules.now();
        return new ScheduleViews.Schedules(
                Instant.ofEpochMilli(now),
                schedules.all().stream()
                        .map(each -> ScheduleViews.view(each, now, next, false))
                        .toList());
    }

    @GetMapping("/{schedule}")
    ScheduleViews.View one(@PathVariable String schedule, @RequestParam(defaultValue = "5") int next) {
        return schedules
                .find(schedule)
                .map(each -> ScheduleViews.view(each, schedules.now(), next, true))
                .orElseThrow(() -> notFound(schedule));
    }

    @Needs(Permission.OPERATE)
    @PostMapping("/{schedule}/create")
    @ResponseStatus(HttpStatus.ACCEPTED)
    ScheduleViews.View create(@PathVariable String schedule, HttpServletRequest request) {
        return define(schedule, ScheduleBody.read(RequestLimitFilter.takeBody(request)), ScheduleBook.NO_VERSION);
    }

    @Needs(Permission.OPERATE)
    @PutMapping("/{schedule}")
    @ResponseStatus(HttpStatus.ACCEPTED)
    ScheduleViews.View put(@PathVariable String schedule, HttpServletRequest request) {
        return define(schedule, ScheduleBody.read(RequestLimitFilter.takeBody(request)), ScheduleBook.ANY_VERSION);
    }

    @Needs(Permission.OPERATE)
    @PostMapping("/{schedule}/change")
    @ResponseStatus(HttpStatus.ACCEPTED)
    ScheduleViews.View change(@PathVariable String schedule, HttpServletRequest request) {
        ScheduleBody changes = ScheduleBody.read(RequestLimitFilter.takeBody(request));
        Definition current = schedules
                .created(schedule)
                .orElseThrow(() -> schedules.find(schedule).isPresent() ? ofProgram(schedule) : notFound(schedule));
        return define(schedule, ScheduleBody.of(current).with(changes), current.version());
    }

    private ScheduleViews.View define(String id, ScheduleBody body, String expected) {
        Definition definition = ScheduleJson.definition(body.schedule(id, settings));
        checkRate(id, definition.definition());
        switch (schedules.define(definition, expected)) {
            case DONE -> {
                return one(id, SHOWN);
            }
            case CURRENT -> throw ofProgram(id);
            case STALE ->
                throw ProblemType.SCHEDULE_OF_PROGRAM.refusal(
                        Sentence.of("problem.schedule-stale", id), Sentence.of("remedy.schedule-stale", id));
            case DIFFERS -> throw expected.equals(ScheduleBook.NO_VERSION) ? exists(id) : changed(id);
            case NO_ROOM, NOT_FOUND -> throw tooMany();
        }
        throw new IllegalStateException(id);
    }

    /** Each program with the queues fires all created schedules of them. */
    private void checkRate(String id, String definition) {
        long inADay = Stream.concat(
                        Stream.of(definition),
                        schedules.all().stream()
                                .filter(each -> each.created() && !each.id().equals(id))
                                .map(Entry::definition))
                .flatMap(each -> ScheduleJson.read(each).stream())
                .mapToLong(each -> each.timing().firingsInADay())
                .sum();
        if (inADay > FASTEST * 86_400) {
            throw ProblemType.INVALID_BODY.refusal(
                    Sentence.of("problem.schedules-too-fast", inADay / 86_400),
                    Sentence.of("remedy.schedules-too-fast", FASTEST));
        }
    }

    @Needs(Permission.OPERATE)
    @PostMapping("/{schedule}/pause")
    @ResponseStatus(HttpStatus.ACCEPTED)
    Views.Changed pause(@PathVariable String schedule) {
        return change(schedule, Change.PAUSE);
    }

    @Needs(Permission.OPERATE)
    @PostMapping("/{schedule}/resume")
    @ResponseStatus(HttpStatus.ACCEPTED)
    Views.Changed resume(@PathVariable String schedule) {
        return change(schedule, Change.RESUME);
    }

    @Needs(Permission.OPERATE)
    @PostMapping("/{schedule}/fire")
    @ResponseStatus(HttpStatus.ACCEPTED)
    Views.Changed fire(@PathVariable String schedule) {
        return change(schedule, Change.FIRE);
    }

    @Needs(Permission.OPERATE)
    @DeleteMapping("/{schedule}")
    @ResponseStatus(HttpStatus.ACCEPTED)
    Views.Changed forget(@PathVariable String schedule) {
        return change(schedule, Change.FORGET);
    }

    @Needs(Permission.OPERATE)
    @PostMapping("/{schedule}/restore")
    @ResponseStatus(HttpStatus.ACCEPTED)
    ScheduleViews.View restore(@PathVariable String schedule) {
        Optional<Deleted> deleted = schedules.deleted(schedule);
        deleted.filter(Deleted::created).ifPresent(its -> checkRate(schedule, its.definition()));
        return switch (schedules.restore(schedule, deleted.map(Deleted::version).orElse(ScheduleBook.NO_VERSION))) {
            case DONE -> one(schedule, SHOWN);
            case NOT_FOUND ->
                throw ProblemType.UNKNOWN_SCHEDULE.refusal(
                        Sentence.of("problem.no-deleted-schedule", schedule),
                        Sentence.of("remedy.no-deleted-schedule"));
            case CURRENT -> throw ofProgram(schedule);
            case STALE -> throw exists(schedule);
            case DIFFERS -> throw schedules.find(schedule).isPresent() ? exists(schedule) : changed(schedule);
            case NO_ROOM -> throw tooMany();
        };
    }

    private Views.Changed change(String id, Change change) {
        return switch (schedules.change(id, change)) {
            case DONE -> new Views.Changed(1);
            case NOT_FOUND -> throw notFound(id);
            case CURRENT ->
                throw ProblemType.SCHEDULE_OF_PROGRAM.refusal(
                        Sentence.of("problem.schedule-of-program", id), Sentence.of("remedy.schedule-of-program"));
            case STALE ->
                throw ProblemType.SCHEDULE_WITHOUT_PROGRAM.refusal(
                        Sentence.of("problem.schedule-without-program", id),
                        Sentence.of("remedy.schedule-without-program"));
            case DIFFERS, NO_ROOM -> throw new IllegalStateException(id);
        };
    }

    private static ApiException exists(String id) {
        return ProblemType.ALREADY_EXISTS.refusal(
                Sentence.of("problem.schedule-exists", id), Sentence.of("remedy.schedule-exists", id));
    }

    private static ApiException changed(String id) {
        return ProblemType.CONFLICT.refusal(
                Sentence.of("problem.schedule-changed", id), Sentence.of("remedy.try-again"));
    }

    private static ApiException tooMany() {
        return ProblemType.TOO_MANY.refusal(
                Sentence.of("problem.too-many-schedules"), Sentence.of("remedy.too-many-schedules"));
    }

    private static ApiException ofProgram(String id) {
        return ProblemType.SCHEDULE_OF_PROGRAM.refusal(
                Sentence.of("problem.schedule-is-of-program", id), Sentence.of("remedy.schedule-is-of-program"));
    }

    private static ApiException notFound(String id) {
        return ProblemType.UNKNOWN_SCHEDULE.refusal(
                Sentence.of("problem.no-schedule", id), Sentence.of("remedy.schedules"));
    }
}
