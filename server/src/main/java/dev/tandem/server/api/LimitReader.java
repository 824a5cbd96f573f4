package dev.tandem.server.api;

import dev.tandem.runtime.queues.ConfiguredLimits;
import dev.tandem.server.api.RateViews.RateLimit;
import dev.tandem.server.inspect.Inspection;
import dev.tandem.server.why.LimitNumbers;
import dev.tandem.server.words.Sentence;
import dev.tandem.task.WaitReason;
import dev.tandem.task.store.LimitNames;
import dev.tandem.task.store.LimitOverride;
import dev.tandem.task.store.PermitRequest.PermitRun;
import dev.tandem.task.store.PermitView;
import dev.tandem.task.store.RateInfo;
import dev.tandem.task.store.RateView;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads limits of tasks that run at once, and of those that begin in a time, for the API and the console. Thread-safe. */
public final class LimitReader {

    /** The limits that are shown at once. */
    private static final int MOST_SHOWN = 200;

    /** The limits that are shown of a queue, the first ones by name. */
    private static final int MOST_OF_QUEUE = 50;

    /** The buckets that are named of each rate limit, and of one that is shown alone. */
    private static final int MOST_BUCKETS = 5;

    private static final int MOST_BUCKETS_OF_ONE = 100;

    public record Limits(List<Limit> limits, List<RateLimit> rateLimits) {}

    /** A limit, a rate limit, or both, under one name. Without a limit, there is only its name and the rate limit. */
    public record Named(
            String name,
            @Nullable Integer max,
            @Nullable Integer configured,
            @Nullable Overridden override,
            @Nullable Integer held,
            @Nullable Integer running,
            @Nullable Integer waiting,
            @Nullable List<Holder> executors,
            @Nullable RateLimit rateLimit) {}

    /**
     * A limit.
     *
     * @param max the most tasks at once that is in force: what an operator has set, else what is configured
     * @param configured the same as the executor that asked last says, else as this server's settings say; 0 if no executor uses the
     *     limit now and the settings do not have it
     * @param override null if nobody has changed it
     * @param held the permits that executors have
     * @param running the tasks that run with one
     * @param waiting the tasks that executors have taken and that wait for one
     */
    public record Limit(
            String name,
            int max,
            int configured,
            @Nullable Overridden override,
            int held,
            int running,
            int waiting,
            List<Holder> executors) {}

    /** The operator who has changed a limit, and the time. @param revision a change that names it is refused if the limit has changed since */
    public record Overridden(String by, Instant at, String revision) {

        /** Returns the revision by which a change names what was seen. */
        public static String revision(@Nullable Overridden seen) {
            return seen == null ? LimitOverride.NO_REVISION : seen.revision();
        }

        static @Nullable Overridden of(@Nullable LimitOverride override) {
            return override == null
                    ? null
                    : new Overridden(override.by(), Instant.ofEpochMilli(override.atMillis()), override.revision());
        }
    }

    /** An executor with permits, or one that wants some. @param leaseMillis how long it has them unless it renews them */
    public record Holder(String id, int held, int running, int waiting, long leaseMillis, List<LimitedRun> runs) {}

    /** A task that runs with a permit. @param since when it got the permit */
    public record LimitedRun(String queue, String ref, String id, Instant since) {}

    private final Inspection inspection;
    private final ConfiguredLimits configured;

    LimitReader(Inspection inspection, ConfiguredLimits configured) {
        this.inspection = inspection;
        this.configured = configured;
    }

    /** Returns 200 limits and rate limits by name, with a few buckets of each: those with an override, then the first others. */
    public Limits all() {
        return new Limits(
                permits(first(inspection.limits(), configured.permits().keySet())),
                rates(first(inspection.rateLimits(), configured.rates().keySet()), MOST_BUCKETS));
    }

    /** Returns the first 50 limits and rate limits of this server's settings that tasks of a queue may have, without buckets. */
    public Limits ofQueue(String queue) {
        List<String> names = configured.ofQueues().getOrDefault(queue, new TreeSet<>()).stream()
                .limit(MOST_OF_QUEUE)
                .toList();
        List<String> ofPermits =
                names.stream().filter(configured.permits()::containsKey).toList();
        List<String> ofRates =
                names.stream().filter(configured.rates()::containsKey).toList();
        return new Limits(
                ofPermits.isEmpty() ? List.of() : permits(ofPermits),
                ofRates.isEmpty() ? List.of() : rates(ofRates, 1));
    }

    /** Returns the names of limits with an override, then of those that executors have used and those of the settings. */
    private static List<String> first(LimitNames known, Set<String> configured) {
        Stream<String> others = Stream.concat(known.others().stream(), configured.stream());
        return Stream.concat(known.overridden().stream().sorted(), others.sorted())
                .distinct()
                .limit(MOST_SHOWN)
                .sorted()
                .toList();
    }

    private List<Limit> permits(List<String> names) {
        return inspection.limits(names).stream().map(this::view).toList();
    }

    /** Returns those that were used or changed, and those of the settings as if nobody had used them. */
    private List<RateLimit> rates(List<String> names, int buckets) {
        Map<String, RateView> known =
                inspection.rateLimits(names, buckets).stream().collect(Collectors.toMap(RateView::name, view -> view));
        return names.stream()
                .flatMap(name -> Stream.ofNullable(
                        merged(known.get(name), configured.rates().get(name))))
                .map(RateViews::of)
                .toList();
    }

    private static @Nullable RateView merged(@Nullable RateView known, @Nullable RateInfo configured) {
        if (configured == null || known != null && known.info() != null) {
            return known;
        }
        return known == null
                ? new RateView(configured, null, 0, 0, List.of())
                : new RateView(configured, known.override(), known.used(), known.paused(), known.buckets());
    }

    /**
     * Returns what has this name.
     *
     * @throws ApiException if nothing has
     */
    public Named one(String limit) {
        Limit found = permitsOf(limit);
        RateLimit rate =
                rates(List.of(limit), MOST_BUCKETS_OF_ONE).stream().findFirst().orElse(null);
        if (found == null && rate == null) {
            throw ProblemType.UNKNOWN_LIMIT.refusal(
                    Sentence.of("problem.no-limit", limit), Sentence.of("remedy.limits"));
        }
        return found == null
                ? new Named(limit, null, null, null, null, null, null, null, rate)
                : new Named(
                        found.name(),
                        found.max(),
                        found.configured(),
                        found.override(),
                        found.held(),
                        found.running(),
                        found.waiting(),
                        found.executors(),
                        rate);
    }

    private @Nullable Limit permitsOf(String limit) {
        return inspection.limits(List.of(limit)).stream()
                .filter(this::isKnown)
                .findFirst()
                .map(this::view)
                .orElse(null);
    }

    /** The list may lack a limit that has an override. */
    private boolean isKnown(PermitView view) {
        return view.override() != null
                || !view.holders().isEmpty()
                || configured.permits().containsKey(view.name())
                || inspection.limits().contains(view.name());
    }

    /** Returns the numbers of the limits for which tasks wait. Reads nothing if they wait for none. */
    LimitNumbers numbers(Collection<WaitReason> reasons) {
        Set<String> limits = LimitNumbers.limits(reasons);
        Set<String> rateLimits = LimitNumbers.rateLimits(reasons);
        return new LimitNumbers(
                limits.isEmpty()
                        ? Map.of()
                        : permits(List.copyOf(limits)).stream()
                                .filter(each -> each.max() > 0)
                                .collect(Collectors.toMap(Limit::name, LimitReader::mostAtOnce)),
                rateLimits.isEmpty()
                        ? Map.of()
                        : rates(List.copyOf(rateLimits), 1).stream()
                                .collect(Collectors.toMap(RateLimit::name, LimitReader::rate)));
    }

    private static Sentence mostAtOnce(Limit limit) {
        return setBy(Sentence.of("limit.at-most", String.valueOf(limit.max())), limit.override());
    }

    private static Sentence rate(RateLimit limit) {
        return setBy(Sentence.of("limit.rate", limit.rate(), String.valueOf(limit.burst())), limit.override());
    }

    private static Sentence setBy(Sentence number, @Nullable Overridden override) {
        return override == null ? number : Sentence.of("limit.set-by", number, override.by());
    }

    private Limit view(PermitView view) {
        List<Holder> executors = view.holders().stream()
                .map(each -> new Holder(
                        each.executor(),
                        each.held(),
                        each.used(),
                        each.waiting(),
                        each.leaseMillis(),
                        each.runs().stream().map(LimitReader::run).toList()))
                .sorted(Comparator.comparing(Holder::id))
                .toList();
        int max =
                view.configured() > 0 ? view.configured() : configured.permits().getOrDefault(view.name(), 0);
        LimitOverride.OfPermits override = view.override();
        return new Limit(
                view.name(),
                override == null ? max : override.max(),
                max,
                Overridden.of(override),
                executors.stream().mapToInt(Holder::held).sum(),
                executors.stream().mapToInt(Holder::running).sum(),
                executors.stream().mapToInt(Holder::waiting).sum(),
                executors);
    }

    private static LimitedRun run(PermitRun run) {
        return new LimitedRun(run.queue(), "@" + run.place(), run.id(), Instant.ofEpochMilli(run.since()));
    }
}
