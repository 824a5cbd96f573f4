package dev.tandem.verify.fault;

import dev.tandem.verify.record.Event;
import dev.tandem.verify.worker.WorkerProcess;
import java.util.List;
import java.util.Set;

/** kill -9 of the executor that runs most; another one takes its place when all that it ran runs again. */
record Kill() implements Fault {

    @Override
    public String name() {
        return "kill";
    }

    @Override
    public String about() {
        return "kill -9 of an executor";
    }

    @Override
    public void strike(Stage stage) throws InterruptedException {
        WorkerProcess victim = Faults.busiest(stage);
        Set<String> running = stage.live().running(victim.name());
        long at = System.nanoTime();
        stage.note(new Event.Began(at, name(), stage.round(), List.of(victim.name())));
        stage.kill(victim);
        stage.note(new Event.Ended(System.nanoTime(), name(), stage.round(), -1));
        Faults.awaitTakenOver(stage, running, at);
        stage.join();
    }
}
