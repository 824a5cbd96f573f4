package dev.tandem.verify.fault;

import dev.tandem.verify.record.Event;
import dev.tandem.verify.record.Event.Server;
import dev.tandem.verify.worker.WorkerProcess;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * A fault that is injected into a trial. A fault knows nothing of the rules. It acts, and events record what it did, so
 * that the checker knows what the fault explains:
 *
 * <ul>
 *   <li>a {@link WorkerProcess} records what is done to it;
 *   <li>an outage of a server is recorded as {@link Event.ServerDown} and {@link Event.ServerUp};
 *   <li>lost writes of Redis are recorded as {@link Event.WritesLost}.
 * </ul>
 *
 * <p>Implementations are stateless records, so one instance may be used in many trials.
 */
public sealed interface Fault
        permits NoFault,
                ExecutorKill,
                ExecutorFreeze,
                NetworkPartition,
                BrokerFault,
                RedisRestart,
                RedisWriteLoss,
                RedisFailover,
                RedisSplit,
                RedisMemoryFull,
                RedisDiskFull,
                HandlerOutage,
                ClockSetBack,
                Churn,
                RollingReplacement,
                RelayKill,
                RelayFreeze,
                PostgresRestart,
                CombinedFault {

    /** Returns the name in commands and reports: short, lower case, with hyphens. */
    String name();

    /** Returns a description in one line. */
    String description();

    default Set<Requirement> requirements() {
        return Set.of();
    }

    /** Returns the servers that this fault takes down. Faults that take down the same one cannot be combined. */
    default Set<Server> serversTakenDown() {
        return Set.of();
    }

    /** Returns whether the fault exists for RabbitMQ, or for Kafka; most exist for both. */
    default boolean supports(boolean rabbit) {
        return true;
    }

    /**
     * Injects the fault once. Returns when its cause is gone and the affected tasks have had time to run again. Records
     * {@link Event.FaultBegan} just before the injection and {@link Event.FaultEnded} when the cause is gone.
     */
    void inject(FaultContext context) throws InterruptedException;

    /** Returns how many {@link Event.FaultEnded} one injection records, or a higher number if that is not known. */
    default int endEventCount() {
        return 1;
    }

    /** Returns all faults, single ones first. */
    static List<Fault> all() {
        return FaultCatalog.ALL;
    }

    /** Returns a random combination of two faults. */
    static Fault randomPair(RandomGenerator random) {
        return FaultCatalog.randomPair(random);
    }

    /**
     * Returns the fault with this name. Names joined by '+' are combined.
     *
     * @throws IllegalArgumentException if there is no such fault, naming those that exist
     */
    static Fault of(String name) {
        return FaultCatalog.of(name);
    }
}
