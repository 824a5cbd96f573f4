package dev.tandem.scheduler;

import dev.tandem.task.BusinessId;
import java.util.HashMap;
import java.util.Map;

/**
 * The ids whose waiting tasks are being woken, each by one walk at a time. An end during a walk is passed on by one more walk behind
 * it, because the walk may have passed a task that began to wait since. Thread-safe.
 */
final class WakeupWalks {

    /** The most walks at once. Tasks that wait for further ends look again by themselves. */
    static final int MAX_WALKS = 1_000;

    /** The ids of the walks; true if a further end was told since the walk began. Guarded by this. */
    private final Map<BusinessId, Boolean> walks = new HashMap<>();

    /** Begins a walk. @return false if one is under way, which is then repeated, or if there are too many */
    synchronized boolean begin(BusinessId ended) {
        if (walks.containsKey(ended)) {
            walks.put(ended, true);
            return false;
        } else if (walks.size() >= MAX_WALKS) {
            return false;
        }
        walks.put(ended, false);
        return true;
    }

    /** Ends a walk. @return whether it is to be repeated */
    synchronized boolean end(BusinessId ended) {
        return Boolean.TRUE.equals(walks.remove(ended));
    }
}
