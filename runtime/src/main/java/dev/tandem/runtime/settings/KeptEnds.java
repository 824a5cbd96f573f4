package dev.tandem.runtime.settings;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Compares for how long queues remember ends with how long tasks of other queues may wait for them. */
public final class KeptEnds {

    private KeptEnds() {}

    /** Returns a warning for each queue that says itself for how long, and says less than a task of another queue may wait. */
    public static List<String> warnings(Map<String, QueueSettings> queues) {
        List<String> warnings = new ArrayList<>();
        queues.forEach((name, queue) -> {
            Duration keep = queue.dependencies().keep();
            List<String> longer = queues.entrySet().stream()
                    .filter(each -> each.getValue().dependencies().timeout().compareTo(keep) > 0)
                    .map(Map.Entry::getKey)
                    .toList();
            if (!keep.isZero() && !longer.isEmpty()) {
                warnings.add("tandem.queues." + name + ".dependencies.keep is '" + DurationText.of(keep)
                        + "', but tasks of " + String.join(", ", longer)
                        + " wait for longer (dependencies.timeout). If they wait for tasks of " + name
                        + ", leave keep out or raise it: an end that is forgotten lets them wait until they die");
            }
        });
        return warnings;
    }
}
