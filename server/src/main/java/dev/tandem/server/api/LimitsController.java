package dev.tandem.server.api;

import dev.tandem.server.access.Needs;
import dev.tandem.server.access.Permission;
import dev.tandem.server.api.RateViews.RateLimit;
import dev.tandem.server.inspect.Inspection;
import dev.tandem.task.store.PermitRequest.PermitRun;
import dev.tandem.task.store.PermitView;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Shows the limits of tasks that run at once in all executors, and of those that begin in a time. */
@RestController
@Needs(Permission.VIEW)
@RequestMapping("/api/v1/limits")
final class LimitsController {

    /** The limits that are shown at once, the first ones by name. */
    private static final int MOST_SHOWN = 200;

    /** The buckets that are named of each rate limit, and of one that is shown alone. */
    private static final int MOST_BUCKETS = 5;

    private static final int MOST_BUCKETS_OF_ONE = 100;

    record Limits(List<Limit> limits, List<RateLimit> rateLimits) {}

    /** A limit, a rate limit, or both, under one name. Without a limit, there is only its name and the rate limit. */
    record Named(
            String name,
            @Nullable Integer max,
            @Nullable Integer held,
            @Nullable Integer running,
            @Nullable Integer waiting,
            @Nullable List<Holder> executors,
            @Nullable RateLimit rateLimit) {}

    /**
     * A limit.
     *
     * @param max the most tasks at once; 0 if no executor uses the limit now
     * @param held the permits that executors have
     * @param running the tasks that run with one
     * @param waiting the tasks that executors have taken and that wait for one
     */
    record Limit(String name, int max, int held, int running, int waiting, List<Holder> executors) {}

    /** An executor with permits, or one that wants some. @param leaseMillis how long it has them unless it renews them */
    record Holder(String id, int held, int running, int waiting, long leaseMillis, List<LimitedRun> runs) {}

    /** A task that runs with a permit. @param since when it got the permit */
    record LimitedRun(String queue, String ref, String id, Instant since) {}

    private final Inspection inspection;

    LimitsController(Inspection inspection) {
        this.inspection = inspection;
    }

    @GetMapping
    Limits all() {
        List<String> names = inspection.limits().stream().limit(MOST_SHOWN).toList();
        List<String> rates = inspection.rateLimits().stream().limit(MOST_SHOWN).toList();
        return new Limits(
                inspection.limits(names).stream().map(LimitsController::view).toList(),
                inspection.rateLimits(rates, MOST_BUCKETS).stream()
                        .map(RateViews::of)
                        .toList());
    }

    @GetMapping("/{limit}")
    Named one(@PathVariable String limit) {
        Limit found = inspection.limits().contains(limit)
                ? inspection.limits(List.of(limit)).stream()
                        .map(LimitsController::view)
                        .findFirst()
                        .orElse(null)
                : null;
        RateLimit rate = inspection.rateLimits().contains(limit)
                ? inspection.rateLimits(List.of(limit), MOST_BUCKETS_OF_ONE).stream()
                        .map(RateViews::of)
                        .findFirst()
                        .orElse(null)
                : null;
        if (found == null && rate == null) {
            throw ProblemType.UNKNOWN_LIMIT.refusal(
                    "There is no limit '" + limit + "'",
                    "./tandem limits shows those that executors have used within a day");
        }
        return found == null
                ? new Named(limit, null, null, null, null, null, rate)
                : new Named(
                        found.name(),
                        found.max(),
                        found.held(),
                        found.running(),
                        found.waiting(),
                        found.executors(),
                        rate);
    }

    private static Limit view(PermitView view) {
        List<Holder> executors = view.holders().stream()
                .map(each -> new Holder(
                        each.executor(),
                        each.held(),
                        each.used(),
                        each.waiting(),
                        each.leaseMillis(),
                        each.runs().stream().map(LimitsController::run).toList()))
                .sorted(Comparator.comparing(Holder::id))
                .toList();
        return new Limit(
                view.name(),
                view.max(),
                executors.stream().mapToInt(Holder::held).sum(),
                executors.stream().mapToInt(Holder::running).sum(),
                executors.stream().mapToInt(Holder::waiting).sum(),
                executors);
    }

    private static LimitedRun run(PermitRun run) {
        return new LimitedRun(run.queue(), "@" + run.place(), run.id(), Instant.ofEpochMilli(run.since()));
    }
}
