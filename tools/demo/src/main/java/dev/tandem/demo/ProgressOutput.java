package dev.tandem.demo;

import java.io.Console;
import java.io.PrintStream;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Prints lines, and below them a progress line: redrawn in a terminal, otherwise printed every few seconds. */
final class ProgressOutput {

    private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(3);

    private final PrintStream out;
    private final boolean terminal;
    private String shown = "";
    private long printedAt = System.nanoTime();

    /** Creates one for the standard output. */
    static ProgressOutput standard() {
        return new ProgressOutput(System.out, isTerminal(System.console()));
    }

    /** From Java 22 on there is always a console, and it tells whether it is a terminal. */
    private static boolean isTerminal(@Nullable Console console) {
        if (console == null) {
            return false;
        }
        try {
            return (boolean) Console.class.getMethod("isTerminal").invoke(console);
        } catch (ReflectiveOperationException e) {
            return true;
        }
    }

    ProgressOutput(PrintStream out, boolean terminal) {
        this.out = out;
        this.terminal = terminal;
    }

    synchronized void say(String line) {
        clear();
        out.println(line);
        out.flush();
    }

    synchronized void progress(String line) {
        if (terminal) {
            clear();
            out.print(line);
            out.flush();
            shown = line;
        } else if (System.nanoTime() - printedAt > INTERVAL_NANOS) {
            out.println(line);
            printedAt = System.nanoTime();
        }
    }

    private void clear() {
        if (!shown.isEmpty()) {
            out.print("\r" + " ".repeat(shown.length()) + "\r");
            shown = "";
        }
    }
}
