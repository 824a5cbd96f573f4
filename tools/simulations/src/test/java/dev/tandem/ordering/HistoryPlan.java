package dev.tandem.ordering;

import dev.tandem.task.DeadHead;
import dev.tandem.task.QueuePolicy;
import dev.tandem.task.Source;

/**
 * The settings and chances of one history, made from its seed. Chances are in percent.
 *
 * @param losses the store may forget its last writes
 * @param silentLosses it may do so without a changed run id
 * @param operators operators rewind offsets and create topics again
 * @param shared all partitions compete for the messages of one queue, without order
 * @param quick tasks of few keys come in crowds and take no time, while relays and rows have the bounds of a real server
 */
record HistoryPlan(
        Source.Kind kind,
        QueuePolicy policy,
        CoreSettings settings,
        int partitions,
        int processes,
        int keys,
        int unkeyedPercent,
        int delayedPercent,
        int unreadablePercent,
        int gapPercent,
        int steps,
        int chaosPercent,
        int retryPercent,
        int deadPercent,
        int slowPercent,
        boolean losses,
        boolean silentLosses,
        boolean crashes,
        boolean freezes,
        boolean drops,
        boolean rebalances,
        boolean operators,
        boolean shared,
        boolean quick) {

    /** @param bounds for bounds that came later, so that all else stays as it was */
    static HistoryPlan of(SeededRandom random, SeededRandom bounds, boolean quick) {
        boolean ordered = random.percent(85);
        int concurrency = random.percent(30) ? 1 : random.between(2, 6);
        QueuePolicy policy = ordered ? QueuePolicy.ordered(concurrency) : QueuePolicy.unordered(concurrency);
        policy = policy.withDeadHead(DeadHead.values()[random.below(3)]);
        if (random.percent(20)) {
            policy = new QueuePolicy(
                    ordered,
                    concurrency,
                    policy.deadHead(),
                    random.between(2, 8),
                    1 << 20,
                    random.between(1, 5),
                    random.between(3, 12),
                    policy.maxBlockedKeys());
        }
        policy = bounds.percent(20) ? policy.withMaxBlockedKeys(bounds.between(1, 4)) : policy;
        CoreSettings settings = settings(random, bounds, quick);
        boolean calm = random.percent(20);
        return new HistoryPlan(
                Source.Kind.LOG,
                policy,
                settings,
                random.percent(60) ? 1 : random.between(2, 3),
                random.between(1, 3),
                Math.min(quick ? 2 : 4, random.between(1, 4)),
                random.percent(30) ? random.below(60) : 0,
                random.percent(40) ? random.below(40) : 0,
                random.percent(20) ? random.below(20) : 0,
                random.percent(30) ? random.below(40) : 0,
                (quick ? 3 : 1) * random.between(60, 260),
                random.between(2, 25),
                random.percent(70) ? random.below(40) : 0,
                random.percent(40) ? random.below(15) : 0,
                random.percent(50) ? random.below(30) : 0,
                !calm && random.percent(50),
                random.percent(15),
                !calm && random.percent(50),
                !calm && random.percent(50),
                random.percent(60),
                !calm && random.percent(60),
                !calm && random.percent(10),
                false,
                quick);
    }

    private static CoreSettings settings(SeededRandom random, SeededRandom bounds, boolean quick) {
        CoreSettings.Builder settings = CoreSettings.builder()
                .leaseMillis(2_000)
                .horizonMillis(600)
                .probeMillis(150)
                .batchSize(random.percent(50) ? random.between(1, 4) : 256)
                .batchesInFlight(random.between(1, 4))
                .commitMillis(random.percent(50) ? 0 : 50)
                .retryMillis(100)
                .rememberedKeys(bounds.percent(50) ? bounds.below(3) : 1_000)
                .relaysAhead(bounds.percent(50) ? bounds.between(1, 6) : 128)
                .rowTasks(bounds.percent(30) ? 1 : bounds.between(2, 6))
                .rowMillis(bounds.percent(30) ? 100 : bounds.between(500, 5_000));
        if (quick) {
            settings.relaysAhead(CoreSettings.DEFAULTS.relaysAhead())
                    .rowTasks(CoreSettings.DEFAULTS.rowTasks())
                    .rowMillis(CoreSettings.DEFAULTS.rowMillis());
        }
        return settings.build();
    }

    /** Returns the same plan with another policy. */
    HistoryPlan withPolicy(QueuePolicy other) {
        return new HistoryPlan(
                kind,
                other,
                settings,
                partitions,
                processes,
                keys,
                unkeyedPercent,
                delayedPercent,
                unreadablePercent,
                gapPercent,
                steps,
                chaosPercent,
                retryPercent,
                deadPercent,
                slowPercent,
                losses,
                silentLosses,
                crashes,
                freezes,
                drops,
                rebalances,
                operators,
                shared,
                quick);
    }

    /**
     * Returns the same plan for a message queue, which has no offsets that an operator could change.
     */
    HistoryPlan forQueue() {
        return new HistoryPlan(
                Source.Kind.QUEUE,
                policy,
                settings,
                partitions,
                processes,
                keys,
                unkeyedPercent,
                delayedPercent,
                unreadablePercent,
                0,
                steps,
                chaosPercent,
                retryPercent,
                deadPercent,
                slowPercent,
                losses,
                policy.ordered() && silentLosses,
                crashes,
                freezes,
                drops,
                rebalances,
                false,
                false,
                quick);
    }

    /**
     * Returns the same plan for an unordered queue, whose partitions compete for its messages. It has no silent losses: of
     * what another partition forgot, only the store's run id tells.
     */
    HistoryPlan forSharedQueue(SeededRandom random) {
        return new HistoryPlan(
                Source.Kind.QUEUE,
                new QueuePolicy(
                        false,
                        policy.concurrency(),
                        DeadHead.SKIP,
                        policy.maxInMemory(),
                        policy.maxBytesInMemory(),
                        policy.maxParkedPerKey(),
                        policy.maxParkedPerPartition(),
                        policy.maxBlockedKeys()),
                settings,
                random.between(2, 4),
                processes,
                keys,
                unkeyedPercent,
                delayedPercent,
                unreadablePercent,
                0,
                steps,
                chaosPercent,
                retryPercent,
                deadPercent,
                slowPercent,
                losses,
                false,
                crashes,
                freezes,
                drops,
                rebalances,
                false,
                true,
                quick);
    }
}
