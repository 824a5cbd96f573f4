package dev.tandem.verify.worker;

import dev.tandem.verify.record.Event;
import dev.tandem.verify.record.EventLog;
import java.util.concurrent.TimeUnit;

/** Records when its process was kept from working for long: a machine that is too busy proves nothing of waits. */
public final class StallDetector {

    private static final long EVERY_MILLIS = 50;
    private static final long LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private StallDetector() {}

    /** Ticks until the process ends or the thread is interrupted. */
    public static Thread start(String process, EventLog log) {
        Thread thread = new Thread(
                () -> {
                    long last = System.nanoTime();
                    while (true) {
                        try {
                            TimeUnit.MILLISECONDS.sleep(EVERY_MILLIS);
                        } catch (InterruptedException e) {
                            return;
                        }
                        long now = System.nanoTime();
                        if (now - last > LATE_NANOS) {
                            log.write(new Event.ProcessStalled(now, process, last));
                        }
                        last = now;
                    }
                },
                "verify-ticker");
        thread.setDaemon(true);
        thread.start();
        return thread;
    }
}
