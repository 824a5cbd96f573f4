package dev.tandem.verify.fault;

import dev.tandem.verify.record.Event;
import dev.tandem.verify.record.Event.Server;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** Kills Redis with SIGKILL and starts it a little later. It has lost nothing, since the kernel kept its file. */
record RedisRestart() implements Fault {

    private static final int MAX_DOWN_SECONDS = 4;

    @Override
    public String name() {
        return "redis-restart";
    }

    @Override
    public String description() {
        return "Redis is killed and started again";
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
        long at = System.nanoTime();
        context.record(new Event.FaultBegan(at, name(), context.round(), List.of()));
        context.record(new Event.ServerDown(at, Server.STORE));
        context.redis().kill();
        context.sleep(Duration.ofMillis(context.random().nextInt(MAX_DOWN_SECONDS * 1_000)));
        context.redis().start();
        long end = System.nanoTime();
        context.record(new Event.ServerUp(end, Server.STORE));
        context.record(new Event.FaultEnded(end, name(), context.round(), -1));
        context.sleep(context.lease());
    }
}
