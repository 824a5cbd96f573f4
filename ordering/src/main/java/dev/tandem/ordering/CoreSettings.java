package dev.tandem.ordering;

/**
 * The numbers of the platform's protocol. Times are in milliseconds. Made by a {@link #builder}, which starts from {@link
 * #DEFAULTS}.
 *
 * @param leaseMillis how long partitions and claims are held unless renewed; 1 or more
 * @param renewMillis between renewals; at most half a lease
 * @param horizonMillis how old an answer must be before a probe proves it durable; 0 if every answer is durable
 * @param probeMillis between probes while anything waits to be proven durable; 1 or more
 * @param batchSize tasks in one request; 1 to 1,000
 * @param batchesInFlight unanswered requests to settle and claim of one partition; 1 or more
 * @param commitMillis between commits of one partition while it is busy; 0 or more
 * @param retryMillis before a refused acquire, a failed commit or a full lane is tried again; 1 or more
 * @param rememberedKeys blocked keys of one partition that are remembered while nothing of theirs is in memory; 0 or more.
 *     The first task of any other is claimed in vain before it is parked
 * @param relaysAhead outcomes of a key that may have no answer while its next tasks run; 1 or more. As many of its tasks run
 *     again after a crash
 * @param rowTasks tasks of a key that a worker may begin one after another by itself; 1 or more
 * @param rowMillis how long it may do so; 0 or more
 */
public record CoreSettings(
        long leaseMillis,
        long renewMillis,
        long horizonMillis,
        long probeMillis,
        int batchSize,
        int batchesInFlight,
        long commitMillis,
        long retryMillis,
        int rememberedKeys,
        int relaysAhead,
        int rowTasks,
        long rowMillis) {

    private static final int MAX_BATCH_SIZE = 1_000;

    /** How many renewals fit into a lease, unless it is said otherwise. */
    private static final int RENEWALS_PER_LEASE = 4;

    public static final CoreSettings DEFAULTS =
            new CoreSettings(10_000, 2_500, 3_000, 500, 256, 4, 50, 500, 1_000, 128, 32, 10);

    /** @throws IllegalArgumentException naming the number that is out of range */
    public CoreSettings {
        atLeast("leaseMillis", leaseMillis, 1);
        atLeast("renewMillis", renewMillis, 1);
        atLeast("horizonMillis", horizonMillis, 0);
        atLeast("probeMillis", probeMillis, 1);
        atLeast("batchesInFlight", batchesInFlight, 1);
        atLeast("commitMillis", commitMillis, 0);
        atLeast("retryMillis", retryMillis, 1);
        atLeast("rememberedKeys", rememberedKeys, 0);
        atLeast("relaysAhead", relaysAhead, 1);
        atLeast("rowTasks", rowTasks, 1);
        atLeast("rowMillis", rowMillis, 0);
        if (renewMillis * 2 > leaseMillis) {
            throw new IllegalArgumentException(
                    "The lease of " + leaseMillis + " ms must be at least twice its renewal of " + renewMillis + " ms");
        }
        if (batchSize < 1 || batchSize > MAX_BATCH_SIZE) {
            throw new IllegalArgumentException(
                    "The batch size is " + batchSize + ", it must be 1 to " + MAX_BATCH_SIZE);
        }
    }

    private static void atLeast(String name, long value, long least) {
        if (value < least) {
            throw new IllegalArgumentException(name + " is " + value + ", it must be " + least + " or more");
        }
    }

    public static Builder builder() {
        return new Builder(DEFAULTS);
    }

    /** Collects the numbers that differ from the defaults. */
    public static final class Builder {
        private long leaseMillis;
        private long renewMillis;
        private long horizonMillis;
        private long probeMillis;
        private int batchSize;
        private int batchesInFlight;
        private long commitMillis;
        private long retryMillis;
        private int rememberedKeys;
        private int relaysAhead;
        private int rowTasks;
        private long rowMillis;

        private Builder(CoreSettings from) {
            leaseMillis = from.leaseMillis;
            renewMillis = from.renewMillis;
            horizonMillis = from.horizonMillis;
            probeMillis = from.probeMillis;
            batchSize = from.batchSize;
            batchesInFlight = from.batchesInFlight;
            commitMillis = from.commitMillis;
            retryMillis = from.retryMillis;
            rememberedKeys = from.rememberedKeys;
            relaysAhead = from.relaysAhead;
            rowTasks = from.rowTasks;
            rowMillis = from.rowMillis;
        }

        /** Sets the lease, and its renewal to a quarter of it. */
        public Builder leaseMillis(long value) {
            leaseMillis = value;
            renewMillis = value / RENEWALS_PER_LEASE;
            return this;
        }

        public Builder renewMillis(long value) {
            renewMillis = value;
            return this;
        }

        public Builder horizonMillis(long value) {
            horizonMillis = value;
            return this;
        }

        public Builder probeMillis(long value) {
            probeMillis = value;
            return this;
        }

        public Builder batchSize(int value) {
            batchSize = value;
            return this;
        }

        public Builder batchesInFlight(int value) {
            batchesInFlight = value;
            return this;
        }

        public Builder commitMillis(long value) {
            commitMillis = value;
            return this;
        }

        public Builder retryMillis(long value) {
            retryMillis = value;
            return this;
        }

        public Builder rememberedKeys(int value) {
            rememberedKeys = value;
            return this;
        }

        public Builder relaysAhead(int value) {
            relaysAhead = value;
            return this;
        }

        public Builder rowTasks(int value) {
            rowTasks = value;
            return this;
        }

        public Builder rowMillis(long value) {
            rowMillis = value;
            return this;
        }

        /** @throws IllegalArgumentException naming the number that is out of range */
        public CoreSettings build() {
            return new CoreSettings(
                    leaseMillis,
                    renewMillis,
                    horizonMillis,
                    probeMillis,
                    batchSize,
                    batchesInFlight,
                    commitMillis,
                    retryMillis,
                    rememberedKeys,
                    relaysAhead,
                    rowTasks,
                    rowMillis);
        }
    }
}
