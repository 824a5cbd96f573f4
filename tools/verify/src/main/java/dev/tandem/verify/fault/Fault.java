package dev.tandem.verify.fault;

import dev.tandem.verify.record.Event;
import dev.tandem.verify.record.Event.Server;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * Something that goes wrong, done for real. A fault knows nothing of rules: it acts, and the events say what was done, so
 * that the judge knows what a fault explains:
 *
 * <ul>
 *   <li>what is done to an executor is recorded by the {@link dev.tandem.verify.worker.WorkerProcess} it is done by;
 *   <li>a server that goes away and comes back is {@link Event.ServerDown} and {@link Event.ServerUp};
 *   <li>writes that a Redis forgets are {@link Event.WritesLost}, which explains duplicates.
 * </ul>
 *
 * <p>An implementation is a record without state of its own, so that one instance may strike many trials.
 */
public sealed interface Fault
        permits NoFault,
                ExecutorKill,
                ExecutorFreeze,
                NetworkPartition,
                BrokerRestart,
                KafkaDiskFull,
                RabbitDiskAlarm,
                RedisRestart,
                RedisWriteLoss,
                RedisFailover,
                RedisMemoryFull,
                RedisDiskFull,
                ClockSetBack,
                Churn,
                RollingReplacement,
                CombinedFault {

    /** As it is named in commands and reports: short, lower case, with hyphens. */
    String name();

    /** A line for people. */
    String about();

    /** What the stage must have. */
    default Set<Requirement> needs() {
        return Set.of();
    }

    /** Servers that it takes down by itself, so that no other fault may at the same time. */
    default Set<Server> servers() {
        return Set.of();
    }

    /** Whether it is about RabbitMQ only, or Kafka only; usually neither. */
    default boolean suits(boolean rabbit) {
        return true;
    }

    /**
     * Strikes once, and returns when the cause is gone and enough time has passed for what it cut off to run again. Records
     * {@link Event.FaultBegan} just before it strikes and {@link Event.FaultEnded} when the cause is gone.
     */
    void strike(FaultContext stage) throws InterruptedException;

    /** How many {@link Event.FaultEnded} a strike records; more than that if it is not known. */
    default int endings() {
        return 1;
    }

    /** Every fault, single ones first. */
    static List<Fault> all() {
        return FaultCatalog.ALL;
    }

    /** Two faults at once, by chance. */
    static Fault anyTwo(RandomGenerator random) {
        return FaultCatalog.anyTwo(random);
    }

    /**
     * The fault of this name; names with '+' between them for several at once.
     *
     * @throws IllegalArgumentException naming the ones that there are
     */
    static Fault of(String name) {
        return FaultCatalog.of(name);
    }
}
