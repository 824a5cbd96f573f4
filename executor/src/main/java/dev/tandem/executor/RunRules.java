package dev.tandem.executor;

import dev.tandem.api.HandlerOptions;
import dev.tandem.api.RetryPolicy;
import dev.tandem.task.Task;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Says how long and how often a queue's tasks may run, and what becomes of their failures: as the task asks, within limits;
 * else as its type says; else as the queue says. Pure and immutable.
 */
final class RunRules {

    /** The rules for the tasks of a type, or for all others of the queue. A timeout of 0 is none. */
    private record Rule(long timeoutMillis, int maxAttempts, OutcomeDecider decider) {}

    private final Rule queue;
    private final long timeoutLimitMillis;
    private final int maxAttemptsLimit;
    private final Map<String, Rule> types;

    /**
     * Makes the rules of a queue.
     *
     * @param timeoutLimit the longest timeout that a task may ask for; null for that of its type or queue
     * @param maxAttemptsLimit the most attempts that a task may ask for; less than those of its type or queue counts as those
     */
    RunRules(
            Duration timeout,
            @Nullable Duration timeoutLimit,
            int maxAttempts,
            int maxAttemptsLimit,
            RetryPolicy retry,
            Set<Class<? extends Throwable>> finalErrors,
            Map<String, HandlerOptions> options) {
        this.queue = new Rule(timeout.toMillis(), maxAttempts, new OutcomeDecider(retry, finalErrors));
        this.timeoutLimitMillis = (timeoutLimit == null ? timeout : timeoutLimit).toMillis();
        this.maxAttemptsLimit = Math.max(maxAttempts, maxAttemptsLimit);
        Map<String, Rule> rules = new LinkedHashMap<>();
        options.forEach((type, each) -> rules.put(type, rule(each, retry, finalErrors)));
        this.types = Map.copyOf(rules);
    }

    private Rule rule(HandlerOptions options, RetryPolicy retry, Set<Class<? extends Throwable>> finalErrors) {
        Set<Class<? extends Throwable>> all = new HashSet<>(finalErrors);
        all.addAll(options.deadOn());
        return new Rule(
                options.timeout() == null
                        ? queue.timeoutMillis
                        : options.timeout().toMillis(),
                Objects.requireNonNullElse(options.maxAttempts(), queue.maxAttempts),
                new OutcomeDecider(Objects.requireNonNullElse(options.backoff(), retry), all));
    }

    private Rule of(@Nullable String type) {
        return type == null ? queue : types.getOrDefault(type, queue);
    }

    /** Returns the longest run of a task; 0 if there is no limit. */
    long timeoutMillisOf(Task task, @Nullable String type) {
        Rule rule = of(type);
        if (task.timeoutMillis() <= 0) {
            return rule.timeoutMillis;
        }
        return timeoutLimitMillis == 0
                ? task.timeoutMillis()
                : Math.min(task.timeoutMillis(), Math.max(timeoutLimitMillis, rule.timeoutMillis));
    }

    int maxAttemptsOf(Task task, @Nullable String type) {
        Rule rule = of(type);
        return task.maxAttempts() > 0
                ? Math.min(task.maxAttempts(), Math.max(maxAttemptsLimit, rule.maxAttempts))
                : rule.maxAttempts;
    }

    OutcomeDecider deciderOf(@Nullable String type) {
        return of(type).decider;
    }
}
