package dev.tandem.runtime.settings;

import dev.tandem.executor.pull.PullPolicy;
import dev.tandem.runtime.settings.QueueSettings.PullSettings;
import org.jspecify.annotations.Nullable;

/** Checks the settings of queues whose tasks are pulled. */
final class PullSettingsCheck {

    private final SettingProblems problems;

    PullSettingsCheck(SettingProblems problems) {
        this.problems = problems;
    }

    void check(String prefix, QueueSettings queue) {
        PullSettings pull = queue.pull();
        problems.checkRange(prefix + "pull.lease", pull.lease(), PullPolicy.SHORTEST_LEASE, PullPolicy.LONGEST_LEASE);
        if (!queue.isPulled()) {
            if (!pull.lease().equals(PullPolicy.DEFAULTS.lease())) {
                problems.add(
                        prefix + "pull.lease",
                        DurationText.of(pull.lease()),
                        "it needs " + prefix + "handler=pull: set that, or leave it out");
            }
            return;
        }
        if (!queue.types().isEmpty()) {
            problems.add(
                    prefix + "types",
                    String.join(",", queue.types()),
                    "tasks of all types are pulled, because " + prefix + "handler is pull: leave it out");
        }
        refuse(prefix + "http.url", queue.http().url(), "no other handler can run its tasks");
        refuse(prefix + "weight", queue.weight(), "its tasks need no slots");
        refuse(prefix + "precedence", queue.precedence() == 0 ? null : queue.precedence(), "its tasks need no slots");
    }

    private void refuse(String setting, @Nullable Object value, String why) {
        if (value != null) {
            problems.add(setting, value.toString(), "the handler of the queue is pull, so " + why + ": leave it out");
        }
    }
}
