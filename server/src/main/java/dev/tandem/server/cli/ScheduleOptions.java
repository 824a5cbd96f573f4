package dev.tandem.server.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import tools.jackson.databind.node.ObjectNode;

/** The options that say what a schedule is. */
final class ScheduleOptions {

    @Option(names = "--queue", paramLabel = "QUEUE", description = "the queue of its tasks")
    private @Nullable String queue;

    @Option(names = "--type", description = "the type of its tasks (default: the queue's handler)")
    private @Nullable String type;

    @Option(names = "--key", description = "the key of its tasks")
    private @Nullable String key;

    @Option(names = "--payload", paramLabel = "TEXT", description = "the payload of its tasks")
    private @Nullable String payload;

    @Option(
            names = "--cron",
            paramLabel = "EXPRESSION",
            description = "second, minute, hour, day of the month, month, day of the week, such as '0 30 2 * * *'")
    private @Nullable String cron;

    @Option(names = "--zone", description = "the time zone of --cron (default: UTC)")
    private @Nullable String zone;

    @Option(
            names = "--every",
            paramLabel = "DURATION",
            converter = DurationUnit.class,
            description = "an interval in place of --cron: 30s, 15m, 1d")
    private @Nullable String every;

    @Option(names = "--misfire", description = "what becomes of missed firings: one, all or none")
    private @Nullable String misfire;

    @Option(
            names = "--misfire-after",
            paramLabel = "DURATION",
            converter = DurationUnit.class,
            description = "how late a firing may be and still be in time (default: 1m)")
    private @Nullable String misfireAfter;

    @Option(
            names = "--misfire-max",
            paramLabel = "N",
            description = "the most missed firings that are made with --misfire all (default: 100)")
    private @Nullable String misfireMax;

    @Option(names = "--overlap", description = "while an earlier task has not ended: allow, queue, skip or cancel")
    private @Nullable String overlap;

    @Option(
            names = "--jitter",
            paramLabel = "DURATION",
            converter = DurationUnit.class,
            description = "the longest time by which a firing is put off")
    private @Nullable String jitter;

    /** Returns what was given. */
    ObjectNode body() {
        Map<String, @Nullable String> all = new LinkedHashMap<>();
        all.put("queue", queue);
        all.put("type", type);
        all.put("key", key);
        all.put("payload", payload);
        all.put("cron", cron);
        all.put("zone", zone);
        all.put("every", every);
        all.put("misfire", misfire);
        all.put("misfireAfter", misfireAfter);
        all.put("misfireMax", misfireMax);
        all.put("overlap", overlap);
        all.put("jitter", jitter);
        ObjectNode body = ApiClient.JSON.createObjectNode();
        all.forEach((name, value) -> {
            if (value != null) {
                body.put(name, value);
            }
        });
        return body;
    }
}
