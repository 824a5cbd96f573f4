package dev.tandem.verify.fault;

import dev.tandem.verify.record.Event;
import dev.tandem.verify.record.Event.Server;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** kill -9 of Redis, which comes back a little later with all that the kernel had of its file. */
record RedisRestart() implements Fault {

    private static final int MOST_SECONDS = 4;

    @Override
    public String name() {
        return "redis-restart";
    }

    @Override
    public String about() {
        return "Redis is killed and started again";
    }

    @Override
    public Set<Requirement> needs() {
        return Set.of(Requirement.OWN_REDIS);
    }

    @Override
    public Set<Server> servers() {
        return Set.of(Server.STORE);
    }

    @Override
    public void strike(FaultContext stage) throws InterruptedException {
        long at = System.nanoTime();
        stage.note(new Event.FaultBegan(at, name(), stage.round(), List.of()));
        stage.note(new Event.ServerDown(at, Server.STORE));
        stage.redis().kill();
        stage.sleep(Duration.ofMillis(stage.random().nextInt(MOST_SECONDS * 1_000)));
        stage.redis().start();
        long end = System.nanoTime();
        stage.note(new Event.ServerUp(end, Server.STORE));
        stage.note(new Event.FaultEnded(end, name(), stage.round(), -1));
        stage.sleep(stage.lease());
    }
}
