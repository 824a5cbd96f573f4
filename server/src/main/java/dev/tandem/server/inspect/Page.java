package dev.tandem.server.inspect;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** A part of a long list. @param next the cursor of the next page; null on the last page */
public record Page<T>(List<T> items, @Nullable String next) {}
