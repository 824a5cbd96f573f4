package dev.tandem.verify.fault;

import dev.tandem.local.LocalBroker;
import dev.tandem.local.LocalRabbitCluster;
import dev.tandem.local.LocalRedis;
import dev.tandem.local.LocalRedisCluster;
import dev.tandem.local.LocalRedisSentinel;
import dev.tandem.verify.record.Event;
import dev.tandem.verify.worker.LiveView;
import dev.tandem.verify.worker.WorkerProcess;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.function.Function;

/**
 * The things that a {@link Fault} acts on: the executors and brokers of one trial under load. The brokers that exist are those
 * that the fault {@linkplain Fault#requirements requires}; asking for another one throws {@link
 * IllegalStateException}. Thread-safe.
 */
public interface FaultContext {

    /** Returns a new source of randomness that follows from the trial's seed. */
    Random random();

    /** Returns the lease of the trial's executors. */
    Duration lease();

    /** Returns the number of this injection in the trial, from 1. */
    int round();

    /** Records an event. What is done to executors is recorded by their {@link WorkerProcess}. */
    void record(Event event);

    /** Returns the running executors, ordered by slot. */
    List<WorkerProcess> executors();

    /** Starts another executor in the first free slot. Returns at once. */
    WorkerProcess startExecutor();

    /** Asks an executor to leave, and returns when it has ended. */
    void stopExecutor(WorkerProcess executor);

    void killExecutor(WorkerProcess executor);

    /** Lets every attempt fail in all executors, or lets handlers follow their payloads again. Takes effect in moments. */
    void handlersFail(boolean fail);

    /** Returns a view of what the executors are doing. */
    LiveView liveView();

    /** Returns the broker of the trial's workload. */
    LocalBroker broker();

    /** Returns the RabbitMQ cluster of the trial. */
    LocalRabbitCluster rabbitCluster();

    /** Returns the single Redis of the trial. */
    LocalRedis redis();

    /** Returns the Redis with replicas and Sentinels of the trial. */
    LocalRedisSentinel sentinel();

    /** Returns the Redis Cluster of the trial. */
    LocalRedisCluster cluster();

    /** Returns a hash slot of the cluster in which a partition of the trial's queue lies. */
    int clusterSlot();

    /** Returns the outbox of the trial. */
    OutboxControl outbox();

    /** Queries a Redis over a new connection. */
    <T> T query(LocalRedis node, Function<RedisCommands<String, String>, T> query);

    void sleep(Duration time) throws InterruptedException;
}
