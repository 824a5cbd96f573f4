package dev.tandem.task.store;

import dev.tandem.task.Position;
import org.jspecify.annotations.Nullable;

/** A claim as the model keeps it, with its lease. */
public record StoredClaim(
        Position position, long token, @Nullable String key, String executor, long deadline) {

    StoredClaim withDeadline(long newDeadline) {
        return new StoredClaim(position, token, key, executor, newDeadline);
    }

    boolean isOf(@Nullable String otherExecutor) {
        return executor.equals(otherExecutor);
    }
}
