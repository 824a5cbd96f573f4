package dev.tandem.server.inspect;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part of a long list.
 *
 * @param next the cursor of the next page; null on the last page
 * @param partial whether the page ended early, because looking further would have cost too much at once
 */
public record Page<T>(List<T> items, @Nullable String next, boolean partial) {

    public Page(List<T> items, @Nullable String next) {
        this(items, next, false);
    }
}
