package dev.tandem.verify.fault;

import dev.tandem.verify.record.Event;
import dev.tandem.verify.record.Event.Link;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** kill -9 of Redis, which comes back a little later with all that the kernel had of its file. */
record StoreRestart() implements Fault {

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
    public Set<Need> needs() {
        return Set.of(Need.OWN_REDIS);
    }

    @Override
    public Set<Link> servers() {
        return Set.of(Link.STORE);
    }

    @Override
    public void strike(Stage stage) throws InterruptedException {
        long at = System.nanoTime();
        stage.note(new Event.Began(at, name(), stage.round(), List.of()));
        stage.note(new Event.Down(at, Link.STORE));
        stage.redis().kill();
        stage.sleep(Duration.ofMillis(stage.random().nextInt(MOST_SECONDS * 1_000)));
        stage.redis().start();
        long end = System.nanoTime();
        stage.note(new Event.Up(end, Link.STORE));
        stage.note(new Event.Ended(end, name(), stage.round(), -1));
        stage.sleep(stage.lease());
    }
}
