package dev.tandem.spring;

import dev.tandem.api.Misfire;
import dev.tandem.api.Overlap;
import dev.tandem.api.Recurring;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * The schedule of a method with {@link Recurring}.
 *
 * @param id names the schedule in all processes
 * @param settings those of the schedule, as they would be written in a file
 */
record RecurringMethod(String id, Map<String, String> settings) {

    /** The cron expression of a schedule that is switched off, as in Spring itself. */
    private static final String OFF = "-";

    /**
     * Reads an annotation.
     *
     * @param queue the queue of the handler
     * @param type the type of the handler
     * @param takesPayload whether the method reads a payload as JSON, so that an empty one would fail
     * @param texts replaces <code>${...}</code>
     * @throws IllegalArgumentException if something is missing; the message says what to do
     */
    static RecurringMethod of(
            Recurring annotation, String queue, String type, boolean takesPayload, UnaryOperator<String> texts) {
        String id = texts.apply(annotation.id());
        String payload = texts.apply(annotation.payload());
        if (payload.isEmpty() && takesPayload) {
            throw new IllegalArgumentException("@Recurring has no payload, and the method reads one as JSON: write"
                    + " payload = \"{...}\", or leave the parameter out");
        }
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("queue", queue);
        settings.put("type", type);
        put(settings, "payload", payload);
        put(settings, "key", texts.apply(annotation.key()));
        String cron = texts.apply(annotation.cron());
        if (cron.equals(OFF)) {
            settings.put("enabled", "false");
        } else {
            put(settings, "cron", cron);
        }
        put(settings, "every", texts.apply(annotation.every()));
        settings.put("zone", texts.apply(annotation.zone()));
        settings.put("misfire", lower(annotation.misfire()));
        settings.put("misfire-after", texts.apply(annotation.misfireAfter()));
        settings.put("misfire-max", Integer.toString(annotation.misfireMax()));
        settings.put("overlap", lower(annotation.overlap()));
        put(settings, "jitter", texts.apply(annotation.jitter()));
        return new RecurringMethod(id.isEmpty() ? type : id, settings);
    }

    private static void put(Map<String, String> settings, String name, String value) {
        if (!value.isEmpty()) {
            settings.put(name, value);
        }
    }

    private static String lower(Misfire misfire) {
        return misfire.name().toLowerCase(Locale.ROOT);
    }

    private static String lower(Overlap overlap) {
        return overlap.name().toLowerCase(Locale.ROOT);
    }
}
