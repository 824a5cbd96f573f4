package dev.tandem.spring;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JavaType;

/** Finds gateways and handlers of one type of task that name different classes for its payload. */
final class PayloadCheck {

    private PayloadCheck() {}

    /** Returns a warning for each pair. They may have the same JSON all the same, so the application starts. */
    static List<String> differences(List<HandlerMethod> handlers, List<GatewayMethod> gateways) {
        List<String> warnings = new ArrayList<>();
        for (GatewayMethod gateway : gateways) {
            for (HandlerMethod handler : handlers) {
                JavaType read = handler.payload();
                if (read != null
                        && handler.queue().equals(gateway.queue())
                        && handler.types().contains(gateway.type())
                        && differ(gateway.payloadClass(), read.getRawClass())) {
                    warnings.add("Queue " + gateway.queue() + ": " + gateway.name() + " submits " + gateway.type()
                            + " with a " + gateway.payloadClass().getName() + ", which " + handler.name() + " reads as "
                            + read.getRawClass().getName()
                            + ". A task whose JSON does not fit that class is dead at once");
                }
            }
        }
        return warnings;
    }

    private static boolean differ(@Nullable Class<?> submitted, Class<?> read) {
        return submitted != null
                && !isAnyJson(submitted)
                && !isAnyJson(read)
                && !submitted.isAssignableFrom(read)
                && !read.isAssignableFrom(submitted);
    }

    /** Returns whether such a payload may be, or be read from, the JSON of any other class. */
    private static boolean isAnyJson(Class<?> type) {
        return type == String.class
                || type == byte[].class
                || type.isPrimitive()
                || type.getName().startsWith("java.util.")
                || type.getName().startsWith("tools.jackson.");
    }
}
