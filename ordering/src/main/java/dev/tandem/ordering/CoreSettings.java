package dev.tandem.ordering;

/**
 * Numbers of the platform's protocol, all in milliseconds but the counts.
 *
 * @param leaseMillis of partitions and claims
 * @param renewMillis between renewals
 * @param horizonMillis how old an answer must be before a probe proves it durable; 0 if every answer is
 * @param probeMillis between probes while anything waits to be proven
 * @param batchSize tasks in one request
 * @param batchesInFlight unanswered steps of one partition
 * @param commitMillis between commits of one partition while busy
 * @param retryMillis before a refused acquire, a failed commit or a full lane is tried again
 */
public record CoreSettings(
        long leaseMillis,
        long renewMillis,
        long horizonMillis,
        long probeMillis,
        int batchSize,
        int batchesInFlight,
        long commitMillis,
        long retryMillis) {

    public static final CoreSettings DEFAULTS = new CoreSettings(10_000, 2_500, 3_000, 500, 256, 4, 50, 500);

    public CoreSettings {
        if (renewMillis * 2 > leaseMillis) {
            throw new IllegalArgumentException(
                    "The lease of " + leaseMillis + " ms must be at least twice its renewal of " + renewMillis + " ms");
        }
        if (batchSize < 1 || batchSize > 1_000) {
            throw new IllegalArgumentException("The batch size is " + batchSize + ", it must be 1 to 1000");
        }
    }
}
