package dev.tandem.verify.fault;

import java.time.Duration;

/** Nothing goes wrong but what the workload brings: what other keys notice of those that are stuck. */
record NoFault() implements Fault {

    private static final Duration LONG_ENOUGH = Duration.ofSeconds(20);

    @Override
    public String name() {
        return "none";
    }

    @Override
    public String about() {
        return "nothing goes wrong but tasks that fail, last and die";
    }

    @Override
    public void strike(FaultContext stage) throws InterruptedException {
        stage.sleep(LONG_ENOUGH);
    }
}
