package dev.tandem.runtime.queues;

import dev.tandem.executor.TaskLimit;
import dev.tandem.executor.TaskRate;
import dev.tandem.runtime.settings.TandemSettings;
import dev.tandem.task.store.RateInfo;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The limits of the settings, used or not.
 *
 * @param permits the most tasks at once, by the name of the limit
 * @param rates the rate limits, by their names
 * @param ofQueues the names of the limits and rate limits that tasks of a queue may have, by the queue
 */
public record ConfiguredLimits(
        SortedMap<String, Integer> permits,
        SortedMap<String, RateInfo> rates,
        Map<String, SortedSet<String>> ofQueues) {

    public static ConfiguredLimits of(TandemSettings settings) {
        SortedMap<String, Integer> permits = new TreeMap<>();
        SortedMap<String, RateInfo> rates = new TreeMap<>();
        Map<String, SortedSet<String>> ofQueues = new HashMap<>();
        LimitSpecs.of(settings).forEach((queue, limits) -> {
            for (TaskLimit limit : limits) {
                permits.put(limit.name(), limit.max());
                ofQueues.computeIfAbsent(queue, each -> new TreeSet<>()).add(limit.name());
            }
        });
        LimitSpecs.rates(settings).forEach((queue, limits) -> {
            for (TaskRate rate : limits) {
                rates.put(rate.name(), rate.info());
                ofQueues.computeIfAbsent(queue, each -> new TreeSet<>()).add(rate.name());
            }
        });
        return new ConfiguredLimits(permits, rates, ofQueues);
    }
}
