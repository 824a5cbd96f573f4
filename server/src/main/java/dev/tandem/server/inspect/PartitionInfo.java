package dev.tandem.server.inspect;

import org.jspecify.annotations.Nullable;

/**
 * One partition as Redis knows it.
 *
 * @param owner the executor that holds it; null if none does
 */
public record PartitionInfo(String partition, @Nullable String owner, long blockedKeys, TaskCounts counts) {}
