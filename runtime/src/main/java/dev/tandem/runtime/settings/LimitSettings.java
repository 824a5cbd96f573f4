package dev.tandem.runtime.settings;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The settings of a limit over several executors, under {@code tandem.limits.<name>.}.
 *
 * @param maxRunning the most tasks that run at once in the whole cluster; required
 * @param queues the queues whose tasks are limited; none: all
 * @param types the types, in which {@code *} stands for any text; none: all
 * @param keys the keys, likewise
 */
public record LimitSettings(
        @Nullable Integer maxRunning,
        @DefaultValue List<String> queues,
        @DefaultValue List<String> types,
        @DefaultValue List<String> keys) {}
