package dev.tandem.verify.fault;

import dev.tandem.verify.record.Event;
import dev.tandem.verify.record.Event.Server;
import java.util.List;
import java.util.Set;

/** Redis may use no more memory than it has for half a lease: it takes nothing over, but records outcomes. */
record RedisMemoryFull() implements Fault {

    @Override
    public String name() {
        return "redis-full";
    }

    @Override
    public String about() {
        return "Redis is at maxmemory";
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
        stage.note(new Event.FaultBegan(System.nanoTime(), name(), stage.round(), List.of()));
        long before = refused(stage);
        stage.ask(stage.redis(), redis -> redis.configSet("maxmemory", "1mb"));
        stage.sleep(stage.lease().dividedBy(2));
        stage.ask(stage.redis(), redis -> redis.configSet("maxmemory", "0"));
        stage.note(new Event.FaultEnded(System.nanoTime(), name(), stage.round(), refused(stage) - before));
        stage.sleep(stage.lease());
    }

    /** Writes that Redis refused since its start. */
    private static long refused(FaultContext stage) {
        return stage.ask(stage.redis(), redis -> redis.info("errorstats"))
                .lines()
                .filter(line -> line.startsWith("errorstat_OOM:count="))
                .mapToLong(line -> Long.parseLong(
                        line.substring("errorstat_OOM:count=".length()).strip()))
                .findFirst()
                .orElse(0);
    }
}
