package dev.tandem.runtime.settings;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The settings of a rate limit, under {@code tandem.rate-limits.<name>.}.
 *
 * @param rate how many tasks may start in which time, such as {@code 100/s}; required
 * @param burst how many may start at once after a time without any
 * @param per what has a limit of its own: {@code none}, {@code key}, or {@code header:} and its name
 * @param queues the queues whose tasks are limited; none: all
 * @param types the types, in which {@code *} stands for any text; none: all
 * @param keys the keys, likewise
 */
public record RateLimitSettings(
        @Nullable String rate,
        @DefaultValue("1") int burst,
        @DefaultValue("none") String per,
        @DefaultValue List<String> queues,
        @DefaultValue List<String> types,
        @DefaultValue List<String> keys) {}
