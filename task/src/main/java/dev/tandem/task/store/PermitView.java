package dev.tandem.task.store;

import dev.tandem.task.store.PermitRequest.PermitRun;
import java.util.List;

/**
 * A limit as the store knows it.
 *
 * @param name the limit
 * @param max the most permits, as the executor that asked last says; 0 if no executor has or wants any
 * @param holders the executors that have permits or want some, by their ids
 */
public record PermitView(String name, int max, List<Holder> holders) {

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
