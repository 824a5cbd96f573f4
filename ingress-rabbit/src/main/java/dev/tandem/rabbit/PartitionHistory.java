package dev.tandem.rabbit;

import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Notes about a partition that outlive its channels. Used by the loop's thread only. */
final class PartitionHistory {

    /** A change to the smaller prefetch that failed. */
    record FailedDrain(int times, long retryAt) {}

    private static final int MAX_TWINS = 100_000;

    private final RateLimit reopenings;
    private Set<String> twins = new HashSet<>();
    private @Nullable FailedDrain failedDrain;

    /** @param reopenings limits how often a channel is opened again because messages were taken back */
    PartitionHistory(RateLimit reopenings) {
        this.reopenings = reopenings;
    }

    RateLimit reopenings() {
        return reopenings;
    }

    /**
     * Notes an identity that came twice on a channel that is not caught up. If it comes twice again on the next channel, it
     * belongs to two messages.
     *
     * @return whether it was not known, and could be noted
     */
    boolean addTwin(String identity) {
        return twins.size() < MAX_TWINS && twins.add(identity);
    }

    /** Forgets the identities that came twice: all that earlier channels left has come. */
    void caughtUp() {
        twins = new HashSet<>(); // A cleared set keeps its memory.
    }

    /** Returns the last change to the smaller prefetch, if that failed. */
    @Nullable
    FailedDrain failedDrain() {
        return failedDrain;
    }

    void drained() {
        failedDrain = null;
    }

    void drainFailed(FailedDrain failed) {
        failedDrain = failed;
    }
}
