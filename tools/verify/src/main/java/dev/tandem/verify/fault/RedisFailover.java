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
 * kill -9 of a Redis primary whose replicas have not heard of its last writes, so that the one that is promoted lacks them;
 * the killed one comes back as a replica. To make replicas lag they are stopped and their connections killed: of a replica
 * that is just stopped, the kernel would keep what the primary sends.
 *
 * @param cluster a Redis Cluster, and one of its primaries that has partitions; else by Sentinels
 */
record RedisFailover(boolean cluster) implements Fault {

    private static final int LEAST_MILLIS = 200;
    private static final int MOST_MILLIS = 900;

    @Override
    public String name() {
        return cluster ? "cluster-failover" : "sentinel-failover";
    }

    @Override
    public String about() {
        return (cluster ? "a primary of the Redis Cluster" : "the Redis primary under Sentinels")
                + " is killed, and a replica promoted that lags";
    }

    @Override
    public Set<Requirement> needs() {
        return Set.of(cluster ? Requirement.CLUSTER : Requirement.SENTINEL);
    }

    @Override
    public Set<Server> servers() {
        return Set.of(Server.STORE);
    }

    @Override
    public void strike(FaultContext stage) throws InterruptedException {
        LocalRedis primary = cluster
                ? stage.cluster().primaryOf(stage.slot())
                : stage.sentinel().primary();
        Set<Integer> followers = followers(stage, primary);
        List<LocalRedis> replicas = nodes(stage).stream()
                .filter(node -> followers.contains(node.port()))
                .toList();
        long since = System.nanoTime();
        stage.note(new Event.FaultBegan(since, name(), stage.round(), List.of()));
        replicas.forEach(LocalRedis::suspend);
        stage.ask(primary, redis -> redis.clientKill(KillArgs.Builder.typeSlave()));
        long before = stage.live().finished();
        stage.sleep(Duration.ofMillis(LEAST_MILLIS + stage.random().nextInt(MOST_MILLIS - LEAST_MILLIS)));
        long after = stage.live().finished();
        stage.note(new Event.ServerDown(System.nanoTime(), Server.STORE));
        primary.kill();
        replicas.forEach(LocalRedis::resume);
        awaitReady(stage);
        long end = System.nanoTime();
        stage.note(new Event.WritesLost(end, since));
        stage.note(new Event.ServerUp(end, Server.STORE));
        stage.note(new Event.FaultEnded(end, name(), stage.round(), after - before));
        stage.sleep(stage.lease());
        primary.start();
        awaitReady(stage);
        // Nothing is durable before the last replica is in step again.
        stage.sleep(stage.lease());
    }

    private List<LocalRedis> nodes(FaultContext stage) {
        return cluster ? stage.cluster().nodes() : stage.sentinel().nodes();
    }

    private void awaitReady(FaultContext stage) {
        if (cluster) {
            stage.cluster().awaitReady();
        } else {
            stage.sentinel().awaitReady();
        }
    }

    /** The ports of its replicas: {@code slave0:ip=127.0.0.1,port=6380,state=online,...}. */
    private static Set<Integer> followers(FaultContext stage, LocalRedis primary) {
        return stage.ask(primary, redis -> redis.info("replication"))
                .lines()
                .filter(line -> line.startsWith("slave") && line.contains("port="))
                .map(line -> line.replaceAll(".*port=(\\d+).*", "$1").strip())
                .map(Integer::valueOf)
                .collect(Collectors.toSet());
    }
}
