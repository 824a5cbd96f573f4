package dev.tandem.server.inspect;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** @param next where the next page begins; null on the last */
public record Page<T>(List<T> items, @Nullable String next) {}
