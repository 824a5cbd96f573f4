package dev.tandem.kit;

import java.io.Console;
import java.io.PrintWriter;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Lines on the console, and below them one that shows the progress: redrawn in place on a terminal, else printed now
 * and then. Thread-safe.
 */
public final class ConsoleProgress {

    private final PrintWriter out;
    private final boolean terminal;
    private final long intervalNanos;
    private long shownAt;
    private int shownLength;

    /**
     * @param terminal whether the progress can be redrawn in place
     * @param interval the shortest time between two showings of the progress
     */
    ConsoleProgress(PrintWriter out, boolean terminal, Duration interval) {
        this.out = out;
        this.terminal = terminal;
        this.intervalNanos = interval.toNanos();
        this.shownAt = System.nanoTime() - intervalNanos;
    }

    /**
     * Creates one that redraws the progress in place if the standard output is a terminal.
     *
     * @param terminalInterval the shortest time between two showings of the progress on a terminal
     * @param logInterval the same elsewhere
     */
    public static ConsoleProgress of(PrintWriter out, Duration terminalInterval, Duration logInterval) {
        boolean terminal = isTerminal(System.console());
        return new ConsoleProgress(out, terminal, terminal ? terminalInterval : logInterval);
    }

    private static boolean isTerminal(@Nullable Console console) {
        if (console == null) {
            return false;
        }
        try {
            // Since Java 22 a console exists without a terminal too.
            return (boolean) Console.class.getMethod("isTerminal").invoke(console);
        } catch (ReflectiveOperationException e) {
            return true; // before Java 22, a console is a terminal
        }
    }

    /** Prints a line that stays. */
    public synchronized void line(String text) {
        erase();
        out.println(text);
        out.flush();
    }

    /** Shows the progress, unless the last showing is too recent. */
    public synchronized void progress(String text) {
        long now = System.nanoTime();
        if (now - shownAt < intervalNanos) {
            return;
        }
        shownAt = now;
        if (terminal) {
            erase();
            out.print(text);
            shownLength = text.length();
        } else {
            out.println(text);
        }
        out.flush();
    }

    private void erase() {
        if (shownLength > 0) {
            out.print("\r" + " ".repeat(shownLength) + "\r");
            shownLength = 0;
        }
    }
}
