package dev.tandem.server.operations;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An operation and how far it is.
 *
 * @param operation null if a server of a later version wrote it
 * @param program the server that runs it; null if none does
 * @param ended null if it has not ended
 */
public record OperationInfo(
        String queue,
        String id,
        @Nullable Operation operation,
        OperationProgress progress,
        Instant began,
        @Nullable Instant ended,
        @Nullable String program) {}
