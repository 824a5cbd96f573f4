package dev.tandem.verify.fault;

import dev.tandem.local.RedisCheckpoint;
import dev.tandem.verify.record.Event;
import dev.tandem.verify.record.Event.Server;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** Kills Redis with SIGKILL and truncates its append-only file, so that it comes back without its last writes. */
record RedisWriteLoss() implements Fault {

    private static final int MIN_LOST_MILLIS = 200;
    private static final int MAX_LOST_MILLIS = 1_000;
    private static final long FIRST_WRITE_LIMIT_MILLIS = 5_000;

    @Override
    public String name() {
        return "redis-forgets";
    }

    @Override
    public String description() {
        return "Redis is killed, and comes back without up to a second of its writes";
    }

    @Override
    public Set<Requirement> requirements() {
        return Set.of(Requirement.OWN_REDIS);
    }

    @Override
    public Set<Server> serversTakenDown() {
        return Set.of(Server.STORE);
    }

    @Override
    public void inject(FaultContext context) throws InterruptedException {
        long finished = context.liveView().finished();
        context.liveView().await(FIRST_WRITE_LIMIT_MILLIS, live -> live.finished() > finished);
        long since = System.nanoTime();
        context.record(new Event.FaultBegan(since, name(), context.round(), List.of()));
        long before = context.liveView().finished();
        RedisCheckpoint checkpoint = context.redis().checkpoint();
        context.sleep(Duration.ofMillis(MIN_LOST_MILLIS + context.random().nextInt(MAX_LOST_MILLIS - MIN_LOST_MILLIS)));
        long down = System.nanoTime();
        context.record(new Event.ServerDown(down, Server.STORE));
        long after = context.liveView().finished();
        context.redis().restartFrom(checkpoint);
        long end = System.nanoTime();
        context.record(new Event.WritesLost(end, since));
        context.record(new Event.ServerUp(end, Server.STORE));
        // The outcomes of handlers that ended in between were written and are lost.
        context.record(new Event.FaultEnded(end, name(), context.round(), after - before));
        context.sleep(context.lease());
    }
}
