package dev.tandem.runtime;

import java.util.List;

/**
 * Describes a limit of the tasks that run at once in all executors together. A task is covered if its queue, its type and its
 * key are. A wrong value is refused when the program starts. Not thread-safe.
 */
public final class LimitBuilder {

    private final LimitSection settings;

    LimitBuilder(ProgramSettings program, String name) {
        settings = new LimitSection(program, "tandem.limits", name);
    }

    /** Sets the most tasks that run at once in all executors together. Required. */
    public LimitBuilder maxRunning(int tasks) {
        settings.set("max-running", Integer.toString(tasks));
        return this;
    }

    /** Sets the queues whose tasks are covered. Default: all. */
    public LimitBuilder queues(String... names) {
        settings.set("queues", List.of(names));
        return this;
    }

    /** Sets the types of the tasks that are covered, in which {@code *} stands for any text. Default: all. */
    public LimitBuilder types(String... patterns) {
        settings.set("types", List.of(patterns));
        return this;
    }

    /** Sets the ordering keys of the tasks that are covered, in which {@code *} stands for any text. Default: all. */
    public LimitBuilder keys(String... patterns) {
        settings.set("keys", List.of(patterns));
        return this;
    }
}
