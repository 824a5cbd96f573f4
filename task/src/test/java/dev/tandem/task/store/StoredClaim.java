package dev.tandem.task.store;

import dev.tandem.task.Position;
import org.jspecify.annotations.Nullable;

/**
 * A claim as the model keeps it.
 *
 * @param lease when its own lease ends; {@link #COVERED} if it has none. {@link ModelPartition#deadline} says when it lapses
 */
public record StoredClaim(
        Position position, long token, @Nullable String key, String executor, long lease) {

    /** In the place of a lease: the claim lapses when its owner has neither claimed nor renewed for a lease. */
    static final long COVERED = -1;

    boolean isCovered() {
        return lease == COVERED;
    }

    StoredClaim withLease(long newLease) {
        return new StoredClaim(position, token, key, executor, newLease);
    }

    boolean isOf(@Nullable String otherExecutor) {
        return executor.equals(otherExecutor);
    }
}
