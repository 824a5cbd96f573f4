package dev.tandem.verify.fault;

import dev.tandem.verify.record.Event;
import dev.tandem.verify.record.Event.Server;
import java.util.List;
import java.util.Set;

/**
 * Redis can't write its append-only file for half a lease, as when its disk is full: it refuses every write, and goes on when
 * there is room. See {@link FileSizeLimit}.
 */
record RedisDiskFull() implements Fault {

    @Override
    public String name() {
        return "redis-disk-full";
    }

    @Override
    public String about() {
        return "Redis can't write to its disk, and refuses all writes";
    }

    @Override
    public Set<Requirement> needs() {
        return Set.of(Requirement.OWN_REDIS, Requirement.FILE_LIMITS);
    }

    @Override
    public Set<Server> servers() {
        return Set.of(Server.STORE);
    }

    @Override
    public void strike(FaultContext stage) throws InterruptedException {
        long process = stage.redis().pid();
        long before = refused(stage);
        long at = System.nanoTime();
        stage.note(new Event.FaultBegan(at, name(), stage.round(), List.of()));
        stage.note(new Event.ServerDown(at, Server.STORE));
        FileSizeLimit.full(process);
        try {
            stage.sleep(stage.lease().dividedBy(2));
        } finally {
            FileSizeLimit.room(process);
        }
        long end = System.nanoTime();
        stage.note(new Event.ServerUp(end, Server.STORE));
        stage.note(new Event.FaultEnded(end, name(), stage.round(), refused(stage) - before));
        stage.sleep(stage.lease());
    }

    /** Writes that Redis refused since its start because it could not write to its file. */
    private static long refused(FaultContext stage) {
        String count = field(stage.ask(stage.redis(), redis -> redis.info("errorstats")), "errorstat_MISCONF:count=");
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
