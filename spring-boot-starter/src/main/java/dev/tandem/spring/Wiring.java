package dev.tandem.spring;

import dev.tandem.runtime.settings.TandemSettings;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** The handlers of an application, with settings that fit them. */
record Wiring(TandemSettings settings, List<HandlerMethod> handlers) {

    /** Returns whether this process runs tasks. */
    boolean runsTasks() {
        return !handlers.isEmpty() && settings.executor().enabled();
    }

    /** Returns the schedules of the handlers. The settings may have more. */
    List<RecurringMethod> schedules() {
        return handlers.stream()
                .map(HandlerMethod::recurring)
                .filter(Objects::nonNull)
                .toList();
    }

    /** Returns the types of the handlers by queue, aliases included. */
    static Map<String, Set<String>> types(List<HandlerMethod> handlers) {
        Map<String, Set<String>> types = new LinkedHashMap<>();
        for (HandlerMethod each : handlers) {
            types.computeIfAbsent(each.queue(), none -> new LinkedHashSet<>()).addAll(each.types());
        }
        return types;
    }
}
