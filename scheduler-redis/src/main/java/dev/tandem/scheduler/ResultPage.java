package dev.tandem.scheduler;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part of a list.
 *
 * @param next the cursor of the next page, opaque and safe in a URL; null at the end
 */
public record ResultPage<T>(List<T> items, @Nullable String next) {

    public ResultPage {
        items = List.copyOf(items);
    }
}
