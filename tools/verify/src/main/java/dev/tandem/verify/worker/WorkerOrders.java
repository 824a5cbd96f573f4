package dev.tandem.verify.worker;

import dev.tandem.kit.JsonLinesLog;
import dev.tandem.verify.record.Event;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * Carries out orders that the trial writes to a file: set the clock of this process, or freeze it (SIGSTOP) at a point
 * that cannot be hit from outside. The thread that reaches the point stops there; other threads continue for the few
 * milliseconds until the signal arrives.
 */
public final class WorkerOrders {

    /** Where the process can freeze itself. */
    public enum FreezePoint {
        /** A handler has ended, and its outcome has not been sent. */
        SETTLE,
        /** Outcomes are recorded, and the commit or ack has not been sent. */
        COMMIT;

        /** Returns the order to freeze at this point. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** The beginning of the order to set the clock, followed by how many milliseconds ahead it shall be. */
    static final String CLOCK = "clock ";

    private final String process;
    private final Path file;
    private final SettableClock clock;
    private final JsonLinesLog<Event> log;
    private volatile boolean freezeAtSettle;
    private volatile boolean freezeAtCommit;

    WorkerOrders(String process, Path file, JsonLinesLog<Event> log, SettableClock clock) {
        this.process = process;
        this.file = file;
        this.clock = clock;
        this.log = log;
    }

    /** Reads and deletes the file if there is one. */
    void poll() {
        if (!Files.exists(file)) {
            return;
        }
        try {
            String order = Files.readString(file).strip();
            Files.delete(file);
            if (order.startsWith(CLOCK)) {
                long millis = Long.parseLong(order.substring(CLOCK.length()));
                clock.setAhead(millis);
                log.write(new Event.ClockSet(System.nanoTime(), process, millis));
                return;
            }
            freezeAtSettle = order.equals(FreezePoint.SETTLE.text());
            freezeAtCommit = order.equals(FreezePoint.COMMIT.text());
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot read the orders in " + file, e);
        }
    }

    /** Freezes the process if it was ordered to freeze at this point. */
    void reached(FreezePoint point) {
        if (point == FreezePoint.SETTLE ? freezeAtSettle : freezeAtCommit) {
            freeze();
        }
    }

    private synchronized void freeze() {
        if (!freezeAtSettle && !freezeAtCommit) {
            return;
        }
        freezeAtSettle = false;
        freezeAtCommit = false;
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
            throw new UncheckedIOException("Cannot send SIGSTOP to this process", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
