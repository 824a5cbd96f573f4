package dev.tandem.verify.fault;

import dev.tandem.kit.TcpProxy;
import dev.tandem.verify.record.Event;
import dev.tandem.verify.record.Event.Server;
import dev.tandem.verify.worker.WorkerProcess;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Cuts one executor off from its broker, its store or both, for one and a half leases. Either its bytes are held back,
 * or its connections are closed.
 */
record NetworkPartition(List<Server> servers) implements Fault {

    @Override
    public String name() {
        return "partition-" + (servers.size() > 1 ? "both" : servers.get(0) == Server.STORE ? "redis" : "broker");
    }

    @Override
    public String description() {
        return "an executor's connections to "
                + servers.stream()
                        .map(server -> server == Server.STORE ? "Redis" : "its broker")
                        .collect(Collectors.joining(" and "))
                + " are stalled or broken";
    }

    @Override
    public Set<Requirement> requirements() {
        return Set.of(Requirement.PROXIES);
    }

    @Override
    public void inject(FaultContext context) throws InterruptedException {
        WorkerProcess victim = FaultTargets.busiestExecutor(context);
        TcpProxy.Mode mode = context.random().nextBoolean() ? TcpProxy.Mode.STALLED : TcpProxy.Mode.BROKEN;
        context.record(new Event.FaultBegan(System.nanoTime(), name(), context.round(), List.of(victim.name())));
        servers.forEach(server -> victim.cut(server, mode));
        context.sleep(context.lease().multipliedBy(3).dividedBy(2));
        servers.forEach(victim::heal);
        context.record(new Event.FaultEnded(System.nanoTime(), name(), context.round(), -1));
        context.sleep(context.lease());
    }
}
