package dev.tandem.verify.fault;

import dev.tandem.verify.record.Event;
import dev.tandem.verify.worker.WorkerProcess;
import java.time.Duration;
import java.util.List;

/** An executor leaves in order and another one joins, every few seconds: partitions are revoked and come back. */
record Churn() implements Fault {

    private static final int TIMES = 3;
    private static final int LEAST_MILLIS = 1_000;
    private static final int MOST_MILLIS = 4_000;
    private static final long JOIN_MILLIS = 30_000;

    @Override
    public String name() {
        return "churn";
    }

    @Override
    public String about() {
        return "an executor leaves and another one joins, every few seconds";
    }

    @Override
    public int endings() {
        return TIMES;
    }

    @Override
    public void strike(FaultContext stage) throws InterruptedException {
        for (int i = 0; i < TIMES; i++) {
            WorkerProcess victim = FaultCatalog.busiest(stage);
            String fault = name() + (i == 0 ? "" : "-" + (i + 1));
            stage.note(new Event.FaultBegan(System.nanoTime(), fault, stage.round(), List.of(victim.name())));
            stage.leave(victim);
            stage.note(new Event.FaultEnded(System.nanoTime(), fault, stage.round(), -1));
            stage.sleep(Duration.ofMillis(LEAST_MILLIS + stage.random().nextInt(MOST_MILLIS - LEAST_MILLIS)));
            WorkerProcess fresh = stage.join();
            stage.live().await(JOIN_MILLIS, live -> live.hasWorked(fresh.name()));
        }
    }
}
