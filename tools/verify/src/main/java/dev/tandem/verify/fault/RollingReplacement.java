package dev.tandem.verify.fault;

import dev.tandem.verify.record.Event;
import dev.tandem.verify.worker.WorkerProcess;
import java.time.Duration;
import java.util.List;

/** Every executor is replaced, one after another: a new one comes, and when it works, an old one leaves. */
record RollingReplacement() implements Fault {

    private static final long JOIN_MILLIS = 30_000;
    private static final Duration BETWEEN = Duration.ofSeconds(2);

    @Override
    public String name() {
        return "rolling";
    }

    @Override
    public String about() {
        return "all executors are replaced, one after another";
    }

    @Override
    public int endings() {
        return Integer.MAX_VALUE;
    }

    @Override
    public void strike(FaultContext stage) throws InterruptedException {
        List<WorkerProcess> old = stage.executors();
        for (int i = 0; i < old.size(); i++) {
            WorkerProcess fresh = stage.join();
            stage.live().await(JOIN_MILLIS, live -> live.hasWorked(fresh.name()));
            stage.sleep(BETWEEN);
            WorkerProcess leaving = old.get(i);
            String fault = name() + (i == 0 ? "" : "-" + (i + 1));
            stage.live().await(JOIN_MILLIS, live -> live.fresh(leaving.name()) > 0);
            stage.note(new Event.FaultBegan(System.nanoTime(), fault, stage.round(), List.of(leaving.name())));
            stage.leave(leaving);
            stage.note(new Event.FaultEnded(System.nanoTime(), fault, stage.round(), -1));
        }
        stage.sleep(BETWEEN);
    }
}
