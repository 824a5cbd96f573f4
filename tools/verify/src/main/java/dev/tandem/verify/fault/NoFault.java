package dev.tandem.verify.fault;

import java.time.Duration;

/** No fault. Measures what other keys notice of the stuck keys that every workload has. */
record NoFault() implements Fault {

    private static final Duration DURATION = Duration.ofSeconds(20);

    @Override
    public String name() {
        return "none";
    }

    @Override
    public String description() {
        return "no fault; the workload has tasks that fail, take long or die";
    }

    @Override
    public void inject(FaultContext context) throws InterruptedException {
        context.sleep(DURATION);
    }
}
