package dev.tandem.verify.worker;

import dev.tandem.kit.JsonLinesLog;
import dev.tandem.verify.record.Event;
import java.util.concurrent.TimeUnit;

/** Records when its process did not run for a while. Waits on a machine that is too busy prove nothing. */
public final class StallDetector {

    private static final long INTERVAL_MILLIS = 50;
    private static final long STALL_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private StallDetector() {}

    /** Starts a thread that watches until it is interrupted or the process ends. */
    public static Thread start(String process, JsonLinesLog<Event> log) {
        Thread thread = new Thread(() -> watch(process, log), "verify-stall-detector");
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private static void watch(String process, JsonLinesLog<Event> log) {
        long last = System.nanoTime();
        while (true) {
            try {
                TimeUnit.MILLISECONDS.sleep(INTERVAL_MILLIS);
            } catch (InterruptedException e) {
                return;
            }
            long now = System.nanoTime();
            if (now - last > STALL_NANOS) {
                log.write(new Event.ProcessStalled(now, process, last));
            }
            last = now;
        }
    }
}
