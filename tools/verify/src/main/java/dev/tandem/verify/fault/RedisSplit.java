package dev.tandem.verify.fault;

import dev.tandem.local.LocalRedis;
import dev.tandem.verify.record.Event;
import dev.tandem.verify.record.Event.Server;
import dev.tandem.verify.worker.WorkerProcess;
import io.lettuce.core.KillArgs;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * Cuts a Redis primary off from its replicas and its Sentinels, but not from the executors, so that a replica that lags is
 * promoted beside it. An executor that starts meanwhile finds the promoted one. Afterwards the former primary becomes a
 * replica, and forgets what was written to it.
 *
 * <p>The primary refuses the commands of replication and of Sentinels, since a network cannot be cut between processes of
 * one machine.
 */
record RedisSplit() implements Fault {

    private static final Duration LIMIT = Duration.ofSeconds(60);

    @Override
    public String name() {
        return "redis-split";
    }

    @Override
    public String description() {
        return "the Redis primary is cut off from its replicas, of which one is promoted, but not from the executors";
    }

    @Override
    public Set<Requirement> requirements() {
        return Set.of(Requirement.SENTINEL);
    }

    @Override
    public Set<Server> serversTakenDown() {
        return Set.of(Server.STORE);
    }

    @Override
    public void inject(FaultContext context) throws InterruptedException {
        LocalRedis former = context.sentinel().primary();
        long since = System.nanoTime();
        context.record(new Event.FaultBegan(since, name(), context.round(), List.of()));
        context.record(new Event.ServerDown(since, Server.STORE));
        long before = context.liveView().finished();
        allow(context, former, "-psync", "-sync", "-replicaof", "-slaveof");
        context.query(former, redis -> redis.clientKill(KillArgs.Builder.typeSlave()));
        // Sentinels wait for longer than half a lease before they promote a replica, as they should.
        context.sleep(context.lease().multipliedBy(6).dividedBy(10));
        long after = context.liveView().finished();
        allow(context, former, "-ping");
        awaitPromotion(context, former);
        WorkerProcess joined = context.startExecutor();
        context.sleep(context.lease());
        allow(context, former, "+@all");
        context.sentinel().awaitReady();
        long end = System.nanoTime();
        context.record(new Event.WritesLost(end, since));
        context.record(new Event.ServerUp(end, Server.STORE));
        context.record(new Event.FaultEnded(end, name(), context.round(), after - before));
        context.sleep(context.lease());
        context.stopExecutor(joined);
    }

    /** Changes which commands a Redis allows. */
    private static void allow(FaultContext context, LocalRedis redis, String... rules) {
        CommandArgs<String, String> args =
                new CommandArgs<>(StringCodec.UTF8).add("SETUSER").add("default");
        for (String rule : rules) {
            args.add(rule);
        }
        context.query(
                redis, commands -> commands.dispatch(CommandType.ACL, new StatusOutput<>(StringCodec.UTF8), args));
    }

    private static void awaitPromotion(FaultContext context, LocalRedis former) throws InterruptedException {
        long limit = System.nanoTime() + LIMIT.toNanos();
        while (context.sentinel().primary() == former) {
            if (System.nanoTime() - limit > 0) {
                throw new IllegalStateException("The Sentinels promoted no replica within " + LIMIT);
            }
            context.sleep(Duration.ofMillis(100));
        }
    }
}
