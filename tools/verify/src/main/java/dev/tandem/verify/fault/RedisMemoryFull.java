package dev.tandem.verify.fault;

import dev.tandem.verify.record.Event;
import dev.tandem.verify.record.Event.Server;
import java.util.List;
import java.util.Set;

/** Sets Redis to maxmemory for half a lease. It refuses to take custody of tasks, but records outcomes. */
record RedisMemoryFull() implements Fault {

    @Override
    public String name() {
        return "redis-full";
    }

    @Override
    public String description() {
        return "Redis is at maxmemory";
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
        context.record(new Event.FaultBegan(System.nanoTime(), name(), context.round(), List.of()));
        long before = refused(context);
        context.query(context.redis(), redis -> redis.configSet("maxmemory", "1mb"));
        context.sleep(context.lease().dividedBy(2));
        context.query(context.redis(), redis -> redis.configSet("maxmemory", "0"));
        context.record(new Event.FaultEnded(System.nanoTime(), name(), context.round(), refused(context) - before));
        context.sleep(context.lease());
    }

    /** Returns how many writes Redis has refused since its start. */
    private static long refused(FaultContext context) {
        return context.query(context.redis(), redis -> redis.info("errorstats"))
                .lines()
                .filter(line -> line.startsWith("errorstat_OOM:count="))
                .mapToLong(line -> Long.parseLong(
                        line.substring("errorstat_OOM:count=".length()).strip()))
                .findFirst()
                .orElse(0);
    }
}
