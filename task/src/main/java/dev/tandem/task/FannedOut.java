package dev.tandem.task;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The fan-outs to which attempts of a master came, each with the time until which it is kept at least. They travel with the master
 * as a header that no publisher can set and no handler sees, so envelopes keep their form. By it a later attempt knows that a
 * fan-out which the store does not know has been forgotten.
 */
public final class FannedOut {

    /** The header: id and time of each fan-out, with a space between them and a comma behind. */
    public static final String HEADER = "tandem-fanned-out";

    /** The time of a fan-out to which no attempt is known to have come. */
    public static final long NEVER = 0;

    /** Masters with more fan-outs are rare. Only their last ones are noted. */
    static final int MAX_FAN_OUTS = 16;

    private FannedOut() {}

    /** Returns until when a fan-out is kept at least, in milliseconds since 1970; {@link #NEVER} if no attempt noted it. */
    public static long keptUntil(Task master, String fanOut) {
        return of(master).getOrDefault(fanOut, NEVER);
    }

    /** Returns the task with further fan-outs, by id. Those that it has already are kept until the later time. */
    public static Task with(Task master, Map<String, Long> fanOuts) {
        if (fanOuts.isEmpty()) {
            return master;
        }
        Map<String, Long> all = of(master);
        fanOuts.forEach((id, until) -> all.put(id, Math.max(until, all.getOrDefault(id, NEVER))));
        StringBuilder text = new StringBuilder();
        List<String> ids = List.copyOf(all.keySet());
        for (String id : ids.subList(Math.max(0, ids.size() - MAX_FAN_OUTS), ids.size())) {
            text.append(id).append(' ').append(all.get(id)).append(',');
        }
        Map<String, String> headers = new LinkedHashMap<>(master.headers());
        headers.put(HEADER, text.toString());
        return master.withHeaders(headers);
    }

    /** Returns the ids of the fan-outs in the value of the header. */
    public static List<String> ids(String value) {
        return List.copyOf(parse(value).keySet());
    }

    private static Map<String, Long> of(Task master) {
        return parse(master.headers().get(HEADER));
    }

    private static Map<String, Long> parse(@Nullable String text) {
        Map<String, Long> all = new LinkedHashMap<>();
        for (String each : text == null ? new String[0] : text.split(",")) {
            int space = each.indexOf(' ');
            try {
                all.put(each.substring(0, Math.max(space, 0)), Long.parseLong(each.substring(space + 1)));
            } catch (NumberFormatException e) {
                continue; // Of another version. Nothing is known of that fan-out.
            }
        }
        return all;
    }
}
