package dev.tandem.ordering.ownership;

import java.util.EnumSet;
import java.util.Set;

/** How far a process is with owning a partition. {@link #mayBecome} has the legal steps. */
public enum OwnershipPhase {
    /** The partition is ours as far as the broker knows. It is acquired when the store can be reached. */
    WAITING,
    /** The broker is being asked whether the partition is still ours. */
    CONFIRMING,
    /** The store is being asked for the ownership. */
    ACQUIRING,
    /** The store made this process the owner. */
    OWNED,
    /** The partition is being given up: answers are awaited and recorded, then the lease is released. */
    LEAVING,
    /** The partition is not ours. Runs that this process started go on under their claims. */
    LEFT;

    private static final Set<OwnershipPhase> AFTER_WAITING = EnumSet.of(CONFIRMING, ACQUIRING, LEFT);
    private static final Set<OwnershipPhase> AFTER_CONFIRMING = EnumSet.of(WAITING, LEFT);
    private static final Set<OwnershipPhase> AFTER_ACQUIRING = EnumSet.of(OWNED, WAITING, LEFT);
    private static final Set<OwnershipPhase> AFTER_OWNED = EnumSet.of(WAITING, LEAVING, LEFT);
    private static final Set<OwnershipPhase> AFTER_LEAVING = EnumSet.of(LEFT);
    private static final Set<OwnershipPhase> AFTER_LEFT = EnumSet.of(WAITING);

    /** Whether a partition may go from this phase to the next one. */
    public boolean mayBecome(OwnershipPhase next) {
        return switch (this) {
            case WAITING -> AFTER_WAITING.contains(next);
            case CONFIRMING -> AFTER_CONFIRMING.contains(next);
            case ACQUIRING -> AFTER_ACQUIRING.contains(next);
            case OWNED -> AFTER_OWNED.contains(next);
            case LEAVING -> AFTER_LEAVING.contains(next);
            case LEFT -> AFTER_LEFT.contains(next);
        };
    }
}
