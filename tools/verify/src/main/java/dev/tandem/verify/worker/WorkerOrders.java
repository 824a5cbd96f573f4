package dev.tandem.verify.worker;

import dev.tandem.verify.record.Event;
import dev.tandem.verify.record.EventLog;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * Freezes this process (SIGSTOP) at a moment that cannot be hit from outside, once, when a file orders it. What runs in
 * the few milliseconds until the signal takes hold goes on, but for the thread that reached the moment. A file may also
 * order that its clock be set.
 */
public final class WorkerOrders {

    /** Where to freeze. */
    public enum FreezePoint {
        /** A handler has ended, and its outcome is not sent. */
        SETTLE,
        /** Outcomes are recorded, and the commit, or the ack, is not sent. */
        COMMIT;

        /** As the file says it. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Before the milliseconds that the clock is to be ahead. */
    static final String CLOCK = "clock ";

    private final String process;
    private final Path orders;
    private final SettableClock clock;
    private final EventLog log;
    private volatile boolean atSettle;
    private volatile boolean atCommit;

    WorkerOrders(String process, Path orders, EventLog log, SettableClock clock) {
        this.process = process;
        this.orders = orders;
        this.clock = clock;
        this.log = log;
    }

    /** Looks for an order, which is taken. */
    void look() {
        if (!Files.exists(orders)) {
            return;
        }
        try {
            String order = Files.readString(orders).strip();
            Files.delete(orders);
            if (order.startsWith(CLOCK)) {
                long millis = Long.parseLong(order.substring(CLOCK.length()));
                clock.set(millis);
                log.write(new Event.ClockSet(System.nanoTime(), process, millis));
                return;
            }
            atSettle = order.equals(FreezePoint.SETTLE.text());
            atCommit = order.equals(FreezePoint.COMMIT.text());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Freezes here if that is ordered. */
    void reached(FreezePoint moment) {
        if (moment == FreezePoint.SETTLE ? atSettle : atCommit) {
            freeze();
        }
    }

    private synchronized void freeze() {
        if (!atSettle && !atCommit) {
            return;
        }
        atSettle = false;
        atCommit = false;
        log.write(new Event.ProcessFrozen(System.nanoTime(), process));
        try {
            new ProcessBuilder(
                            "/bin/sh",
                            "-c",
                            "kill -STOP \"$0\"",
                            Long.toString(ProcessHandle.current().pid()))
                    .start()
                    .waitFor();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
