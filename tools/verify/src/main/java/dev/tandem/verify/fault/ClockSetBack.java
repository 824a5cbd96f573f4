package dev.tandem.verify.fault;

import dev.tandem.verify.record.Event;
import dev.tandem.verify.worker.WorkerProcess;
import java.time.Duration;
import java.util.List;

/**
 * The clock of one executor is set back by an hour, for twice the lease, and then right again. Only its core's clock of epoch
 * time: the machine's, and with it what brokers and libraries see, stays as it is.
 */
record ClockSetBack() implements Fault {

    private static final Duration BACK = Duration.ofHours(-1);
    private static final long ORDER_MILLIS = 5_000;

    @Override
    public String name() {
        return "clock-back";
    }

    @Override
    public String about() {
        return "the clock of an executor is set back by an hour, and right again later";
    }

    @Override
    public void strike(FaultContext stage) throws InterruptedException {
        WorkerProcess victim = FaultCatalog.busiest(stage);
        stage.note(new Event.FaultBegan(System.nanoTime(), name(), stage.round(), List.of(victim.name())));
        boolean set = set(stage, victim, BACK);
        if (set) {
            stage.sleep(stage.lease().multipliedBy(2));
        }
        // In any case: a frozen one may take the order later.
        set &= set(stage, victim, Duration.ZERO);
        stage.note(new Event.FaultEnded(System.nanoTime(), name(), stage.round(), set ? -1 : 0));
        stage.sleep(stage.lease());
    }

    private static boolean set(FaultContext stage, WorkerProcess victim, Duration ahead) throws InterruptedException {
        victim.setClock(ahead);
        return stage.live().await(ORDER_MILLIS, live -> live.clockAhead(victim.name()) == ahead.toMillis());
    }
}
