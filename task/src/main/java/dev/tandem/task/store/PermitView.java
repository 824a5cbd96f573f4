package dev.tandem.task.store;

import dev.tandem.task.store.PermitRequest.PermitRun;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A limit as the store knows it.
 *
 * @param name the limit
 * @param configured the most permits by the settings of the executor that asked last; 0 if no executor has or wants any
 * @param override what is in force instead; null if nobody has changed it
 * @param holders the executors that have permits or want some, by their ids
 */
public record PermitView(
        String name, int configured, LimitOverride.@Nullable OfPermits override, List<Holder> holders) {

    /**
     * An executor that has permits or wants some.
     *
     * @param held its permits
     * @param used those whose runs have begun and not ended
     * @param waiting its runs that wait for a permit
     * @param leaseMillis for how long it holds them unless it renews them
     * @param runs some of its runs with a permit
     */
    public record Holder(String executor, int held, int used, int waiting, long leaseMillis, List<PermitRun> runs) {}
}
