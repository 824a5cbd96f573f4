package dev.tandem.scheduler;

import dev.tandem.task.store.LimitOverride;
import dev.tandem.task.store.LimitRequest;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The form of overrides of limits in Redis: a hash with who has set it and when, and the numbers. A reset leaves the revision alone. */
final class LimitOverrides {

    /** The field that each override of a limit has, and of a rate limit. */
    static final String MAX = "max";

    static final String INTERVAL = "interval";

    private static final String BY = "by";
    private static final String AT = "at";
    private static final String BURST = "burst";
    private static final String REVISION = "revision";

    private LimitOverrides() {}

    /** Returns who sets an override and its numbers, as arguments of the script; without numbers, those that remove it. */
    static List<String> fields(LimitRequest request) {
        String by = request.by();
        if (request.numbers() instanceof LimitRequest.Permits permits) {
            return List.of(by, MAX, Integer.toString(permits.max()));
        }
        if (request.numbers() instanceof LimitRequest.Rate rate) {
            return List.of(by, INTERVAL, Long.toString(rate.intervalMicros()), BURST, Integer.toString(rate.burst()));
        }
        return List.of("");
    }

    /** Reads fields and values. Returns null if there is no override. */
    static LimitOverride.@Nullable OfPermits ofPermits(ReplyReader in) {
        Map<String, String> fields = fields(in);
        return fields.containsKey(MAX)
                ? new LimitOverride.OfPermits(
                        Integer.parseInt(fields.get(MAX)), by(fields), at(fields), revision(fields))
                : null;
    }

    /** Reads fields and values. Returns null if there is no override. */
    static LimitOverride.@Nullable OfRate ofRate(ReplyReader in) {
        Map<String, String> fields = fields(in);
        return fields.containsKey(INTERVAL) && fields.containsKey(BURST)
                ? new LimitOverride.OfRate(
                        Long.parseLong(fields.get(INTERVAL)),
                        Integer.parseInt(fields.get(BURST)),
                        by(fields),
                        at(fields),
                        revision(fields))
                : null;
    }

    /** Returns the revision, or the time in its place: programs of an earlier version set overrides without a revision. */
    private static String revision(Map<String, String> fields) {
        return fields.getOrDefault(REVISION, fields.getOrDefault(AT, LimitOverride.NO_REVISION));
    }

    private static String by(Map<String, String> fields) {
        return fields.getOrDefault(BY, "");
    }

    private static long at(Map<String, String> fields) {
        return Long.parseLong(fields.getOrDefault(AT, "0"));
    }

    private static Map<String, String> fields(ReplyReader in) {
        Map<String, String> fields = new HashMap<>();
        while (in.hasMore()) {
            fields.put(in.text(), in.text());
        }
        return fields;
    }
}
