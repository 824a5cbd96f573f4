package dev.tandem.verify.fault;

import dev.tandem.local.RedisCheckpoint;
import dev.tandem.verify.record.Event;
import dev.tandem.verify.record.Event.Server;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** kill -9 of Redis, which comes back without up to its last second of writes: its file is cut back. */
record RedisWriteLoss() implements Fault {

    private static final int LEAST_MILLIS = 200;
    private static final int MOST_MILLIS = 1_000;
    private static final long WRITES_MILLIS = 5_000;

    @Override
    public String name() {
        return "redis-forgets";
    }

    @Override
    public String about() {
        return "Redis is killed, and has lost up to a second of its writes when it is back";
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
        long finished = stage.live().finished();
        stage.live().await(WRITES_MILLIS, live -> live.finished() > finished);
        long since = System.nanoTime();
        stage.note(new Event.FaultBegan(since, name(), stage.round(), List.of()));
        long before = stage.live().finished();
        RedisCheckpoint checkpoint = stage.redis().checkpoint();
        stage.sleep(Duration.ofMillis(LEAST_MILLIS + stage.random().nextInt(MOST_MILLIS - LEAST_MILLIS)));
        long down = System.nanoTime();
        stage.note(new Event.ServerDown(down, Server.STORE));
        long after = stage.live().finished();
        stage.redis().restartFrom(checkpoint);
        long end = System.nanoTime();
        stage.note(new Event.WritesLost(end, since));
        stage.note(new Event.ServerUp(end, Server.STORE));
        // What ended meanwhile was written, and is not there any more.
        stage.note(new Event.FaultEnded(end, name(), stage.round(), after - before));
        stage.sleep(stage.lease());
    }
}
