package dev.tandem.ordering;

import dev.tandem.task.Source;
import dev.tandem.task.store.StoreModel.Flaw;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Kinds of histories: the kind of source, and whether the store is healthy. */
enum HistoryKind {
    /** A log (Kafka). */
    LOG("SimulationTest#every*", 1_000, 100_000),
    /** A log whose store has no room at times. */
    LOG_WITH_FULL_STORE("SimulationTest#aStore*", 200, 500),
    /** A log that loses its last records at times. */
    CUT_LOG("SimulationTest#logs*", 500, 20_000),
    /** A log with tasks for which executors have no handler at times. */
    LOG_WITH_UNKNOWN_TYPES("SimulationTest#unknown*", 250, 8_000),
    /** A log with tenants, of which some have more tasks than memory has room for. */
    LOG_WITH_TENANTS("SimulationTest#bursts*", 250, 30_000),
    /** A log with such tenants that loses its last records at times. */
    CUT_LOG_WITH_TENANTS("SimulationTest#cutLogs*", 250, 15_000),
    /** A log whose tasks operators cancel in memory. */
    LOG_WITH_CANCELS("SimulationTest#cancelled*", 200, 10_000),
    /** A message queue with ordered sub-queues (RabbitMQ). */
    QUEUE("QueueSimulationTest#every*", 1_000, 6_000),
    /** An unordered message queue: several partitions and processes compete for its messages. */
    SHARED_QUEUE("SharedQueueSimulationTest#every*", 1_000, 6_000),
    /** Message queues whose tasks operators cancel in memory. */
    QUEUE_WITH_CANCELS("QueueSimulationTest#cancelled*", 200, 6_000),
    SHARED_QUEUE_WITH_CANCELS("SharedQueueSimulationTest#cancelled*", 200, 6_000),
    /** Message queues with tenants, of which some have more tasks than fit into memory. */
    QUEUE_WITH_TENANTS("QueueSimulationTest#bursts*", 150, 20_000),
    SHARED_QUEUE_WITH_TENANTS("SharedQueueSimulationTest#bursts*", 150, 10_000);

    private final String test;
    private final int ordinaryRun;
    private final int fullRun;

    HistoryKind(String test, int ordinaryRun, int fullRun) {
        this.test = test;
        this.ordinaryRun = ordinaryRun;
        this.fullRun = fullRun;
    }

    /** Returns the test that runs these histories, as {@code -Dtest} expects it. */
    String test() {
        return test;
    }

    /** Returns how many histories the run of all tests has. */
    int ordinaryRun() {
        return ordinaryRun;
    }

    /** Returns how many histories a full run has. */
    int fullRun() {
        return fullRun;
    }

    Simulation simulation(long seed, Set<Flaw> flaws, @Nullable List<String> trace) {
        return switch (this) {
            case LOG -> new Simulation(Source.Kind.LOG, false, seed, flaws, trace);
            case LOG_WITH_FULL_STORE -> new Simulation(Source.Kind.LOG, false, seed, flaws, trace).withStoreThatFills();
            case CUT_LOG -> new Simulation(Source.Kind.LOG, false, seed, flaws, trace).withCuts();
            case LOG_WITH_UNKNOWN_TYPES ->
                new Simulation(Source.Kind.LOG, false, seed, flaws, trace).withUnknownTypes();
            case LOG_WITH_TENANTS -> new Simulation(Source.Kind.LOG, false, seed, flaws, trace).withTenants(seed);
            case CUT_LOG_WITH_TENANTS ->
                new Simulation(Source.Kind.LOG, false, seed, flaws, trace)
                        .withTenants(seed)
                        .withCuts();
            case LOG_WITH_CANCELS, QUEUE_WITH_CANCELS, SHARED_QUEUE_WITH_CANCELS ->
                SimCancels.in(
                        new Simulation(
                                this == LOG_WITH_CANCELS ? Source.Kind.LOG : Source.Kind.QUEUE,
                                this == SHARED_QUEUE_WITH_CANCELS,
                                seed,
                                flaws,
                                trace),
                        seed);
            case QUEUE -> new Simulation(Source.Kind.QUEUE, false, seed, flaws, trace);
            case QUEUE_WITH_TENANTS, SHARED_QUEUE_WITH_TENANTS -> {
                Simulation bursts = new Simulation(
                                Source.Kind.QUEUE, this == SHARED_QUEUE_WITH_TENANTS, seed, flaws, trace)
                        .withTenants(seed);
                yield seed % 2 == 0 ? bursts : bursts.withStoreThatHalfFills();
            }
            case SHARED_QUEUE -> new Simulation(Source.Kind.QUEUE, true, seed, flaws, trace);
        };
    }
}
