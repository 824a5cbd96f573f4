package dev.tandem.verify.fault;

import dev.tandem.local.LocalRedis;
import dev.tandem.verify.record.Event;
import dev.tandem.verify.record.Event.Server;
import io.lettuce.core.KillArgs;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Kills a Redis primary whose replicas have not received its last writes, so that the promoted replica lacks them. The
 * killed one comes back as a replica. To make replicas lag, they are frozen and their connections killed: the kernel
 * would buffer what the primary sends to a replica that is only frozen.
 *
 * @param cluster whether to kill a primary of the Redis Cluster that has partitions; otherwise the primary under
 *     Sentinels
 */
record RedisFailover(boolean cluster) implements Fault {

    private static final int MIN_LOST_MILLIS = 200;
    private static final int MAX_LOST_MILLIS = 900;

    @Override
    public String name() {
        return cluster ? "cluster-failover" : "sentinel-failover";
    }

    @Override
    public String description() {
        return (cluster ? "a primary of the Redis Cluster" : "the Redis primary under Sentinels")
                + " is killed, and a replica that lags is promoted";
    }

    @Override
    public Set<Requirement> requirements() {
        return Set.of(cluster ? Requirement.CLUSTER : Requirement.SENTINEL);
    }

    @Override
    public Set<Server> serversTakenDown() {
        return Set.of(Server.STORE);
    }

    @Override
    public void inject(FaultContext context) throws InterruptedException {
        LocalRedis primary = cluster
                ? context.cluster().primaryOf(context.clusterSlot())
                : context.sentinel().primary();
        Set<Integer> ports = replicaPorts(context, primary);
        List<LocalRedis> replicas = nodes(context).stream()
                .filter(node -> ports.contains(node.port()))
                .toList();
        long since = System.nanoTime();
        context.record(new Event.FaultBegan(since, name(), context.round(), List.of()));
        replicas.forEach(LocalRedis::suspend);
        context.query(primary, redis -> redis.clientKill(KillArgs.Builder.typeSlave()));
        long before = context.liveView().finished();
        context.sleep(Duration.ofMillis(MIN_LOST_MILLIS + context.random().nextInt(MAX_LOST_MILLIS - MIN_LOST_MILLIS)));
        long after = context.liveView().finished();
        context.record(new Event.ServerDown(System.nanoTime(), Server.STORE));
        primary.kill();
        replicas.forEach(LocalRedis::resume);
        awaitReady(context);
        long end = System.nanoTime();
        context.record(new Event.WritesLost(end, since));
        context.record(new Event.ServerUp(end, Server.STORE));
        context.record(new Event.FaultEnded(end, name(), context.round(), after - before));
        context.sleep(context.lease());
        primary.start();
        awaitReady(context);
        // No write is durable until the last replica has caught up.
        context.sleep(context.lease());
    }

    private List<LocalRedis> nodes(FaultContext context) {
        return cluster ? context.cluster().nodes() : context.sentinel().nodes();
    }

    private void awaitReady(FaultContext context) {
        if (cluster) {
            context.cluster().awaitReady();
        } else {
            context.sentinel().awaitReady();
        }
    }

    /** Returns the ports of the replicas, from lines such as {@code slave0:ip=127.0.0.1,port=6380,state=online,...}. */
    private static Set<Integer> replicaPorts(FaultContext context, LocalRedis primary) {
        return context.query(primary, redis -> redis.info("replication"))
                .lines()
                .filter(line -> line.startsWith("slave") && line.contains("port="))
                .map(line -> line.replaceAll(".*port=(\\d+).*", "$1").strip())
                .map(Integer::valueOf)
                .collect(Collectors.toSet());
    }
}
