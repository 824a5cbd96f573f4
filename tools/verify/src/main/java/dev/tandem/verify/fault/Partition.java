package dev.tandem.verify.fault;

import dev.tandem.verify.record.Event;
import dev.tandem.verify.record.Event.Link;
import dev.tandem.verify.worker.TcpProxy;
import dev.tandem.verify.worker.WorkerProcess;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** One executor's way to its broker, its store or both is closed for a lease and a half: bytes vanish, or connections break. */
record Partition(List<Link> links) implements Fault {

    @Override
    public String name() {
        return "partition-" + (links.size() > 1 ? "both" : links.get(0) == Link.STORE ? "redis" : "broker");
    }

    @Override
    public String about() {
        return "an executor's connections to "
                + links.stream()
                        .map(link -> link == Link.STORE ? "Redis" : "its broker")
                        .collect(Collectors.joining(" and "))
                + " are stalled or broken";
    }

    @Override
    public Set<Need> needs() {
        return Set.of(Need.WAYS);
    }

    @Override
    public void strike(Stage stage) throws InterruptedException {
        WorkerProcess victim = Faults.busiest(stage);
        TcpProxy.Mode mode = stage.random().nextBoolean() ? TcpProxy.Mode.STALLED : TcpProxy.Mode.BROKEN;
        stage.note(new Event.Began(System.nanoTime(), name(), stage.round(), List.of(victim.name())));
        links.forEach(link -> victim.cut(link, mode));
        stage.sleep(stage.lease().multipliedBy(3).dividedBy(2));
        links.forEach(victim::heal);
        stage.note(new Event.Ended(System.nanoTime(), name(), stage.round(), -1));
        stage.sleep(stage.lease());
    }
}
