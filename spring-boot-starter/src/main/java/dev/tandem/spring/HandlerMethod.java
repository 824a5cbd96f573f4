package dev.tandem.spring;

import dev.tandem.api.Handler;
import dev.tandem.api.HandlerOptions;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JavaType;

/**
 * A method of a bean that runs the tasks of one type.
 *
 * @param name the class and the method, for people
 * @param payload what payloads are read as; null if the method takes none
 * @param recurring the schedule that submits such tasks; null if it has none
 */
record HandlerMethod(
        String name,
        String queue,
        String type,
        HandlerOptions options,
        @Nullable JavaType payload,
        Handler handler,
        @Nullable RecurringMethod recurring) {

    HandlerMethod withRecurring(RecurringMethod schedule) {
        return new HandlerMethod(name, queue, type, options, payload, handler, schedule);
    }

    /** Returns the type and its aliases. */
    List<String> types() {
        List<String> all = new ArrayList<>();
        all.add(type);
        all.addAll(options.aliases());
        return all;
    }
}
