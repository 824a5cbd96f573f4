package dev.tandem.verify.fault;

import dev.tandem.verify.record.Event;
import dev.tandem.verify.record.Event.Server;
import java.util.List;
import java.util.Set;

/**
 * Makes Redis's writes to its append-only file fail for half a lease, as a full disk does. Redis refuses all writes
 * until there is room again. See {@link FileSizeLimit}.
 */
record RedisDiskFull() implements Fault {

    @Override
    public String name() {
        return "redis-disk-full";
    }

    @Override
    public String description() {
        return "Redis cannot write to its disk and refuses all writes";
    }

    @Override
    public Set<Requirement> requirements() {
        return Set.of(Requirement.OWN_REDIS, Requirement.FILE_LIMITS);
    }

    @Override
    public Set<Server> serversTakenDown() {
        return Set.of(Server.STORE);
    }

    @Override
    public void inject(FaultContext context) throws InterruptedException {
        long process = context.redis().pid();
        long before = refused(context);
        long at = System.nanoTime();
        context.record(new Event.FaultBegan(at, name(), context.round(), List.of()));
        context.record(new Event.ServerDown(at, Server.STORE));
        FileSizeLimit.block(process);
        try {
            context.sleep(context.lease().dividedBy(2));
        } finally {
            FileSizeLimit.unblock(process);
        }
        long end = System.nanoTime();
        context.record(new Event.ServerUp(end, Server.STORE));
        context.record(new Event.FaultEnded(end, name(), context.round(), refused(context) - before));
        context.sleep(context.lease());
    }

    /** Returns how many writes Redis has refused since its start because it could not write to its file. */
    private static long refused(FaultContext context) {
        String count =
                field(context.query(context.redis(), redis -> redis.info("errorstats")), "errorstat_MISCONF:count=");
        return count.isEmpty() ? 0 : Long.parseLong(count);
    }

    private static String field(String info, String name) {
        return info.lines()
                .filter(line -> line.startsWith(name))
                .map(line -> line.substring(name.length()).strip())
                .findFirst()
                .orElse("");
    }
}
