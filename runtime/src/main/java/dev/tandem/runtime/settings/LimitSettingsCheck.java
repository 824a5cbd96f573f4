package dev.tandem.runtime.settings;

import dev.tandem.executor.TaskLimit;
import dev.tandem.executor.TaskRate;
import java.util.List;

/** Checks the settings of limits. */
final class LimitSettingsCheck {

    private static final int MOST = 200;
    private static final int MOST_PATTERNS = 100;
    private static final int LONGEST_PATTERN = 200;

    private final TandemSettings settings;
    private final SettingProblems problems;

    LimitSettingsCheck(TandemSettings settings, SettingProblems problems) {
        this.settings = settings;
        this.problems = problems;
    }

    void checkAll() {
        if (settings.limits().size() > MOST) {
            problems.add(
                    "tandem.limits",
                    settings.limits().size() + " limits",
                    "there may be " + MOST + ": let one limit name several types or keys");
        }
        settings.limits().forEach(this::check);
        if (settings.rateLimits().size() > MOST) {
            problems.add(
                    "tandem.rate-limits",
                    settings.rateLimits().size() + " limits",
                    "there may be " + MOST + ": let one name several types or keys, or set per");
        }
        settings.rateLimits().forEach(this::check);
        settings.queues()
                .forEach((name, queue) -> problems.checkRange(
                        QueueSettingsCheck.prefix(name) + "max-running", queue.maxRunning(), 0, TaskLimit.MOST));
    }

    private void check(String name, LimitSettings limit) {
        String prefix = SettingProblems.section("tandem.limits", name) + ".";
        checkName(prefix, name);
        if (limit.maxRunning() == null) {
            problems.add(
                    prefix + "max-running",
                    null,
                    "say how many tasks may run at once in the whole cluster: 1 to " + TaskLimit.MOST);
        } else {
            problems.checkRange(prefix + "max-running", limit.maxRunning(), 1, TaskLimit.MOST);
        }
        checkCovered(prefix, limit.queues(), limit.types(), limit.keys());
    }

    private void check(String name, RateLimitSettings limit) {
        String prefix = SettingProblems.section("tandem.rate-limits", name) + ".";
        checkName(prefix, name);
        if (limit.rate() == null) {
            problems.add(prefix + "rate", null, "say how many tasks may start in which time, such as 100/s");
        } else {
            try {
                long unused = RateText.intervalMicros(limit.rate());
            } catch (IllegalArgumentException e) {
                problems.add(prefix + "rate", limit.rate(), String.valueOf(e.getMessage()));
            }
        }
        problems.checkRange(prefix + "burst", limit.burst(), 1, TaskRate.MOST);
        if (!limit.per().equals("none")
                && !limit.per().equals("key")
                && !limit.per().matches("header:.{1,100}")) {
            problems.add(
                    prefix + "per",
                    limit.per(),
                    "it must be none, key, or header: and the name of a header"
                            + NearestWord.advice(limit.per(), List.of("none", "key")));
        }
        checkCovered(prefix, limit.queues(), limit.types(), limit.keys());
    }

    private void checkName(String prefix, String name) {
        if (!TaskLimit.isName(name)) {
            problems.add(
                    prefix.substring(0, prefix.length() - 1),
                    name,
                    "the name of a limit must be 1 to 100 letters, digits, dots, underscores or hyphens");
        }
    }

    private void checkCovered(String prefix, List<String> queues, List<String> types, List<String> keys) {
        checkTexts(prefix + "queues", queues);
        checkTexts(prefix + "types", types);
        checkTexts(prefix + "keys", keys);
        // Another program may have some of the queues.
        if (!queues.isEmpty() && queues.stream().noneMatch(settings.queues()::containsKey)) {
            problems.add(
                    prefix + "queues",
                    String.join(", ", queues),
                    "no queue of that name is configured; there are "
                            + String.join(", ", settings.queues().keySet())
                            + NearestWord.advice(
                                    queues.get(0), settings.queues().keySet()));
        }
    }

    private void checkTexts(String setting, List<String> texts) {
        if (texts.size() > MOST_PATTERNS) {
            problems.add(
                    setting,
                    texts.size() + " of them",
                    "there may be " + MOST_PATTERNS + ": use *, which stands for any text");
        }
        for (String text : texts) {
            if (text.isEmpty() || text.length() > LONGEST_PATTERN) {
                problems.add(
                        setting,
                        text.length() + " characters",
                        "each must have 1 to " + LONGEST_PATTERN + " characters");
            }
        }
    }
}
