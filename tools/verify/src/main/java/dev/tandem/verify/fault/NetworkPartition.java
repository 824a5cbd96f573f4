package dev.tandem.verify.fault;

import dev.tandem.verify.record.Event;
import dev.tandem.verify.record.Event.Server;
import dev.tandem.verify.worker.TcpProxy;
import dev.tandem.verify.worker.WorkerProcess;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** One executor's way to its broker, its store or both is closed for a lease and a half: bytes vanish, or connections break. */
record NetworkPartition(List<Server> links) implements Fault {

    @Override
    public String name() {
        return "partition-" + (links.size() > 1 ? "both" : links.get(0) == Server.STORE ? "redis" : "broker");
    }

    @Override
    public String about() {
        return "an executor's connections to "
                + links.stream()
                        .map(link -> link == Server.STORE ? "Redis" : "its broker")
                        .collect(Collectors.joining(" and "))
                + " are stalled or broken";
    }

    @Override
    public Set<Requirement> needs() {
        return Set.of(Requirement.WAYS);
    }

    @Override
    public void strike(FaultContext stage) throws InterruptedException {
        WorkerProcess victim = FaultCatalog.busiest(stage);
        TcpProxy.Mode mode = stage.random().nextBoolean() ? TcpProxy.Mode.STALLED : TcpProxy.Mode.BROKEN;
        stage.note(new Event.FaultBegan(System.nanoTime(), name(), stage.round(), List.of(victim.name())));
        links.forEach(link -> victim.cut(link, mode));
        stage.sleep(stage.lease().multipliedBy(3).dividedBy(2));
        links.forEach(victim::heal);
        stage.note(new Event.FaultEnded(System.nanoTime(), name(), stage.round(), -1));
        stage.sleep(stage.lease());
    }
}
