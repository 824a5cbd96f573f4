package dev.tandem.scheduler;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The form in which Redis keeps for how long the oldest tasks of an executor have waited that could start: a version, and a line for each
 * queue with its partitions that have such a task, each with the milliseconds, separated by tabs.
 */
final class WaitAnnouncement {

    private static final String VERSION = "1";

    private WaitAnnouncement() {}

    static String encode(Map<String, Map<String, Long>> waits) {
        StringBuilder text = new StringBuilder(VERSION);
        new TreeMap<>(waits).forEach((queue, partitions) -> {
            text.append('\n').append(queue);
            longest(partitions)
                    .forEach((name, millis) ->
                            text.append('\t').append(name).append('\t').append(millis));
        });
        return text.toString();
    }

    private static Map<String, Long> longest(Map<String, Long> partitions) {
        return partitions.size() <= Presence.MOST_WAITS
                ? partitions
                : partitions.entrySet().stream()
                        .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
                        .limit(Presence.MOST_WAITS)
                        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    /** Reads what a program of this or a later version wrote; nothing if it cannot be read. */
    static Map<String, Map<String, Long>> decode(String text) {
        String[] lines = text.split("\n", -1);
        Map<String, Map<String, Long>> waits = new HashMap<>();
        if (!lines[0].equals(VERSION)) {
            return waits;
        }
        for (int i = 1; i < lines.length; i++) {
            String[] parts = lines[i].split("\t", -1);
            Map<String, Long> partitions = new HashMap<>();
            for (int j = 1; j + 1 < parts.length; j += 2) {
                try {
                    partitions.put(parts[j], Long.parseLong(parts[j + 1]));
                } catch (NumberFormatException e) {
                    return Map.of();
                }
            }
            waits.put(parts[0], partitions);
        }
        return waits;
    }
}
