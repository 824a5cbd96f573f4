package dev.tandem.server.why;

import org.jspecify.annotations.Nullable;

/**
 * The partition that a key or a task belongs to.
 *
 * @param owner who owns it by Redis; null if nobody does
 * @param ownerLives whether that executor was seen lately
 * @param end the offset behind its last record; -1 if unknown, or if it has no offsets
 */
public record PartitionOwner(String partition, @Nullable String owner, boolean ownerLives, long end) {}
