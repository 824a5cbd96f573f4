package dev.tandem.runtime.settings;

import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Checks that the settings and the handlers of a program fit each other. */
final class ProgramHandlersCheck {

    private final TandemSettings settings;
    private final Map<String, Set<String>> types;
    private final SettingProblems problems;

    /** @param types the types that the program has handlers for, by queue */
    ProgramHandlersCheck(TandemSettings settings, Map<String, Set<String>> types, SettingProblems problems) {
        this.settings = settings;
        this.types = types;
        this.problems = problems;
    }

    void checkAll() {
        types.forEach((name, known) -> {
            QueueSettings queue = settings.queues().get(name);
            if (queue == null) {
                problems.add(section(name), null, missing());
            } else if (known.isEmpty()) {
                problems.add(
                        section(name),
                        name,
                        "the program names this queue and has no handler for it: add one, or do not name the queue");
            } else {
                checkHandler(QueueSettingsCheck.prefix(name), queue, known);
            }
        });
    }

    private static String section(String queue) {
        String prefix = QueueSettingsCheck.prefix(queue);
        return prefix.substring(0, prefix.length() - 1);
    }

    private String missing() {
        String remedy = "the program has handlers for this queue: set its source, kafka or rabbit";
        return settings.queues().isEmpty()
                ? remedy
                : remedy + ", or name one of "
                        + String.join(", ", settings.queues().keySet());
    }

    private void checkHandler(String prefix, QueueSettings queue, Set<String> known) {
        String handler = queue.handler();
        String own = String.join(" or ", new TreeSet<>(known));
        if (handler == null) {
            if (!queue.types().isEmpty()) {
                problems.add(
                        prefix + "types",
                        String.join(",", queue.types()),
                        "these types go to " + prefix + "handler, which is not set: set it to " + own);
            }
        } else if (!known.contains(handler)) {
            boolean hosted = HostedTypes.of(settings.demo()).contains(handler);
            problems.add(
                    prefix + "handler",
                    handler,
                    (hosted ? "hosted handlers run only in ./tandem server; in" : "in")
                            + " this program it must be a type that has a handler, " + own
                            + ", or be left out; no handler runs tasks without a type then");
        }
    }
}
