package dev.tandem.rabbit;

import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The one thread on which a source makes all calls that wait for the broker. */
final class BrokerThread {

    private static final Logger log = LoggerFactory.getLogger(BrokerThread.class);

    private final ScheduledThreadPoolExecutor executor;

    BrokerThread(ThreadFactory threads) {
        executor = new ScheduledThreadPoolExecutor(1, threads);
    }

    /** Runs the call on the thread after a delay. */
    void later(long delayMillis, Runnable call) {
        if (!executor.isShutdown()) {
            Future<?> unused = executor.schedule(() -> runLogged(call), delayMillis, TimeUnit.MILLISECONDS);
        }
    }

    /** Logs what the call throws, which would otherwise stay unnoticed in its future. */
    private static void runLogged(Runnable call) {
        try {
            call.run();
        } catch (RuntimeException | Error e) {
            log.error("A call to RabbitMQ failed because of a bug in Tandem; please report it", e);
        }
    }

    /** Interrupts the present call and drops the others. */
    void stop() {
        executor.shutdownNow();
    }
}
