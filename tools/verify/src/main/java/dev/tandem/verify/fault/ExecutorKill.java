package dev.tandem.verify.fault;

import dev.tandem.verify.record.Event;
import dev.tandem.verify.worker.WorkerProcess;
import java.util.List;
import java.util.Set;

/** kill -9 of the executor that runs most; another one takes its place when all that it ran runs again. */
record ExecutorKill() implements Fault {

    @Override
    public String name() {
        return "kill";
    }

    @Override
    public String about() {
        return "kill -9 of an executor";
    }

    @Override
    public void strike(FaultContext stage) throws InterruptedException {
        WorkerProcess victim = FaultCatalog.busiest(stage);
        Set<String> running = stage.live().running(victim.name());
        long at = System.nanoTime();
        stage.note(new Event.FaultBegan(at, name(), stage.round(), List.of(victim.name())));
        stage.kill(victim);
        stage.note(new Event.FaultEnded(System.nanoTime(), name(), stage.round(), -1));
        FaultCatalog.awaitTakenOver(stage, running, at);
        stage.join();
    }
}
