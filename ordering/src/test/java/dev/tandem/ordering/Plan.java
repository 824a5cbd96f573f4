package dev.tandem.ordering;

import dev.tandem.task.DeadHead;
import dev.tandem.task.QueuePolicy;
import dev.tandem.task.Source;

/**
 * What kind of history a seed makes. Chances are in percent.
 *
 * @param losses the store may forget its last writes
 * @param silentLosses it may do so without a changed run id
 * @param operators offsets are rewound and topics created again
 * @param shared all partitions compete for one queue, without order
 */
record Plan(
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
        boolean shared) {

    static Plan of(Dice dice) {
        boolean ordered = dice.percent(85);
        int concurrency = dice.percent(30) ? 1 : dice.between(2, 6);
        QueuePolicy policy = ordered ? QueuePolicy.ordered(concurrency) : QueuePolicy.unordered(concurrency);
        policy = policy.withDeadHead(DeadHead.values()[dice.below(3)]);
        if (dice.percent(20)) {
            policy = new QueuePolicy(
                    ordered,
                    concurrency,
                    policy.deadHead(),
                    dice.between(2, 8),
                    1 << 20,
                    dice.between(1, 5),
                    dice.between(3, 12));
        }
        CoreSettings settings = new CoreSettings(
                2_000,
                500,
                600,
                150,
                dice.percent(50) ? dice.between(1, 4) : 256,
                dice.between(1, 4),
                dice.percent(50) ? 0 : 50,
                100);
        boolean calm = dice.percent(20);
        return new Plan(
                Source.Kind.LOG,
                policy,
                settings,
                dice.percent(60) ? 1 : dice.between(2, 3),
                dice.between(1, 3),
                dice.between(1, 4),
                dice.percent(30) ? dice.below(60) : 0,
                dice.percent(40) ? dice.below(40) : 0,
                dice.percent(20) ? dice.below(20) : 0,
                dice.percent(30) ? dice.below(40) : 0,
                dice.between(60, 260),
                dice.between(2, 25),
                dice.percent(70) ? dice.below(40) : 0,
                dice.percent(40) ? dice.below(15) : 0,
                dice.percent(50) ? dice.below(30) : 0,
                !calm && dice.percent(50),
                dice.percent(15),
                !calm && dice.percent(50),
                !calm && dice.percent(50),
                dice.percent(60),
                !calm && dice.percent(60),
                !calm && dice.percent(10),
                false);
    }

    /**
     * The same with a queue in the log's place: no offsets that an operator could change. What another partition of an
     * unordered queue forgot, only its run id tells.
     */
    Plan forQueue() {
        return new Plan(
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
                false);
    }

    /** An unordered queue: several partitions compete for its messages. A store that forgets says so by its run id. */
    Plan forSharedQueue(Dice dice) {
        return new Plan(
                Source.Kind.QUEUE,
                new QueuePolicy(
                        false,
                        policy.concurrency(),
                        DeadHead.SKIP,
                        policy.maxInMemory(),
                        policy.maxBytesInMemory(),
                        policy.maxParkedPerKey(),
                        policy.maxParkedPerPartition()),
                settings,
                dice.between(2, 4),
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
                true);
    }
}
