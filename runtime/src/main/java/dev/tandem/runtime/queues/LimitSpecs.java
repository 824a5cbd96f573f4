package dev.tandem.runtime.queues;

import dev.tandem.executor.TaskLimit;
import dev.tandem.executor.TaskPattern;
import dev.tandem.executor.TaskRate;
import dev.tandem.runtime.settings.LimitSettings;
import dev.tandem.runtime.settings.RateLimitSettings;
import dev.tandem.runtime.settings.RateText;
import dev.tandem.runtime.settings.TandemSettings;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Makes the limits of queues from the settings. */
final class LimitSpecs {

    private LimitSpecs() {}

    /** Returns the limits of each queue that has some. */
    static Map<String, List<TaskLimit>> of(TandemSettings settings) {
        Map<String, List<TaskLimit>> limits = new LinkedHashMap<>();
        settings.queues().forEach((name, queue) -> {
            List<TaskLimit> its = new ArrayList<>();
            if (queue.maxRunning() > 0) {
                its.add(TaskLimit.ofQueue(name, queue.maxRunning()));
            }
            settings.limits().forEach((limit, of) -> {
                if (of.queues().isEmpty() || of.queues().contains(name)) {
                    its.add(limit(limit, of));
                }
            });
            if (!its.isEmpty()) {
                limits.put(name, its);
            }
        });
        return limits;
    }

    /** Returns the rate limits of each queue that has some. */
    static Map<String, List<TaskRate>> rates(TandemSettings settings) {
        Map<String, List<TaskRate>> rates = new LinkedHashMap<>();
        settings.queues().keySet().forEach(queue -> {
            List<TaskRate> its = new ArrayList<>();
            settings.rateLimits().forEach((name, of) -> {
                if (of.queues().isEmpty() || of.queues().contains(queue)) {
                    its.add(rate(name, of));
                }
            });
            if (!its.isEmpty()) {
                rates.put(queue, its);
            }
        });
        return rates;
    }

    private static TaskRate rate(String name, RateLimitSettings limit) {
        String rate = limit.rate();
        if (rate == null) {
            throw new IllegalStateException("The rate limit '" + name + "' has no rate");
        }
        return new TaskRate(
                name,
                RateText.intervalMicros(rate),
                limit.burst(),
                per(limit.per()),
                new TaskPattern(limit.types(), limit.keys()));
    }

    private static @Nullable String per(String text) {
        if (text.equals("none")) {
            return null;
        }
        return text.equals("key") ? TaskRate.PER_KEY : text.substring("header:".length());
    }

    private static TaskLimit limit(String name, LimitSettings limit) {
        Integer max = limit.maxRunning();
        if (max == null) {
            throw new IllegalStateException("The limit '" + name + "' has no max-running");
        }
        return new TaskLimit(name, max, new TaskPattern(limit.types(), limit.keys()));
    }
}
