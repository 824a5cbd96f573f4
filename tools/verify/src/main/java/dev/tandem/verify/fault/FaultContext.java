package dev.tandem.verify.fault;

import dev.tandem.local.LocalBroker;
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
 * What a {@link Fault} acts on: the executors of one trial under load, and its brokers. Which brokers there are is what
 * the fault {@linkplain Fault#needs needs}; asking for another one throws {@link IllegalStateException}. Thread-safe.
 */
public interface FaultContext {

    /** Of the trial's seed. Faults that are combined have one each. */
    Random random();

    /** The lease of the trial's executors. */
    Duration lease();

    /** Which injection of this trial it is, from 1. */
    int round();

    /** Records something. The stage itself records what is done to executors. */
    void note(Event event);

    /** The executors that run, in the order of their slots. */
    List<WorkerProcess> executors();

    /** Starts one more executor, in the first free slot. Returns at once. */
    WorkerProcess join();

    /** Has an executor leave in order, and returns when it is gone. */
    void leave(WorkerProcess executor);

    /** Kills an executor. */
    void kill(WorkerProcess executor);

    /** What executors do. */
    LiveView live();

    /** The broker of this trial's workload. */
    LocalBroker broker();

    /** The single Redis of this trial. */
    LocalRedis redis();

    /** The Redis with replicas and Sentinels of this trial. */
    LocalRedisSentinel sentinel();

    /** The Redis Cluster of this trial. */
    LocalRedisCluster cluster();

    /** A slot of the cluster that a partition of the trial's queue lies in. */
    int slot();

    /** Asks a Redis, on a connection of its own. */
    <T> T ask(LocalRedis node, Function<RedisCommands<String, String>, T> question);

    /** Waits; a trial that is given up ends it. */
    void sleep(Duration time) throws InterruptedException;
}
