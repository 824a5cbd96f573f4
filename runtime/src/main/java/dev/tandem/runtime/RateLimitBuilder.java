package dev.tandem.runtime;

import java.util.List;

/**
 * Describes a limit of how many tasks begin in a time in all executors together. A task is covered if its queue, its type and its
 * key are. A wrong value is refused when the program starts. Not thread-safe.
 */
public final class RateLimitBuilder {

    private final LimitSection settings;

    RateLimitBuilder(ProgramSettings program, String name) {
        settings = new LimitSection(program, "tandem.rate-limits", name);
    }

    /** Sets how many tasks begin in which time, such as {@code 100/s}, {@code 5/m} or {@code 10/30s}. Required. */
    public RateLimitBuilder rate(String tasksAndTime) {
        settings.set("rate", tasksAndTime);
        return this;
    }

    /** Sets how many tasks may begin at once after a time without any. Default: 1. */
    public RateLimitBuilder burst(int tasks) {
        settings.set("burst", Integer.toString(tasks));
        return this;
    }

    /** Gives each ordering key the rate for itself. Default: all tasks share it. */
    public RateLimitBuilder perKey() {
        settings.set("per", "key");
        return this;
    }

    /** Gives each value of a header the rate for itself, such as that of {@code tenant}. Default: all tasks share it. */
    public RateLimitBuilder perHeader(String name) {
        settings.set("per", "header:" + name);
        return this;
    }

    /** Sets the queues whose tasks are covered. Default: all. */
    public RateLimitBuilder queues(String... names) {
        settings.set("queues", List.of(names));
        return this;
    }

    /** Sets the types of the tasks that are covered, in which {@code *} stands for any text. Default: all. */
    public RateLimitBuilder types(String... patterns) {
        settings.set("types", List.of(patterns));
        return this;
    }

    /** Sets the ordering keys of the tasks that are covered, in which {@code *} stands for any text. Default: all. */
    public RateLimitBuilder keys(String... patterns) {
        settings.set("keys", List.of(patterns));
        return this;
    }
}
